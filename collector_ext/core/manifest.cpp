#include "core/manifest.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace npuwh::core {

std::string json_text(std::string_view text) {
    std::string out = "\"";
    for (const char each : text) {
        if (each == '"' || each == '\\') {
            out += '\\';
            out += each;
        } else if (static_cast<unsigned char>(each) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(each));
            out += code;
        } else {
            out += each;
        }
    }
    return out + '"';
}

namespace {

std::string text_of(const Manifest& manifest) {
    const auto number = [](auto value) { return std::to_string(value); };
    std::string out = "{\n  \"format\": 2,\n  \"state\": " + json_text(manifest.state);
    out += ",\n  \"reason\": " + json_text(manifest.reason);
    if (!manifest.ended_by.empty()) out += ",\n  \"ended_by\": " + json_text(manifest.ended_by);
    out += ",\n  \"pid\": " + number(manifest.pid);
    out += ",\n  \"facts\": " + (manifest.facts_json.empty() ? std::string("{}") : manifest.facts_json);
    out += ",\n  \"ticks\": ";
    out += manifest.ticks == TickKind::kCounter ? "\"counter\"" : "\"monotonic_raw_ns\"";
    out += ",\n  \"ticks_per_second\": " + number(manifest.ticks_per_second);
    out += ",\n  \"anchors\": [";
    for (size_t at = 0; at < manifest.anchors.size(); ++at) {
        const ClockAnchor& anchor = manifest.anchors[at];
        out += at == 0 ? "\n    [" : ",\n    [";
        out += number(anchor.ticks) + ", " + number(anchor.monotonic_raw_ns) + ", " + number(anchor.realtime_ns) + "]";
    }
    out += "\n  ],\n  \"lost\": {\"events\": " + number(manifest.lost_events);
    out += ", \"frames\": " + number(manifest.lost_frames) + "},\n  \"chunks\": [";
    for (size_t at = 0; at < manifest.chunks.size(); ++at) {
        const ChunkFacts& chunk = manifest.chunks[at];
        out += at == 0 ? "\n    {" : ",\n    {";
        out += "\"file\": " + json_text(chunk.file) + ", \"table\": " + json_text(name_of(chunk.table));
        out += ", \"rows\": " + number(chunk.rows) + ", \"batches\": " + number(chunk.batches);
        out += ", \"bytes\": " + number(chunk.bytes) + "}";
    }
    return out + "\n  ]\n}\n";
}

}  // namespace

int write_manifest(const std::string& folder, const Manifest& manifest) {
    const std::string text = text_of(manifest);
    const std::string path = folder + "/manifest.json";
    const std::string beside = path + ".part";
    const int descriptor = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (descriptor < 0) return errno;
    int error = 0;
    for (size_t done = 0; done < text.size() && error == 0;) {
        const ssize_t written = ::write(descriptor, text.data() + done, text.size() - done);
        if (written >= 0) {
            done += static_cast<size_t>(written);
        } else if (errno != EINTR) {
            error = errno;
        }
    }
    if (close(descriptor) != 0 && error == 0) error = errno;
    if (error == 0 && rename(beside.c_str(), path.c_str()) != 0) error = errno;
    if (error != 0) unlink(beside.c_str());
    return error;
}

}  // namespace npuwh::core

#include "core/manifest.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "core/own_file.hpp"

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
    out += ", \"frames\": " + number(manifest.lost_frames);
    out += ", \"events_without_memory\": " + number(manifest.refused_events);
    out += ", \"frames_without_memory\": " + number(manifest.refused_frames) + "},\n  \"chunks\": [";
    for (size_t at = 0; at < manifest.chunks.size(); ++at) {
        const ChunkFacts& chunk = manifest.chunks[at];
        out += at == 0 ? "\n    {" : ",\n    {";
        out += "\"file\": " + json_text(chunk.file) + ", \"table\": " + json_text(name_of(chunk.table));
        out += ", \"rows\": " + number(chunk.rows) + ", \"batches\": " + number(chunk.batches);
        out += ", \"bytes\": " + number(chunk.bytes) + "}";
    }
    return out + "\n  ]\n}\n";
}

constexpr size_t kReserve = 8192;  // of chunks that are completed and losses that are counted until the end
constexpr size_t kPage = 4096;

// The text from the file's begin on, and blanks behind it up to `room` bytes as far as there is place for them.
int write_text(const std::string& path, const std::string& text, size_t room) {
    OwnFile file;
    if (const int error = file.open(path, 0)) return error;
    size_t written = 0;
    if (const int error = file.write(text.data(), text.size(), written)) return error;
    if (room > text.size()) {
        // what the file holds already costs nothing
        const auto before = static_cast<size_t>(std::max<off_t>(file.size(), 0));
        const std::string blanks(std::max(room, before) - text.size(), ' ');
        file.write(blanks.data(), blanks.size(), written);
        written += text.size();
    }
    const int cutting = file.cut(static_cast<off_t>(written));
    const int closing = file.close();
    return cutting != 0 ? cutting : closing;
}

bool exchange(const std::string& one, const std::string& other) {
#if defined(SYS_renameat2)
    constexpr unsigned kExchange = 2;  // RENAME_EXCHANGE, which not all C libraries have
    return syscall(SYS_renameat2, AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), kExchange) == 0;
#else
    return one == other;
#endif
}

}  // namespace

int write_manifest(const std::string& folder, const Manifest& manifest, bool is_last) {
    const std::string text = text_of(manifest);
    const std::string path = folder + "/manifest.json";
    const std::string beside = path + ".part";
    const size_t room = is_last ? 0 : (text.size() + kReserve + kPage - 1) / kPage * kPage;
    int error = write_text(beside, text, room);
    if (error == 0 && (is_last || !exchange(beside, path))) {
        if (rename(beside.c_str(), path.c_str()) != 0) {
            error = errno;
        } else if (!is_last) {
            write_text(beside, text, room);  // the room is for later, and not having it is no trouble now
        }
    }
    if (error != 0 && is_last) unlink(beside.c_str());
    return error;
}

}  // namespace npuwh::core

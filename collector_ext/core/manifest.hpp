// manifest.json of a recording: what it is, its complete chunks, its clock, its losses, and how it ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/chunk_file.hpp"
#include "core/ticks.hpp"

namespace npuwh::core {

struct Manifest {
    std::string state;  // "recording", "complete", "disk-budget", "disk-error"
    std::string reason;  // why it ended early, one line
    std::string ended_by;  // "stop", "disk full", "disk limit", "disk error"; empty: it goes on, or its process is gone
    std::string facts_json;  // an object with what the caller says of the recording; "{}" at least
    int64_t pid = 0;
    TickKind ticks = TickKind::kCounter;
    double ticks_per_second = 0;  // measured before the first anchor: what ended soon has no other worth the name
    std::vector<ClockAnchor> anchors;  // the first and the last
    std::vector<ChunkFacts> chunks;
    uint64_t lost_events = 0;
    uint64_t lost_frames = 0;
    uint64_t refused_events = 0;  // of the lost ones those of threads that there was no memory for
    uint64_t refused_frames = 0;
};

// Writes it beside its place, then exchanges the two; 0 or an errno.  Both are larger than what they hold, and stay, so
// that there is room for what comes later when the disk has none; the last one leaves nothing beside it.
int write_manifest(const std::string& folder, const Manifest& manifest, bool is_last);

// A text as JSON text, quotes included.
std::string json_text(std::string_view text);

}  // namespace npuwh::core

// Lanes: where a viewer can draw every slice of a track.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sweep/columns.hpp"

namespace npuwh {

// One track.  Within a lane slices nest: each lies wholly inside the innermost slice that is still open, or starts when all
// have ended.  A slice that starts exactly at the end of another comes after it.
class LaneTrack {
public:
    // The first lane in which the slice nests, 0 for a track without overlap.  Starts ascend from call to call.
    std::int64_t place(std::int64_t start, std::int64_t end);

private:
    std::vector<Column> lanes_;  // ends of the open slices of each lane, innermost last
};

// Many tracks.
class LaneSweep {
public:
    // track: any number that names the track.  Starts ascend within a track; equal starts: feed the longer first to need the
    // fewest lanes.  Throws std::invalid_argument naming the first bad row, and is then unchanged.
    Column feed(const ColumnView& track, const ColumnView& start, const ColumnView& end);

private:
    struct Track {
        LaneTrack lanes;
        std::int64_t last_start;
    };
    std::unordered_map<std::int64_t, Track> tracks_;
};

}  // namespace npuwh

// Lanes: where a viewer can draw every slice of a track.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sweep/columns.hpp"

namespace npuwh {

// One track.  Within a lane slices nest: each lies wholly inside the innermost slice that is still open, or starts when all
// have ended.  A slice that starts exactly at the end of another comes after it.
//
// O(1) a slice while they nest, O(log lanes) for those that need another lane.
class LaneTrack {
public:
    // The first lane in which the slice nests, 0 for a track without overlap.  Starts ascend from call to call.
    std::int64_t place(std::int64_t start, std::int64_t end);

private:
    // Lanes 1, 2 ...  `room_` is a tree of maxima over the lanes' room: the end of the innermost open slice, no limit in an
    // empty lane.
    class ExtraLanes {
    public:
        std::int64_t place(std::int64_t start, std::int64_t end);

    private:
        void close_until(std::int64_t time);
        void set_room(std::size_t lane);
        void grow();

        std::vector<Column> lanes_;  // ends of the open slices of each lane, innermost last
        std::vector<std::int64_t> room_;
        using Closing = std::pair<std::int64_t, std::size_t>;  // end, lane
        std::priority_queue<Closing, std::vector<Closing>, std::greater<>> closing_;
    };

    Column open_;  // lane 0
    ExtraLanes extra_;
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
    void check(const ColumnView& track, const ColumnView& start, const ColumnView& end) const;

    std::unordered_map<std::int64_t, Track> tracks_;
};

}  // namespace npuwh

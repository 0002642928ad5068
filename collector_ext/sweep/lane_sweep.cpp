#include "sweep/lane_sweep.hpp"

#include <algorithm>
#include <string>

#include "sweep/intervals.hpp"

namespace npuwh {

std::int64_t LaneTrack::place(std::int64_t start, std::int64_t end) {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        Column& open = lanes_[lane];
        while (!open.empty() && open.back() <= start) {
            open.pop_back();
        }
        if (open.empty() || end <= open.back()) {
            open.push_back(end);
            return static_cast<std::int64_t>(lane);
        }
    }
    lanes_.push_back({end});
    return static_cast<std::int64_t>(lanes_.size() - 1);
}

Column LaneSweep::feed(const ColumnView& track, const ColumnView& start, const ColumnView& end) {
    constexpr const char* where = "LaneSweep.feed";
    const std::size_t rows = track.size();
    require_rows(where, "start", start, rows);
    require_rows(where, "end", end, rows);
    std::unordered_map<std::int64_t, std::int64_t> last_starts;
    for (std::size_t row = 0; row < rows; ++row) {
        if (end[row] < start[row]) {
            reject_row(where, row, "ends at " + std::to_string(end[row]) + ", before its start " + std::to_string(start[row]));
        }
        const auto known = tracks_.find(track[row]);
        const auto found = last_starts.emplace(track[row], known == tracks_.end() ? kEarliest : known->second.last_start);
        if (start[row] < found.first->second) {
            reject_row(where, row, "starts at " + std::to_string(start[row]) + ", before the start " +
                                       std::to_string(found.first->second) + " of the row before it on its track");
        }
        found.first->second = start[row];
    }
    Column lane(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        Track& state = tracks_[track[row]];
        lane[row] = state.lanes.place(start[row], end[row]);
        state.last_start = start[row];
    }
    return lane;
}

}  // namespace npuwh

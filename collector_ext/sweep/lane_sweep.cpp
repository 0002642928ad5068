#include "sweep/lane_sweep.hpp"

#include <algorithm>
#include <string>

#include "sweep/intervals.hpp"

namespace npuwh {

std::int64_t LaneTrack::place(std::int64_t start, std::int64_t end) {
    while (!open_.empty() && open_.back() <= start) {
        open_.pop_back();
    }
    if (open_.empty() || end <= open_.back()) {
        open_.push_back(end);
        return 0;
    }
    return 1 + extra_.place(start, end);
}

std::int64_t LaneTrack::ExtraLanes::place(std::int64_t start, std::int64_t end) {
    close_until(start);
    if (room_.empty() || room_[1] < end) {
        grow();
    }
    std::size_t node = 1;
    while (node < lanes_.size()) {  // down to the first leaf with room
        node *= 2;
        if (room_[node] < end) {
            ++node;
        }
    }
    const std::size_t lane = node - lanes_.size();
    lanes_[lane].push_back(end);
    set_room(lane);
    closing_.emplace(end, lane);
    return static_cast<std::int64_t>(lane);
}

void LaneTrack::ExtraLanes::close_until(std::int64_t time) {
    while (!closing_.empty() && closing_.top().first <= time) {
        const std::size_t lane = closing_.top().second;  // its innermost slice: inner ones end first
        closing_.pop();
        lanes_[lane].pop_back();
        set_room(lane);
    }
}

void LaneTrack::ExtraLanes::set_room(std::size_t lane) {
    std::size_t node = lanes_.size() + lane;
    room_[node] = lanes_[lane].empty() ? kLatest : lanes_[lane].back();
    for (node /= 2; node > 0; node /= 2) {
        room_[node] = std::max(room_[2 * node], room_[2 * node + 1]);
    }
}

// Twice the lanes; their number stays a power of two, so that the leaves of the tree stand in one row.
void LaneTrack::ExtraLanes::grow() {
    lanes_.resize(lanes_.empty() ? 2 : 2 * lanes_.size());
    room_.assign(2 * lanes_.size(), kLatest);
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        room_[lanes_.size() + lane] = lanes_[lane].empty() ? kLatest : lanes_[lane].back();
    }
    for (std::size_t node = lanes_.size() - 1; node > 0; --node) {
        room_[node] = std::max(room_[2 * node], room_[2 * node + 1]);
    }
}

void LaneSweep::check(const ColumnView& track, const ColumnView& start, const ColumnView& end) const {
    constexpr const char* where = "LaneSweep.feed";
    const std::size_t rows = track.size();
    require_rows(where, "start", start, rows);
    require_rows(where, "end", end, rows);
    std::unordered_map<std::int64_t, std::int64_t> last_starts;
    for (std::size_t row = 0; row < rows; ++row) {
        if (end[row] < start[row]) {
            reject_row(where, row, "ends at " + std::to_string(end[row]) + ", before its start " + std::to_string(start[row]));
        }
        auto last = last_starts.find(track[row]);
        if (last == last_starts.end()) {
            const auto known = tracks_.find(track[row]);
            last = last_starts.emplace(track[row], known == tracks_.end() ? kEarliest : known->second.last_start).first;
        }
        if (start[row] < last->second) {
            reject_row(where, row, "starts at " + std::to_string(start[row]) + ", before the start " +
                                       std::to_string(last->second) + " of the row before it on its track");
        }
        last->second = start[row];
    }
}

Column LaneSweep::feed(const ColumnView& track, const ColumnView& start, const ColumnView& end) {
    check(track, start, end);
    Column lane(track.size());
    for (std::size_t row = 0; row < track.size(); ++row) {
        Track& state = tracks_[track[row]];
        lane[row] = state.lanes.place(start[row], end[row]);
        state.last_start = start[row];
    }
    return lane;
}

}  // namespace npuwh

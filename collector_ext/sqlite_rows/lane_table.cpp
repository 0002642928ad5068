#include "sqlite_rows/lane_table.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "sqlite_rows/refused.hpp"
#include "sqlite_rows/row_text.hpp"
#include "sweep/lane_sweep.hpp"

namespace npuwh::sqlite_rows {
namespace {

struct Slice {
    std::int64_t id;
    std::int64_t thread;
    std::int64_t start;
    std::int64_t end;
};

}  // namespace

std::int64_t SliceLanes::find(std::int64_t thread, std::int64_t start) const {
    if (lanes_.empty()) {
        return 0;
    }
    const auto found = lanes_.find({thread, start});
    return found == lanes_.end() ? 0 : found->second;
}

void SliceLanes::put_all(const SliceLanes& others) {
    for (const auto& [slice, lane] : others.lanes_) {
        lanes_[slice] = lane;
    }
}

void find_lanes(Connection& connection, const LanePass& pass, RowLanes& rows, SliceLanes& slices) {
    Statement statement(connection, pass.statement);
    for (std::size_t place = 0; place < pass.values.size(); ++place) {
        statement.bind(place, pass.values[place]);
    }
    std::unordered_map<std::int64_t, LaneTrack> tracks;
    std::vector<Slice> together;  // that start at one time: the longest first, then by id
    const auto place_them = [&] {
        std::sort(together.begin(), together.end(), [](const Slice& one, const Slice& other) {
            return one.end != other.end ? one.end > other.end : one.id < other.id;
        });
        for (const Slice& slice : together) {
            if (const std::int64_t lane = tracks[slice.thread].place(slice.start, slice.end)) {
                rows[slice.id] = lane;
                slices.put(slice.thread, slice.start, lane);
            }
        }
        together.clear();
    };
    const auto& [id, thread, start, duration] = pass.slots;
    while (statement.step()) {
        const Row row = statement.row();
        Slice slice{integer_in(row, id), integer_in(row, thread), integer_in(row, start), 0};
        const std::int64_t length = std::max<std::int64_t>(integer_in(row, duration), 0);
        if (slice.start > std::numeric_limits<std::int64_t>::max() - length) {
            throw Refused("a slice has no end");
        }
        slice.end = slice.start + length;
        if (!together.empty() && slice.start != together.front().start) {
            if (slice.start < together.front().start) {
                throw Refused("slices do not come in the order of their starts");
            }
            place_them();
        }
        together.push_back(slice);
    }
    place_them();
}

}  // namespace npuwh::sqlite_rows

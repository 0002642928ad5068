// Ranges of the host's task queue from the marks of their starts and ends (framework-files.md 5.1).
#pragma once

#include <cstdint>
#include <unordered_map>

#include "sweep/columns.hpp"

namespace npuwh {

// Ranges, by their ends; key and row are those of the end.
struct MarkRanges {
    Column half;
    Column tid;
    Column pid;
    Column name;
    Column start;
    Column end;
    Column key;
    Column row;
};

// An end belongs to the last mark before it of its half of the queue, thread and name if that is a start; other marks make no range.
//
// State: a number a half, thread and name.
class MarkSweep {
public:
    // Sorted by time.  Throws std::invalid_argument naming the first bad row, and is then unchanged.
    MarkRanges feed(const ColumnView& half, const ColumnView& is_end, const ColumnView& tid, const ColumnView& pid,
                    const ColumnView& name, const ColumnView& time, const ColumnView& key, const ColumnView& row);

private:
    struct Group {
        std::int64_t half, tid, name;
        bool operator==(const Group& other) const { return half == other.half && tid == other.tid && name == other.name; }
    };
    struct GroupHash {
        std::size_t operator()(const Group& group) const {
            return std::hash<std::int64_t>()((group.tid * 1000003 + group.name) * 2 + group.half);
        }
    };

    std::unordered_map<Group, std::int64_t, GroupHash> open_;  // time of the start
    std::int64_t last_time_ = INT64_MIN;
};

}  // namespace npuwh

// Lanes of slices for which none is stored.  Tables hold those that are not in lane 0, which are few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "sqlite_rows/connection.hpp"
#include "sqlite_rows/row_section.hpp"

namespace npuwh::sqlite_rows {

// Lanes by the ids of rows.
using RowLanes = std::unordered_map<std::int64_t, std::int64_t>;

// Lanes by thread and start of the slice.
class SliceLanes {
public:
    std::int64_t find(std::int64_t thread, std::int64_t start) const;
    void put(std::int64_t thread, std::int64_t start, std::int64_t lane) { lanes_[{thread, start}] = lane; }
    void put_all(const SliceLanes& others);

private:
    struct Slice {
        std::int64_t thread;
        std::int64_t start;
        bool operator==(const Slice& other) const { return thread == other.thread && start == other.start; }
    };
    struct Hash {
        std::size_t operator()(const Slice& slice) const {
            return static_cast<std::size_t>((static_cast<std::uint64_t>(slice.thread) * 0x9E3779B97F4A7C15U) ^
                                            static_cast<std::uint64_t>(slice.start));
        }
    };
    std::unordered_map<Slice, std::int64_t, Hash> lanes_;
};

// Runs the pass.
void find_lanes(Connection& connection, const LanePass& pass, RowLanes& rows, SliceLanes& slices);

}  // namespace npuwh::sqlite_rows

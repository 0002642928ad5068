// Which step holds a moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sweep/columns.hpp"

namespace npuwh {

// Windows start <= t < end in the order of the steps.  They may overlap, be unsorted or empty (end <= start: matches nothing).
class StepWindows {
public:
    // Throws std::invalid_argument if the columns differ in length.
    StepWindows(const char* where, const ColumnView& ids, const ColumnView& starts, const ColumnView& ends);

    std::size_t size() const { return ids_.size(); }
    std::int64_t id(std::size_t step) const { return ids_[step]; }
    std::int64_t end(std::size_t step) const { return ends_[step]; }

    // Index of the first window, in the order given, that holds `time`; -1 if none.  O(1) for a neighbour of the last answer,
    // else O(log steps).
    std::int64_t find(std::int64_t time) const;
    // Its step id, -1 if none.
    std::int64_t find_id(std::int64_t time) const;

    // All windows that hold `time`; times must ascend from call to call.
    const std::vector<std::size_t>& active_at(std::int64_t time);

private:
    void flatten();

    Column ids_;
    Column starts_;
    Column ends_;
    // disjoint pieces: piece k begins at piece_starts_[k], belongs to piece_owners_[k] (-1: to no step)
    Column piece_starts_;
    Column piece_owners_;
    mutable std::size_t last_piece_ = 0;
    std::vector<std::size_t> by_start_;
    std::size_t next_ = 0;
    std::vector<std::size_t> active_;
    std::int64_t first_active_end_ = 0;
};

}  // namespace npuwh

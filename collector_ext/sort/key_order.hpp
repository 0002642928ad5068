// The order of some rows by several keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sort/packed_columns.hpp"

namespace npuwh::sort {

constexpr std::size_t kPlaceBits = 16;
constexpr std::size_t kMostPlaces = std::size_t{1} << kPlaceBits;  // rows that are ordered at once

// A column to sort by, and whether downwards.
struct Key {
    std::size_t column;
    bool is_falling;

    // Numbers that order as the rows are to be.
    std::int64_t rising(std::int64_t value) const { return is_falling ? ~value : value; }
};

// Places of the rows of all parts, counted through, in the order of the keys, then of the places; empty if that is how they are.
// At most kMostPlaces rows; a null sorts as the least value of its part.
std::vector<std::uint32_t> order_of(const std::vector<SharedColumns>& parts, const std::vector<Key>& keys);

}  // namespace npuwh::sort

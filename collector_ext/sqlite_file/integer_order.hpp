// Keys of integers in memory, brought into order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sqlite_file/chunked.hpp"
#include "sqlite_file/integer_sorter.hpp"

namespace npuwh::sqlite_file {

// The columns of a sorter, which must stay while the keys are taken.
struct IntegerColumns {
    const std::vector<Chunked<std::int64_t>>& values;
    const std::vector<Chunked<std::uint8_t>>& nulls;
    const Chunked<std::int64_t>& rowids;
    std::int64_t first_rowid;

    std::uint64_t rowid(std::size_t place) const {
        return biased(rowids.size() == 0 ? first_rowid + static_cast<std::int64_t>(place) : rowids[place]);
    }
    bool is_null(std::size_t column, std::size_t place) const { return nulls[column].size() > 0 && nulls[column][place] != 0; }
    std::uint64_t word(std::size_t column, std::size_t place) const {
        return is_null(column, place) ? 0 : biased(values[column][place]);
    }
};

// The keys at [begin, end) in order.  Keys of up to 64 significant bits are packed into one number each, which is sorted by radix
// if its place fits too; keys that are in order already are not sorted.
std::unique_ptr<IntegerKeys> order_integers(const IntegerColumns& columns, std::size_t begin, std::size_t end);

}  // namespace npuwh::sqlite_file

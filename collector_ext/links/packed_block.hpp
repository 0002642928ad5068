// Some rows of int64 columns in few bytes, any value of which can be read at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sweep/columns.hpp"

namespace npuwh {

// Each column is written as its smallest value and what every value exceeds it by, in as many bytes as the largest needs.
inline void pack_block(const std::vector<Column>& columns, std::size_t first, std::size_t rows, std::vector<std::uint8_t>& out) {
    out.clear();
    for (const Column& column : columns) {
        const auto [low, high] = std::minmax_element(column.begin() + static_cast<std::ptrdiff_t>(first),
                                                     column.begin() + static_cast<std::ptrdiff_t>(first + rows));
        const std::uint64_t range = static_cast<std::uint64_t>(*high) - static_cast<std::uint64_t>(*low);
        const std::size_t width = range == 0 ? 0 : static_cast<std::size_t>(71 - __builtin_clzll(range)) / 8;
        const auto base = static_cast<std::uint64_t>(*low);
        const std::size_t place = out.size();
        out.resize(place + sizeof base + 1 + rows * width);
        std::uint8_t* to = out.data() + place;
        std::memcpy(to, &base, sizeof base);
        to[sizeof base] = static_cast<std::uint8_t>(width);
        to += sizeof base + 1;
        for (std::size_t row = first; row < first + rows; ++row, to += width) {
            const std::uint64_t excess = static_cast<std::uint64_t>(column[row]) - base;
            std::memcpy(to, &excess, width);  // little-endian, as all machines that profiles are read on
        }
    }
    out.resize(out.size() + sizeof(std::uint64_t));  // a value is read as a whole word
}

// Reads what `pack_block` wrote, which stays the caller's.
class PackedBlock {
public:
    PackedBlock() = default;
    PackedBlock(const std::uint8_t* bytes, std::size_t columns, std::size_t rows) : rows_(rows), columns_(columns) {
        for (Packed& column : columns_) {
            std::memcpy(&column.base, bytes, sizeof column.base);
            column.width = bytes[sizeof column.base];
            column.mask = column.width == 0 ? 0 : ~std::uint64_t{0} >> (64 - 8 * column.width);
            column.values = bytes + sizeof column.base + 1;
            bytes = column.values + rows * column.width;
        }
    }

    std::size_t rows() const { return rows_; }
    std::int64_t value(std::size_t column, std::size_t row) const {
        const Packed& packed = columns_[column];
        std::uint64_t word = 0;
        std::memcpy(&word, packed.values + row * packed.width, sizeof word);
        return static_cast<std::int64_t>(packed.base + (word & packed.mask));
    }

private:
    struct Packed {
        std::uint64_t base = 0;
        std::uint64_t mask = 0;
        const std::uint8_t* values = nullptr;
        std::size_t width = 0;
    };

    std::size_t rows_ = 0;
    std::vector<Packed> columns_;
};

}  // namespace npuwh

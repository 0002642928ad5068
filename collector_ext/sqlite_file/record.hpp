// Reading and comparing records ("Database File Format", section 2.1; order of values: section 2.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sqlite_file/cell_block.hpp"

namespace npuwh::sqlite_file {

// Steps through the values of a record.
class RecordReader {
public:
    explicit RecordReader(const std::uint8_t* record) {
        std::uint64_t size = 0;
        header_ = get_varint(record, size);
        header_end_ = record + size;
        body_ = header_end_;
    }

    bool done() const { return header_ == header_end_; }
    Cell next();

private:
    const std::uint8_t* header_;
    const std::uint8_t* header_end_;
    const std::uint8_t* body_;
};

// Below 0, 0, above 0: the order of SQLite with collation BINARY; integers and reals compare as the numbers they are.
int compare_cells(const Cell& left, const Cell& right);

// As `compare_cells`, over all values of two records of equal length.
int compare_records(const std::uint8_t* left, const std::uint8_t* right);

// How many of the first `columns` values are equal in both.
std::size_t equal_values(const std::uint8_t* left, const std::uint8_t* right, std::size_t columns);

// A number that orders as the cell does, as far as it can tell cells apart; equal numbers tell nothing.
std::uint64_t order_prefix(const Cell& cell);

// Appends the record of the cells.
void append_record(std::vector<std::uint8_t>& out, const Cell* cells, std::size_t columns);

// Size of the record of the cells, and of its header.
struct RecordSize {
    std::size_t header;
    std::size_t total;
};
RecordSize record_size(const Cell* cells, std::size_t columns);

}  // namespace npuwh::sqlite_file

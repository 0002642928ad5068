// Some rows as typed cells, ready to be written as records ("Database File Format", section 2.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sqlite_file/encoding.hpp"

namespace npuwh::sqlite_file {

// What a cell holds: `serial` says how to read `word`: an integer, the bits of a real, or where text or a blob of `size` bytes
// lies.  Integers 0 and 1 keep their value in `word` although their records have no body.
struct Cell {
    std::uint8_t serial = kNull;
    std::uint32_t size = 0;
    std::uint64_t word = 0;

    std::int64_t integer() const { return static_cast<std::int64_t>(word); }
    double real() const {
        double value = 0;
        std::memcpy(&value, &word, sizeof value);
        return value;
    }
    const std::uint8_t* bytes() const { return reinterpret_cast<const std::uint8_t*>(word); }
};

inline Cell integer_cell(std::int64_t value) { return {integer_serial(value), 0, static_cast<std::uint64_t>(value)}; }
inline Cell real_cell(double value) {
    Cell cell{kReal, 0, 0};
    std::memcpy(&cell.word, &value, sizeof value);
    return cell;
}
inline Cell bytes_cell(Serial kind, const void* bytes, std::size_t size) {
    return {kind, static_cast<std::uint32_t>(size), reinterpret_cast<std::uint64_t>(bytes)};
}

// Rows of cells, row after row.  `body` and `header` are what the record of each row needs for its values and serial types.
class CellBlock {
public:
    static constexpr std::size_t kCells = 2048;  // about 32 KiB of cells: they stay in the first cache

    explicit CellBlock(std::size_t columns)
        : columns_(columns),
          capacity_(columns >= kCells / 16 ? 16 : columns == 0 ? 256 : kCells / columns > 256 ? 256 : kCells / columns),
          cells_(columns * capacity_),
          body_(capacity_),
          header_(capacity_),
          stored_(capacity_) {}

    std::size_t columns() const { return columns_; }
    std::size_t capacity() const { return capacity_; }
    std::size_t rows() const { return rows_; }

    void begin(std::size_t rows) {
        rows_ = rows;
        std::memset(body_.data(), 0, rows * sizeof body_[0]);
        for (std::size_t row = 0; row < rows; ++row) {
            header_[row] = static_cast<std::uint32_t>(columns_);
            stored_[row] = static_cast<std::uint32_t>(columns_);
        }
        texts_.clear();
    }

    // Only the first rows are used.
    void shorten(std::size_t rows) { rows_ = rows; }

    const Cell* row(std::size_t row) const { return cells_.data() + row * columns_; }
    std::size_t body_size(std::size_t row) const { return body_[row]; }
    std::size_t header_size(std::size_t row) const {
        const std::size_t size = header_[row] + 1;
        return size < 128 ? size : size + (size + 1 < 16384 ? 1 : 2);
    }
    // Columns whose values are in the record; only the last ones may lack.
    std::size_t stored(std::size_t row) const { return stored_[row]; }
    std::size_t record_size(std::size_t row) const { return body_size(row) + header_size(row); }

    void set_number(std::size_t row, std::size_t column, std::uint8_t serial, std::uint64_t word) {
        Cell& cell = cells_[row * columns_ + column];
        cell.serial = serial;
        cell.word = word;
        body_[row] += kBodySize[serial];
    }
    // Makes a number NULL.
    void clear_number(std::size_t row, std::size_t column) {
        Cell& cell = cells_[row * columns_ + column];
        body_[row] -= kBodySize[cell.serial];
        cell.serial = kNull;
        cell.word = 0;
    }
    void set_bytes(std::size_t row, std::size_t column, Serial kind, const void* bytes, std::size_t size) {
        cells_[row * columns_ + column] = bytes_cell(kind, bytes, size);
        body_[row] += size;
        header_[row] += static_cast<std::uint32_t>(varint_size(kind + 2 * size) - 1);
    }

    // Leaves out the last values of each record where they are what SQLite takes for values that a record lacks.  `missing` are those, a
    // cell a column (numbers and NULL); the first `least` values stay.
    void leave_out(const std::vector<Cell>& missing, std::size_t least) {
        for (std::size_t row = 0; row < rows_; ++row) {
            const Cell* cells = this->row(row);
            std::uint32_t stored = stored_[row];
            for (; stored > least; --stored) {
                const Cell& cell = cells[stored - 1];
                const Cell& lacking = missing[stored - 1];
                if (cell.serial != lacking.serial || (cell.serial != kNull && cell.word != lacking.word)) {
                    break;
                }
                body_[row] -= kBodySize[cell.serial];
                --header_[row];
            }
            stored_[row] = stored;
        }
    }

    // Keeps text that has no other place until the block is begun again.
    const char* keep(const char* text, std::size_t size) {
        if (texts_.capacity() == 0) {
            texts_.reserve(columns_ * capacity_ * 24);  // never grows: what was kept must not move
        }
        const std::size_t start = texts_.size();
        texts_.insert(texts_.end(), text, text + size);
        return texts_.data() + start;
    }

private:
    std::size_t columns_;
    std::size_t capacity_;
    std::size_t rows_ = 0;
    std::vector<Cell> cells_;
    std::vector<std::uint64_t> body_;
    std::vector<std::uint32_t> header_;
    std::vector<std::uint32_t> stored_;
    std::vector<char> texts_;
};

// Writes a record so that it ends at `end`, last column first: every number is one store of eight bytes whose surplus lies in front,
// where the next column goes over it.  Up to 8 bytes in front of the record are scribbled on.  Returns its begin.
inline std::uint8_t* put_record_before(std::uint8_t* end, const Cell* cells, std::size_t columns, std::size_t header_size) {
    std::uint8_t* place = end;
    for (std::size_t column = columns; column > 0; --column) {
        const Cell& cell = cells[column - 1];
        if (cell.serial <= kOne) {
            put_word(place - 8, cell.word);
            place -= kBodySize[cell.serial];
        } else {
            place -= cell.size;
            std::memcpy(place, cell.bytes(), cell.size);
        }
    }
    std::uint8_t* begin = place - header_size;
    std::uint8_t* out = put_varint(begin, header_size);
    for (std::size_t column = 0; column < columns; ++column) {
        const Cell& cell = cells[column];
        if (cell.serial <= kOne) {
            *out++ = cell.serial;
        } else {
            out = put_varint(out, cell.serial + 2 * std::uint64_t{cell.size});
        }
    }
    return begin;
}

}  // namespace npuwh::sqlite_file

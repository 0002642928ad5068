// Rows of 64-bit numbers in little memory: what sorters hold and what they spill.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace npuwh::sort {

// A column of 64-bit words that someone else owns; bit `first + row` of `validity` is 0 where a row is null (no validity: none is).
struct WordColumn {
    // sparse: a value of -1 is a null; constant: `values` has one for all rows; null: all rows are
    enum class Kind { varying, sparse, constant, null };

    const std::int64_t* values = nullptr;
    const std::uint8_t* validity = nullptr;
    std::size_t first = 0;
    Kind kind = Kind::varying;

    bool may_have_nulls() const { return kind == Kind::null || kind == Kind::sparse || validity != nullptr; }
    bool has_row_values() const { return kind == Kind::varying || kind == Kind::sparse; }
    bool is_null(std::size_t row) const {
        return kind == Kind::null || (kind == Kind::sparse && values[row] == -1) ||
               (validity != nullptr && (validity[(first + row) / 8] >> ((first + row) % 8) & 1) == 0);
    }
    std::int64_t value(std::size_t row) const { return has_row_values() ? values[row] : kind == Kind::constant ? *values : 0; }
};

// Some rows of every column, each value as its distance from the smallest of the column in as many bytes as the largest distance
// takes: 0, 1, 2, 4 or 8.  One string of bytes, the same in memory and on disk.
class PackedColumns {
public:
    // How a column lies in the bytes.  A null has the distance 0.
    struct Form {
        std::int64_t least = 0;
        std::int64_t most = 0;
        std::uint32_t values = 0;    // place of the distances
        std::uint32_t validity = 0;  // place of one bit a row, 1 for a value; 0: all rows are null or none is
        std::uint32_t width = 0;     // bytes a distance
        std::uint32_t nulls = 0;     // rows that are null
    };

    // Packs rows [first, first + rows) of the columns.
    static std::shared_ptr<const PackedColumns> pack(const std::vector<WordColumn>& columns, std::size_t first, std::size_t rows);

    // Bytes as `data()` gave them for so many rows.
    PackedColumns(std::vector<std::uint8_t> data, std::size_t rows) : data_(std::move(data)), rows_(rows) {}

    std::size_t rows() const { return rows_; }
    const std::uint8_t* data() const { return data_.data(); }
    std::size_t size() const { return data_.size(); }
    const Form& form(std::size_t column) const { return reinterpret_cast<const Form*>(data_.data())[column]; }

    // Rows [first, first + count) of a column; nulls give `least`.
    void copy_values(std::size_t column, std::size_t first, std::size_t count, std::int64_t* out) const;
    std::int64_t value(std::size_t column, std::size_t row) const {
        std::int64_t found;
        copy_values(column, row, 1, &found);
        return found;
    }
    bool is_null(std::size_t column, std::size_t row) const {
        const Form& found = form(column);
        return found.validity == 0 ? found.nulls > 0 : (data_[found.validity + row / 8] >> (row % 8) & 1) == 0;
    }

private:
    std::vector<std::uint8_t> data_;
    std::size_t rows_;
};

using SharedColumns = std::shared_ptr<const PackedColumns>;

// Makes packed columns one column after the other.
class ColumnPacker {
public:
    ColumnPacker(std::size_t columns, std::size_t rows) : data_(columns * sizeof(PackedColumns::Form)), rows_(rows) {}

    std::size_t rows() const { return rows_; }
    // The next column: its rows from `first` on.
    void add(const WordColumn& column, std::size_t first = 0);
    SharedColumns finish();

private:
    std::vector<std::uint8_t> data_;
    std::size_t rows_;
    std::size_t added_ = 0;
};

}  // namespace npuwh::sort

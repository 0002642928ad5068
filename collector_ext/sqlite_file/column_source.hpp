// A column that someone else owns, as it comes in: an Arrow array, a plain buffer, or one value for all rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "decode/arrow_abi.hpp"
#include "sqlite_file/cell_block.hpp"
#include "sqlite_file/layout.hpp"

namespace npuwh::sqlite_file {

struct ColumnSource {
    enum class Kind {
        null, boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, text32, text64, blob32, blob64
    };

    Kind kind = Kind::null;
    std::int64_t length = 0;
    std::int64_t offset = 0;             // of everything below, in values
    const std::uint8_t* valid = nullptr;  // bits; nullptr: no nulls
    const void* values = nullptr;        // text and blobs: where each begins in `bytes`
    const std::uint8_t* bytes = nullptr;
    bool is_constant = false;            // the one value stands for every row
    bool none_is_null = false;           // of int64 without `valid`: -1 stands for NULL
    std::shared_ptr<const ColumnSource> dictionary;  // the values are places in it

    // The view of an Arrow array.  Throws std::invalid_argument for a type that has no column in SQLite, naming it.
    static ColumnSource of_arrow(const ArrowSchema& schema, const ArrowArray& array, const std::string& name);
    static ColumnSource of_int64(const std::int64_t* values, std::size_t length);
    static ColumnSource of_float64(const double* values, std::size_t length);

    // Where the text or blob of a row begins, and its size.
    std::pair<const std::uint8_t*, std::size_t> text(std::int64_t row) const;

    // Bytes that the values take, about.
    std::size_t size() const;

    bool is_null(std::int64_t row) const {
        const std::int64_t place = offset + row;
        return kind == Kind::null || (valid != nullptr && (valid[place / 8] >> (place % 8) & 1) == 0);
    }
};

// Writes rows [first, first + block.rows()) as cells of a column, converted as SQLite converts them for it.  Throws ConstraintFailed
// for what the column forbids and Unsupported for text that would have to become a number or a real that would have to become text.
void fill_cells(const ColumnSource& source, std::int64_t first, CellBlock& block, std::size_t place, const TableLayout& table);

}  // namespace npuwh::sqlite_file

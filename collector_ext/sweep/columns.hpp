// Plain columns of 64-bit integers: what a sweep reads and what it gives back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace npuwh {

constexpr std::int64_t kNone = -1;  // "no such id" in every column of a sweep

using Column = std::vector<std::int64_t>;

// A column that someone else owns.
class ColumnView {
public:
    ColumnView() = default;
    ColumnView(const std::int64_t* data, std::size_t size) : data_(data), size_(size) {}
    ColumnView(const Column& column) : data_(column.data()), size_(column.size()) {}  // NOLINT: views are cheap

    std::size_t size() const { return size_; }
    const std::int64_t* data() const { return data_; }
    std::int64_t operator[](std::size_t row) const { return data_[row]; }

private:
    const std::int64_t* data_ = nullptr;
    std::size_t size_ = 0;
};

// Throws std::invalid_argument("<where>: row <row> <what>"); a row counts from 0 within its feed.
[[noreturn]] void reject_row(const char* where, std::size_t row, const std::string& what);

// Throws std::invalid_argument unless `column` has `rows` values.
void require_rows(const char* where, const char* name, const ColumnView& column, std::size_t rows);

// Throws unless every slice ends at or after its start and the starts ascend, beginning at `previous_start`.
void require_sorted(const char* where, const ColumnView& start, const ColumnView& end, std::int64_t previous_start);

}  // namespace npuwh

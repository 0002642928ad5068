// Rows of typed columns, laid out as Arrow wants them and handed over without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decode/arrow_abi.hpp"

namespace npuwh {

enum class ColumnType { int64, uint64, float64, utf8 };

struct ColumnSpec {
    const char* name;
    ColumnType type = ColumnType::int64;
    bool is_nullable = false;
};

// One column being filled; which `add` fits is the column's type.
class BatchColumn {
public:
    explicit BatchColumn(const ColumnSpec& spec);

    void reserve(std::size_t rows);
    void add(std::int64_t value) {
        values_.push_back(value);
        add_valid();
    }
    void add_unsigned(std::uint64_t value) { add(static_cast<std::int64_t>(value)); }
    void add_real(double value) {
        std::int64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        add(bits);
    }
    // UTF-8; the column's texts together stay below 2^31 bytes.
    void add_text(std::string_view text);
    void add_null();
    // All rows at once, instead of `add`: eight bytes a row, and a bit a row (1: there is a value) if there are nulls.
    void assign(std::vector<std::int64_t> values, std::vector<std::uint8_t> validity, std::size_t nulls);
    void add_or_null(bool is_present, std::int64_t value) { is_present ? add(value) : add_null(); }

    std::size_t rows() const { return rows_; }
    std::size_t text_bytes() const { return text_.size(); }
    const std::string& name() const { return name_; }
    ColumnType type() const { return type_; }
    bool is_nullable() const { return is_nullable_; }
    std::size_t null_count() const { return null_count_; }

    // For tests and for reading back.
    bool is_null(std::size_t row) const { return !validity_.empty() && (validity_[row / 8] >> (row % 8) & 1) == 0; }
    std::int64_t value(std::size_t row) const { return values_[row]; }
    std::string_view text(std::size_t row) const;

    const void* validity_data() const { return validity_.empty() ? nullptr : validity_.data(); }
    const void* value_data() const;
    const void* offset_data() const { return offsets_.data(); }

private:
    void add_valid() {
        if (!validity_.empty()) {
            mark(true);
        }
        ++rows_;
    }
    void mark(bool is_valid);

    std::string name_;
    ColumnType type_;
    bool is_nullable_;
    std::size_t rows_ = 0;
    std::size_t null_count_ = 0;
    std::vector<std::uint8_t> validity_;  // empty until the first null
    std::vector<std::int64_t> values_;    // eight bytes a row, whatever the number's type
    std::vector<std::int32_t> offsets_;   // utf8 only
    std::string text_;
};

class RecordBatch {
public:
    explicit RecordBatch(const std::vector<ColumnSpec>& schema, std::size_t reserved_rows = 0);

    BatchColumn& column(std::size_t index) { return columns_[index]; }
    const BatchColumn& column(std::size_t index) const { return columns_[index]; }
    std::size_t columns() const { return columns_.size(); }
    std::size_t rows() const { return columns_.empty() ? 0 : columns_.front().rows(); }

private:
    std::vector<BatchColumn> columns_;
};

using SharedBatch = std::shared_ptr<const RecordBatch>;

// Fill the structures so that the consumer shares the batch until it releases them; may be done any number of times.
// Every column must have as many rows as the first.
void export_schema(const RecordBatch& batch, ArrowSchema* out);
void export_array(const SharedBatch& batch, ArrowArray* out);

}  // namespace npuwh

#include "sort/packed_columns.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace npuwh::sort {
namespace {

using Form = PackedColumns::Form;

constexpr std::size_t kAlignment = 8;

std::size_t aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

std::uint64_t distance(std::int64_t least, std::int64_t value) {
    return static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(least);
}

std::uint32_t width_of(std::uint64_t span) {
    return span == 0 ? 0 : span <= UINT8_MAX ? 1 : span <= UINT16_MAX ? 2 : span <= UINT32_MAX ? 4 : 8;
}

void measure_values(const std::int64_t* values, std::size_t rows, Form& form) {
    // several at a time: each comparison would else wait for the one before
    constexpr std::size_t lanes = 4;
    std::int64_t least[lanes];
    std::int64_t most[lanes];
    std::fill_n(least, lanes, std::numeric_limits<std::int64_t>::max());
    std::fill_n(most, lanes, std::numeric_limits<std::int64_t>::min());
    std::size_t row = 0;
    for (; row + lanes <= rows; row += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            least[lane] = std::min(least[lane], values[row + lane]);
            most[lane] = std::max(most[lane], values[row + lane]);
        }
    }
    for (; row < rows; ++row) {
        least[0] = std::min(least[0], values[row]);
        most[0] = std::max(most[0], values[row]);
    }
    form.least = *std::min_element(least, least + lanes);
    form.most = *std::max_element(most, most + lanes);
}

Form measure(const WordColumn& column, std::size_t first, std::size_t rows) {
    Form form;
    if (column.kind == WordColumn::Kind::null) {
        form.nulls = static_cast<std::uint32_t>(rows);
    } else if (column.kind == WordColumn::Kind::constant) {
        form.least = form.most = *column.values;
    } else if (column.may_have_nulls()) {
        form.least = std::numeric_limits<std::int64_t>::max();
        form.most = std::numeric_limits<std::int64_t>::min();
        for (std::size_t row = first; row < first + rows; ++row) {
            if (column.is_null(row)) {
                ++form.nulls;
            } else {
                form.least = std::min(form.least, column.values[row]);
                form.most = std::max(form.most, column.values[row]);
            }
        }
    } else if (rows > 0) {
        measure_values(column.values + first, rows, form);
    }
    if (form.nulls == rows) {
        form.least = form.most = 0;
    }
    form.width = width_of(distance(form.least, form.most));
    return form;
}

template <class Width>
void write_distances(const std::int64_t* values, std::size_t rows, std::int64_t least, std::uint8_t* out) {
    for (std::size_t row = 0; row < rows; ++row) {
        const auto packed = static_cast<Width>(distance(least, values[row]));
        std::memcpy(out + row * sizeof packed, &packed, sizeof packed);
    }
}

void write_values(const std::int64_t* values, std::size_t rows, const Form& form, std::uint8_t* out) {
    switch (form.width) {
        case 1:
            return write_distances<std::uint8_t>(values, rows, form.least, out);
        case 2:
            return write_distances<std::uint16_t>(values, rows, form.least, out);
        case 4:
            return write_distances<std::uint32_t>(values, rows, form.least, out);
        case 8:
            return write_distances<std::uint64_t>(values, rows, form.least, out);
        default:
            return;
    }
}

template <class Width>
void read_distances(const std::uint8_t* packed, std::size_t rows, std::int64_t least, std::int64_t* out) {
    for (std::size_t row = 0; row < rows; ++row) {
        Width value;
        std::memcpy(&value, packed + row * sizeof value, sizeof value);
        out[row] = static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + value);
    }
}

}  // namespace

void ColumnPacker::add(const WordColumn& column, std::size_t first) {
    Form form = measure(column, first, rows_);
    form.values = static_cast<std::uint32_t>(data_.size());
    data_.resize(data_.size() + aligned(rows_ * form.width));
    if (form.width > 0) {
        write_values(column.values + first, rows_, form, data_.data() + form.values);
    }
    if (form.nulls > 0 && form.nulls < rows_) {
        form.validity = static_cast<std::uint32_t>(data_.size());
        data_.resize(data_.size() + aligned((rows_ + 7) / 8));
        std::uint8_t* const bits = data_.data() + form.validity;
        for (std::size_t row = 0; row < rows_; ++row) {
            if (!column.is_null(first + row)) {
                bits[row / 8] = static_cast<std::uint8_t>(bits[row / 8] | 1U << (row % 8));
            } else {
                std::memset(data_.data() + form.values + row * form.width, 0, form.width);
            }
        }
    }
    std::memcpy(data_.data() + added_++ * sizeof form, &form, sizeof form);
}

SharedColumns ColumnPacker::finish() {
    data_.shrink_to_fit();
    return std::make_shared<const PackedColumns>(std::move(data_), rows_);
}

SharedColumns PackedColumns::pack(const std::vector<WordColumn>& columns, std::size_t first, std::size_t rows) {
    ColumnPacker packer(columns.size(), rows);
    for (const WordColumn& column : columns) {
        packer.add(column, first);
    }
    return packer.finish();
}

void PackedColumns::copy_values(std::size_t column, std::size_t first, std::size_t count, std::int64_t* out) const {
    const Form& found = form(column);
    const std::uint8_t* const packed = data_.data() + found.values + first * found.width;
    switch (found.width) {
        case 1:
            return read_distances<std::uint8_t>(packed, count, found.least, out);
        case 2:
            return read_distances<std::uint16_t>(packed, count, found.least, out);
        case 4:
            return read_distances<std::uint32_t>(packed, count, found.least, out);
        case 8:
            return read_distances<std::uint64_t>(packed, count, found.least, out);
        default:
            std::fill_n(out, count, found.least);
    }
}

}  // namespace npuwh::sort

#include "sqlite_file/record.hpp"

#include <algorithm>

namespace npuwh::sqlite_file {
namespace {

int rank_of(const Cell& cell) {
    if (cell.serial == kNull) {
        return 0;
    }
    return cell.serial <= kOne ? 1 : cell.serial == kText ? 2 : 3;
}

// Exact: not every int64 is a double.
int compare_mixed(std::int64_t integer, double real) {
    if (real >= 9223372036854775808.0) {
        return -1;
    }
    if (real < -9223372036854775808.0) {
        return 1;
    }
    const auto whole = static_cast<std::int64_t>(real);
    if (integer != whole) {
        return integer < whole ? -1 : 1;
    }
    const double rest = real - static_cast<double>(whole);
    return rest > 0 ? -1 : rest < 0 ? 1 : 0;
}

template <class Number>
int compare_numbers(Number left, Number right) {
    return left < right ? -1 : right < left ? 1 : 0;
}

}  // namespace

Cell RecordReader::next() {
    std::uint64_t serial = 0;
    header_ = get_varint(header_, serial);
    if (serial >= kBlob) {
        const std::size_t size = static_cast<std::size_t>((serial - kBlob) / 2);
        const Cell cell = bytes_cell(serial % 2 == 0 ? kBlob : kText, body_, size);
        body_ += size;
        return cell;
    }
    Cell cell{static_cast<std::uint8_t>(serial), 0, 0};
    if (serial >= kZero) {
        cell.word = serial - kZero;
        return cell;
    }
    const std::size_t size = kBodySize[serial];
    if (size > 0) {
        std::uint64_t word = (*body_ & 128U) != 0 && serial != kReal ? ~std::uint64_t{0} : 0;
        for (std::size_t place = 0; place < size; ++place) {
            word = word << 8 | body_[place];
        }
        cell.word = word;
        body_ += size;
    }
    return cell;
}

int compare_cells(const Cell& left, const Cell& right) {
    const int left_rank = rank_of(left);
    const int right_rank = rank_of(right);
    if (left_rank != right_rank) {
        return left_rank - right_rank;
    }
    if (left_rank == 0) {
        return 0;
    }
    if (left_rank > 1) {
        const std::size_t shared = std::min(left.size, right.size);
        const int order = shared == 0 ? 0 : std::memcmp(left.bytes(), right.bytes(), shared);
        return order != 0 ? order : compare_numbers(left.size, right.size);
    }
    if (left.serial == kReal) {
        return right.serial == kReal ? compare_numbers(left.real(), right.real()) : -compare_mixed(right.integer(), left.real());
    }
    return right.serial == kReal ? compare_mixed(left.integer(), right.real()) : compare_numbers(left.integer(), right.integer());
}

int compare_records(const std::uint8_t* left, const std::uint8_t* right) {
    RecordReader one(left);
    RecordReader other(right);
    while (!one.done() && !other.done()) {
        const int order = compare_cells(one.next(), other.next());
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

std::size_t equal_values(const std::uint8_t* left, const std::uint8_t* right, std::size_t columns) {
    RecordReader one(left);
    RecordReader other(right);
    for (std::size_t column = 0; column < columns; ++column) {
        if (compare_cells(one.next(), other.next()) != 0) {
            return column;
        }
    }
    return columns;
}

std::uint64_t order_prefix(const Cell& cell) {
    const auto rank = static_cast<std::uint64_t>(rank_of(cell)) << 62;
    if (rank_of(cell) == 0) {
        return 0;
    }
    std::uint64_t word = 0;
    if (cell.serial <= kOne) {
        double value = cell.serial == kReal ? cell.real() : static_cast<double>(cell.integer());
        value = value == 0 ? 0 : value;  // -0.0 equals 0.0
        std::memcpy(&word, &value, sizeof value);
        word = (word >> 63) != 0 ? ~word : word | std::uint64_t{1} << 63;
    } else if (cell.size > 0) {
        std::memcpy(&word, cell.bytes(), std::min<std::size_t>(cell.size, sizeof word));
        word = big_endian(word);
    }
    return rank | word >> 2;
}

RecordSize record_size(const Cell* cells, std::size_t columns) {
    std::size_t header = 1 + columns;
    std::size_t body = 0;
    for (std::size_t column = 0; column < columns; ++column) {
        const Cell& cell = cells[column];
        if (cell.serial <= kOne) {
            body += kBodySize[cell.serial];
        } else {
            header += varint_size(cell.serial + 2 * std::uint64_t{cell.size}) - 1;
            body += cell.size;
        }
    }
    header += header < 128 ? 0 : header + 1 < 16384 ? 1 : 2;
    return {header, header + body};
}

void append_record(std::vector<std::uint8_t>& out, const Cell* cells, std::size_t columns) {
    constexpr std::size_t scribble = 8;
    const RecordSize size = record_size(cells, columns);
    const std::size_t start = out.size();
    out.resize(start + size.total + scribble);
    std::uint8_t* end = out.data() + start + scribble + size.total;
    const std::uint8_t* begin = put_record_before(end, cells, columns, size.header);
    std::memmove(out.data() + start, begin, size.total);
    out.resize(start + size.total);
}

}  // namespace npuwh::sqlite_file

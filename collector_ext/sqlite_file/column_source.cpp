#include "sqlite_file/column_source.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "sqlite_file/errors.hpp"

namespace npuwh::sqlite_file {
namespace {

using Kind = ColumnSource::Kind;
constexpr std::size_t kLongestValue = 1'000'000'000;  // SQLite's own limit

struct Format {
    const char* text;
    Kind kind;
};
constexpr Format kFormats[] = {
    {"n", Kind::null},    {"b", Kind::boolean}, {"c", Kind::int8},    {"s", Kind::int16},   {"i", Kind::int32},  {"l", Kind::int64},
    {"C", Kind::uint8},   {"S", Kind::uint16},  {"I", Kind::uint32},  {"L", Kind::uint64},  {"f", Kind::float32}, {"g", Kind::float64},
    {"u", Kind::text32},  {"U", Kind::text64},  {"z", Kind::blob32},  {"Z", Kind::blob64}};

// One column of a block while it is filled.
class Filling {
public:
    Filling(CellBlock& block, std::size_t place, const TableLayout& table)
        : block_(block), place_(place), table_(table), column_(table.columns[place]), affinity_(column_.affinity) {}

    Affinity affinity() const { return affinity_; }

    void null(std::size_t row) {
        has_null_ = true;
        block_.set_number(row, place_, kNull, 0);
    }

    void plain_integer(std::size_t row, std::int64_t value) {
        block_.set_number(row, place_, integer_serial(value), static_cast<std::uint64_t>(value));
    }

    void integer(std::size_t row, std::int64_t value) {
        if (affinity_ == Affinity::real) {
            real_column(row, value, static_cast<double>(value));
        } else if (affinity_ == Affinity::text) {
            char text[24];
            const auto size = static_cast<std::size_t>(std::to_chars(text, text + sizeof text, value).ptr - text);
            block_.set_bytes(row, place_, kText, block_.keep(text, size), size);
        } else if (affinity_ == Affinity::strict_blob) {
            refuse("INTEGER");
        } else {
            plain_integer(row, value);
        }
    }

    void real(std::size_t row, double value) {
        if (std::isnan(value)) {
            null(row);
        } else if (affinity_ == Affinity::text) {
            unsupported("a real number in TEXT");
        } else if (affinity_ == Affinity::strict_blob) {
            refuse("REAL");
        } else if (affinity_ == Affinity::none) {
            plain_real(row, value);
        } else {
            // a number without fraction is kept as an integer, except the two at the ends (SQLite's rule)
            constexpr double limit = 9223372036854775808.0;
            const bool in_range = value > -limit && value < limit;
            const std::int64_t whole = in_range ? static_cast<std::int64_t>(value) : 0;
            if (in_range && static_cast<double>(whole) == value) {
                affinity_ == Affinity::real ? real_column(row, whole, value) : plain_integer(row, whole);
            } else if (column_.is_strict_integer) {
                refuse("REAL");
            } else {
                plain_real(row, value);
            }
        }
    }

    void bytes(std::size_t row, Serial kind, const std::uint8_t* bytes, std::size_t size) {
        if (size > kLongestValue) {
            throw ConstraintFailed("a value of " + std::to_string(size) + " bytes is too long for column " + name());
        }
        const bool is_number = affinity_ == Affinity::integer || affinity_ == Affinity::real || affinity_ == Affinity::numeric;
        if (kind == kText && is_number) {
            table_.is_strict ? refuse("TEXT") : unsupported("text in a numeric column");
        }
        if (table_.is_strict && (kind == kText ? affinity_ == Affinity::strict_blob : is_number || affinity_ == Affinity::text)) {
            refuse(kind == kText ? "TEXT" : "BLOB");
        }
        block_.set_bytes(row, place_, kind, bytes, size);
    }

    void end() const {
        if (has_null_ && column_.is_required) {
            throw ConstraintFailed("NOT NULL constraint failed: " + name());
        }
    }

    [[noreturn]] void refuse(const char* type) const {
        throw ConstraintFailed(std::string("cannot store ") + type + " value in column " + name());
    }

private:
    std::string name() const { return table_.name + "." + column_.name; }
    [[noreturn]] void unsupported(const char* what) const {
        throw Unsupported(std::string(what) + " is not converted; give column " + name() + " values of its type");
    }

    void plain_real(std::size_t row, double value) {
        std::uint64_t word = 0;
        std::memcpy(&word, &value, sizeof word);
        block_.set_number(row, place_, kReal, word);
    }

    // REAL columns hold whole numbers as integers, if that is shorter.
    void real_column(std::size_t row, std::int64_t whole, double value) {
        if (integer_serial(whole) == kInt64) {
            plain_real(row, value);
        } else {
            plain_integer(row, whole);
        }
    }

    CellBlock& block_;
    std::size_t place_;
    const TableLayout& table_;
    const ColumnLayout& column_;
    Affinity affinity_;
    bool has_null_ = false;
};

// Calls fill(row of the block, place in the source's values) for what is not null.
template <class Fill>
void each_row(const ColumnSource& source, std::int64_t first, std::size_t rows, Filling& filling, Fill fill) {
    const std::int64_t step = source.is_constant ? 0 : 1;
    std::int64_t place = source.is_constant ? 0 : first;
    if (source.valid == nullptr) {
        place += source.offset;
        for (std::size_t row = 0; row < rows; ++row, place += step) {
            fill(row, place);
        }
        return;
    }
    for (std::size_t row = 0; row < rows; ++row, place += step) {
        if (source.is_null(place)) {
            filling.null(row);
        } else {
            fill(row, source.offset + place);
        }
    }
}

template <class Number>
void fill_integers(const ColumnSource& source, std::int64_t first, std::size_t rows, Filling& filling) {
    const auto* values = static_cast<const Number*>(source.values);
    const Affinity affinity = filling.affinity();
    if (affinity == Affinity::integer || affinity == Affinity::numeric || affinity == Affinity::none) {
        each_row(source, first, rows, filling, [&](std::size_t row, std::int64_t place) {
            filling.plain_integer(row, static_cast<std::int64_t>(values[place]));
        });
    } else {
        each_row(source, first, rows, filling, [&](std::size_t row, std::int64_t place) {
            filling.integer(row, static_cast<std::int64_t>(values[place]));
        });
    }
}

template <class Number>
void fill_reals(const ColumnSource& source, std::int64_t first, std::size_t rows, Filling& filling) {
    const auto* values = static_cast<const Number*>(source.values);
    each_row(source, first, rows, filling,
             [&](std::size_t row, std::int64_t place) { filling.real(row, static_cast<double>(values[place])); });
}

void fill_where_not_none(const ColumnSource& source, std::int64_t first, std::size_t rows, Filling& filling) {
    const auto* values = static_cast<const std::int64_t*>(source.values);
    each_row(source, first, rows, filling, [&](std::size_t row, std::int64_t place) {
        values[place] == -1 ? filling.null(row) : filling.integer(row, values[place]);
    });
}

template <class Offset>
void fill_bytes(const ColumnSource& source, std::int64_t first, std::size_t rows, Filling& filling, Serial kind) {
    const auto* starts = static_cast<const Offset*>(source.values);
    each_row(source, first, rows, filling, [&](std::size_t row, std::int64_t place) {
        filling.bytes(row, kind, source.bytes + starts[place], static_cast<std::size_t>(starts[place + 1] - starts[place]));
    });
}

void fill(const ColumnSource& source, std::int64_t first, std::size_t rows, Filling& filling);

std::int64_t place_in_dictionary(const ColumnSource& source, std::int64_t place) {
    switch (source.kind) {
        case Kind::int8: return static_cast<const std::int8_t*>(source.values)[place];
        case Kind::int16: return static_cast<const std::int16_t*>(source.values)[place];
        case Kind::int32: return static_cast<const std::int32_t*>(source.values)[place];
        case Kind::int64: return static_cast<const std::int64_t*>(source.values)[place];
        case Kind::uint8: return static_cast<const std::uint8_t*>(source.values)[place];
        case Kind::uint16: return static_cast<const std::uint16_t*>(source.values)[place];
        case Kind::uint32: return static_cast<const std::uint32_t*>(source.values)[place];
        case Kind::uint64: return static_cast<std::int64_t>(static_cast<const std::uint64_t*>(source.values)[place]);
        default: throw std::invalid_argument("a dictionary without whole numbers for places");
    }
}

void fill_dictionary(const ColumnSource& source, std::int64_t first, std::size_t rows, Filling& filling) {
    const ColumnSource& words = *source.dictionary;
    each_row(source, first, rows, filling, [&](std::size_t row, std::int64_t place) {
        const std::int64_t word = place_in_dictionary(source, place);
        if (word < 0 || word >= words.length) {
            throw std::invalid_argument("a place outside its dictionary");
        }
        if (words.is_null(word)) {
            filling.null(row);
            return;
        }
        const std::int64_t found = words.offset + word;
        switch (words.kind) {
            case Kind::text32:
            case Kind::text64:
            case Kind::blob32:
            case Kind::blob64: {
                const auto [begin, size] = words.text(word);
                filling.bytes(row, words.kind == Kind::text32 || words.kind == Kind::text64 ? kText : kBlob, begin, size);
                break;
            }
            case Kind::int64: filling.integer(row, static_cast<const std::int64_t*>(words.values)[found]); break;
            case Kind::float64: filling.real(row, static_cast<const double*>(words.values)[found]); break;
            default: throw std::invalid_argument("a dictionary of another type than text, binary, int64 and double");
        }
    });
}

void fill(const ColumnSource& source, std::int64_t first, std::size_t rows, Filling& filling) {
    switch (source.kind) {
        case Kind::null:
            for (std::size_t row = 0; row < rows; ++row) {
                filling.null(row);
            }
            break;
        case Kind::boolean:
            each_row(source, first, rows, filling, [&](std::size_t row, std::int64_t place) {
                filling.integer(row, static_cast<const std::uint8_t*>(source.values)[place / 8] >> (place % 8) & 1);
            });
            break;
        case Kind::int8: fill_integers<std::int8_t>(source, first, rows, filling); break;
        case Kind::int16: fill_integers<std::int16_t>(source, first, rows, filling); break;
        case Kind::int32: fill_integers<std::int32_t>(source, first, rows, filling); break;
        case Kind::int64:
            source.none_is_null ? fill_where_not_none(source, first, rows, filling) : fill_integers<std::int64_t>(source, first, rows, filling);
            break;
        case Kind::uint8: fill_integers<std::uint8_t>(source, first, rows, filling); break;
        case Kind::uint16: fill_integers<std::uint16_t>(source, first, rows, filling); break;
        case Kind::uint32: fill_integers<std::uint32_t>(source, first, rows, filling); break;
        case Kind::uint64:
            each_row(source, first, rows, filling, [&](std::size_t row, std::int64_t place) {
                const std::uint64_t value = static_cast<const std::uint64_t*>(source.values)[place];
                if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
                    filling.refuse("unsigned 64-bit");
                }
                filling.integer(row, static_cast<std::int64_t>(value));
            });
            break;
        case Kind::float32: fill_reals<float>(source, first, rows, filling); break;
        case Kind::float64: fill_reals<double>(source, first, rows, filling); break;
        case Kind::text32: fill_bytes<std::int32_t>(source, first, rows, filling, kText); break;
        case Kind::text64: fill_bytes<std::int64_t>(source, first, rows, filling, kText); break;
        case Kind::blob32: fill_bytes<std::int32_t>(source, first, rows, filling, kBlob); break;
        case Kind::blob64: fill_bytes<std::int64_t>(source, first, rows, filling, kBlob); break;
    }
}

}  // namespace

ColumnSource ColumnSource::of_arrow(const ArrowSchema& schema, const ArrowArray& array, const std::string& name) {
    ColumnSource source;
    bool is_known = false;
    for (const Format& format : kFormats) {
        if (std::strcmp(schema.format, format.text) == 0) {
            source.kind = format.kind;
            is_known = true;
        }
    }
    if (!is_known) {
        throw std::invalid_argument(name + ": Arrow type '" + schema.format + "' has no column in SQLite; cast it first");
    }
    source.length = array.length;
    source.offset = array.offset;
    if (source.kind != Kind::null) {
        source.valid = array.null_count == 0 ? nullptr : static_cast<const std::uint8_t*>(array.buffers[0]);
        source.values = array.buffers[1];
        static const std::uint8_t nothing = 0;  // Arrow gives no bytes where all are empty
        source.bytes = array.n_buffers > 2 ? static_cast<const std::uint8_t*>(array.buffers[2]) : nullptr;
        source.bytes = source.bytes == nullptr ? &nothing : source.bytes;
    }
    if (schema.dictionary != nullptr) {
        source.dictionary = std::make_shared<const ColumnSource>(of_arrow(*schema.dictionary, *array.dictionary, name));
    }
    return source;
}

std::pair<const std::uint8_t*, std::size_t> ColumnSource::text(std::int64_t row) const {
    const std::int64_t place = offset + row;
    if (kind == Kind::text32 || kind == Kind::blob32) {
        const auto* starts = static_cast<const std::int32_t*>(values) + place;
        return {bytes + starts[0], static_cast<std::size_t>(starts[1] - starts[0])};
    }
    const auto* starts = static_cast<const std::int64_t*>(values) + place;
    return {bytes + starts[0], static_cast<std::size_t>(starts[1] - starts[0])};
}

std::size_t ColumnSource::size() const {
    const bool has_text = kind == Kind::text32 || kind == Kind::text64 || kind == Kind::blob32 || kind == Kind::blob64;
    std::size_t size = static_cast<std::size_t>(length) * sizeof(std::int64_t) + (dictionary == nullptr ? 0 : dictionary->size());
    if (has_text && length > 0) {
        const auto [last, last_size] = text(length - 1);
        size += static_cast<std::size_t>(last - text(0).first) + last_size;
    }
    return size;
}

ColumnSource ColumnSource::of_int64(const std::int64_t* values, std::size_t length) {
    ColumnSource source;
    source.kind = Kind::int64;
    source.length = static_cast<std::int64_t>(length);
    source.values = values;
    return source;
}

ColumnSource ColumnSource::of_float64(const double* values, std::size_t length) {
    ColumnSource source;
    source.kind = Kind::float64;
    source.length = static_cast<std::int64_t>(length);
    source.values = values;
    return source;
}

void fill_cells(const ColumnSource& source, std::int64_t first, CellBlock& block, std::size_t place, const TableLayout& table) {
    Filling filling(block, place, table);
    if (source.dictionary != nullptr) {
        fill_dictionary(source, first, block.rows(), filling);
    } else {
        fill(source, first, block.rows(), filling);
    }
    filling.end();
}

}  // namespace npuwh::sqlite_file

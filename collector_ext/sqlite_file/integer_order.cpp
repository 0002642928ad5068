#include "sqlite_file/integer_order.hpp"

#include <algorithm>
#include <utility>

namespace npuwh::sqlite_file {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

unsigned bit_width(std::uint64_t value) { return value == 0 ? 0 : 64 - static_cast<unsigned>(__builtin_clzll(value)); }

using Field = PackedField;

Field measure(const IntegerColumns& columns, std::size_t column, std::size_t begin, std::size_t end) {
    Field field;
    if (columns.nulls[column].size() == 0) {
        columns.values[column].visit(begin, end, [&](const std::int64_t* values, std::size_t count) {
            for (std::size_t place = 0; place < count; ++place) {
                const std::uint64_t word = biased(values[place]);
                field.low = std::min(field.low, word);
                field.high = std::max(field.high, word);
            }
        });
    } else {
        for (std::size_t place = begin; place < end; ++place) {
            if (columns.is_null(column, place)) {
                field.has_null = 1;
            } else {
                const std::uint64_t word = biased(columns.values[column][place]);
                field.low = std::min(field.low, word);
                field.high = std::max(field.high, word);
            }
        }
    }
    if (field.low > field.high) {  // all NULL
        field.low = field.high = 0;
        field.is_all_null = field.has_null != 0;
        field.has_null = 0;
    }
    const bool is_too_wide = field.high - field.low == kAll && field.has_null != 0;
    field.bits = is_too_wide ? 65 : bit_width(field.high - field.low + field.has_null);
    return field;
}

void radix_sort(std::vector<std::uint64_t>& keys, unsigned low_bit, unsigned bits) {
    constexpr unsigned most_bits = 11;
    const unsigned passes = (bits + most_bits - 1) / most_bits;
    if (passes == 0) {
        return;
    }
    const unsigned digit_bits = (bits + passes - 1) / passes;
    const std::uint64_t mask = (std::uint64_t{1} << digit_bits) - 1;
    std::vector<std::uint64_t> other(keys.size());
    std::vector<std::size_t> starts(mask + 1);
    for (unsigned shift = low_bit; shift < low_bit + bits; shift += digit_bits) {
        std::fill(starts.begin(), starts.end(), 0);
        for (const std::uint64_t key : keys) {
            ++starts[key >> shift & mask];
        }
        std::size_t start = 0;
        for (std::size_t& each : starts) {
            const std::size_t count = each;
            each = start;
            start += count;
        }
        for (const std::uint64_t key : keys) {
            other[starts[key >> shift & mask]++] = key;
        }
        keys.swap(other);
    }
}

// Fields of the columns and how many bits they take; more than 64: they do not fit one number.
struct Packing {
    std::vector<Field> fields;
    unsigned bits = 0;

    std::vector<std::uint64_t> pack(const IntegerColumns& columns, std::size_t begin, std::size_t end) const {
        std::vector<std::uint64_t> keys(end - begin);
        for (std::size_t column = 0; column < fields.size(); ++column) {
            const Field field = fields[column];
            const unsigned shift = field.bits == 64 ? 0 : field.bits;  // 64: the other fields are all without bits
            const std::uint64_t surplus = field.has_null - field.low;
            std::uint64_t* key = keys.data();
            if (columns.nulls[column].size() == 0) {
                columns.values[column].visit(begin, end, [&](const std::int64_t* values, std::size_t count) {
                    for (std::size_t place = 0; place < count; ++place) {
                        key[place] = key[place] << shift | (biased(values[place]) + surplus);
                    }
                    key += count;
                });
                continue;
            }
            for (std::size_t place = begin; place < end; ++place, ++key) {
                const bool is_null = columns.is_null(column, place);
                *key = *key << shift | (is_null ? 0 : biased(columns.values[column][place]) + surplus);
            }
        }
        return keys;
    }
};

// Packed keys with their places in the low bits: read one after the other, nothing is looked up but odd rowids.
class PackedKeys : public IntegerKeys {
public:
    PackedKeys(const IntegerColumns& columns, Packing packing, std::vector<std::uint64_t> keys, std::size_t begin, unsigned place_bits)
        : columns_(columns), keys_(std::move(keys)), begin_(begin) {
        unsigned shift = place_bits;
        for (std::size_t column = packing.fields.size(); column > 0; --column) {
            packing.fields[column - 1].shift = shift;
            shift += packing.fields[column - 1].bits;
        }
        form_ = {std::move(packing.fields), (std::uint64_t{1} << place_bits) - 1, columns.first_rowid + static_cast<std::int64_t>(begin)};
    }

    std::size_t take(IntegerKey* out, std::size_t most) override {
        const std::size_t count = std::min(most, keys_.size() - taken_);
        for (std::size_t number = 0; number < count; ++number) {
            const std::uint64_t key = keys_[taken_ + number];
            form_.unpack(key, out[number]);
            if (columns_.rowids.size() > 0) {
                out[number].rowid = columns_.rowid(begin_ + (key & form_.place_mask));
            }
        }
        taken_ += count;
        return count;
    }

    const std::vector<std::uint64_t>* packed(PackedForm& form) const override {
        form = form_;
        return columns_.rowids.size() == 0 ? &keys_ : nullptr;
    }

private:
    const IntegerColumns columns_;
    std::vector<std::uint64_t> keys_;
    std::size_t begin_;
    PackedForm form_;
    std::size_t taken_ = 0;
};

// Places in order; the columns are looked up.
class PlacedKeys : public IntegerKeys {
public:
    PlacedKeys(const IntegerColumns& columns, std::vector<std::uint32_t> places, std::size_t begin)
        : columns_(columns), places_(std::move(places)), begin_(begin) {}

    std::size_t take(IntegerKey* out, std::size_t most) override {
        const std::size_t count = std::min(most, places_.size() - taken_);
        for (std::size_t number = 0; number < count; ++number) {
            const std::size_t place = begin_ + places_[taken_ + number];
            IntegerKey& entry = out[number];
            entry.nulls = 0;
            for (std::size_t column = 0; column < columns_.values.size(); ++column) {
                entry.words[column] = columns_.word(column, place);
                entry.nulls |= std::uint64_t{columns_.is_null(column, place)} << column;
            }
            entry.rowid = columns_.rowid(place);
        }
        taken_ += count;
        return count;
    }

private:
    const IntegerColumns columns_;
    std::vector<std::uint32_t> places_;
    std::size_t begin_;
    std::size_t taken_ = 0;
};

bool rowids_ascend(const IntegerColumns& columns, std::size_t begin, std::size_t end) {
    for (std::size_t place = begin + 1; columns.rowids.size() > 0 && place < end; ++place) {
        if (columns.rowids[place] < columns.rowids[place - 1]) {
            return false;
        }
    }
    return true;
}

// Any width, any rowids.
std::vector<std::uint32_t> compared_places(const IntegerColumns& columns, std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> places(end - begin);
    for (std::size_t place = 0; place < places.size(); ++place) {
        places[place] = static_cast<std::uint32_t>(place);
    }
    const auto before = [&](std::uint32_t left, std::uint32_t right) {
        const std::size_t one = begin + left;
        const std::size_t other = begin + right;
        for (std::size_t column = 0; column < columns.values.size(); ++column) {
            const bool is_null = columns.is_null(column, one);
            if (is_null != columns.is_null(column, other)) {
                return is_null;
            }
            const std::uint64_t word = columns.word(column, one);
            const std::uint64_t other_word = columns.word(column, other);
            if (word != other_word) {
                return word < other_word;
            }
        }
        return columns.rowid(one) < columns.rowid(other);
    };
    if (!std::is_sorted(places.begin(), places.end(), before)) {
        std::sort(places.begin(), places.end(), before);
    }
    return places;
}

}  // namespace

std::unique_ptr<IntegerKeys> order_integers(const IntegerColumns& columns, std::size_t begin, std::size_t end) {
    Packing packing;
    for (std::size_t column = 0; column < columns.values.size(); ++column) {
        packing.fields.push_back(measure(columns, column, begin, end));
        packing.bits += packing.fields.back().bits;
    }
    if (begin == end || packing.bits > 64 || !rowids_ascend(columns, begin, end)) {
        return std::make_unique<PlacedKeys>(columns, compared_places(columns, begin, end), begin);
    }
    const unsigned place_bits = bit_width(end - begin - 1);
    if (packing.bits + place_bits <= 64) {
        std::vector<std::uint64_t> keys = packing.pack(columns, begin, end);
        bool is_sorted = true;
        std::uint64_t last = 0;
        for (std::size_t place = 0; place < keys.size(); ++place) {
            keys[place] = keys[place] << place_bits | place;
            is_sorted = is_sorted && last <= keys[place];
            last = keys[place];
        }
        if (!is_sorted) {
            radix_sort(keys, place_bits, packing.bits);
        }
        return std::make_unique<PackedKeys>(columns, std::move(packing), std::move(keys), begin, place_bits);
    }
    const std::vector<std::uint64_t> keys = packing.pack(columns, begin, end);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs(keys.size());
    for (std::size_t place = 0; place < keys.size(); ++place) {
        pairs[place] = {keys[place], static_cast<std::uint32_t>(place)};
    }
    if (!std::is_sorted(pairs.begin(), pairs.end())) {
        std::sort(pairs.begin(), pairs.end());
    }
    std::vector<std::uint32_t> places(pairs.size());
    for (std::size_t place = 0; place < pairs.size(); ++place) {
        places[place] = pairs[place].second;
    }
    return std::make_unique<PlacedKeys>(columns, std::move(places), begin);
}

}  // namespace npuwh::sqlite_file

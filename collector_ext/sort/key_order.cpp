#include "sort/key_order.hpp"

#include <algorithm>
#include <numeric>

namespace npuwh::sort {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kPlaceMask = kMostPlaces - 1;

unsigned bit_width(std::uint64_t value) { return value == 0 ? 0 : 64 - static_cast<unsigned>(__builtin_clzll(value)); }

// Smallest value of a key in all parts, as `rising` gives it, and the bits that the distances from it take.
struct Field {
    std::int64_t least;
    unsigned bits;
};

Field measure(const std::vector<SharedColumns>& parts, const Key& key) {
    std::int64_t least = INT64_MAX;
    std::int64_t most = INT64_MIN;
    for (const SharedColumns& part : parts) {
        const PackedColumns::Form& form = part->form(key.column);
        least = std::min({least, key.rising(form.least), key.rising(form.most)});
        most = std::max({most, key.rising(form.least), key.rising(form.most)});
    }
    return {least, bit_width(static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least))};
}

constexpr std::size_t kInserted = 16;

// Sorts stretches of a few words each; words that are nearly in order move little.
template <class Word>
void insert_stretches(std::vector<Word>& words) {
    for (std::size_t begin = 0; begin < words.size(); begin += kInserted) {
        const std::size_t end = std::min(begin + kInserted, words.size());
        for (std::size_t place = begin + 1; place < end; ++place) {
            const Word word = words[place];
            std::size_t free = place;
            for (; free > begin && word < words[free - 1]; --free) {
                words[free] = words[free - 1];
            }
            words[free] = word;
        }
    }
}

// Merges stretches of a growing length; what stands right already is not touched.  All words differ.
template <class Word>
void sort_words(std::vector<Word>& words) {
    insert_stretches(words);
    std::vector<Word> left;
    for (std::size_t length = kInserted; length < words.size(); length *= 2) {
        for (std::size_t begin = 0; begin + length < words.size(); begin += 2 * length) {
            Word* const middle = words.data() + begin + length;
            Word* const end = words.data() + std::min(begin + 2 * length, words.size());
            if (middle[-1] < *middle) {
                continue;
            }
            Word* out = std::upper_bound(words.data() + begin, middle, *middle);
            const Word* const last = std::lower_bound(middle, end, middle[-1]);
            left.assign(out, middle);
            const Word* one = left.data();
            const Word* const one_end = one + left.size();
            const Word* other = middle;
            while (other != last) {  // the last of the left ones is larger than these
                const bool takes_other = *other < *one;
                *out++ = takes_other ? *other : *one;
                other += takes_other ? 1 : 0;
                one += takes_other ? 0 : 1;
            }
            std::copy(one, one_end, out);
        }
    }
}

// All keys of a row and its place in one number.
template <class Word>
std::vector<std::uint32_t> packed_order(const std::vector<SharedColumns>& parts, const std::vector<Key>& keys,
                                        const std::vector<Field>& fields, std::size_t rows) {
    std::vector<Word> words(rows, 0);
    std::vector<std::int64_t> values(rows);
    for (std::size_t number = 0; number < keys.size(); ++number) {
        const Field& field = fields[number];
        if (field.bits == 0) {
            continue;
        }
        std::int64_t* out = values.data();
        for (const SharedColumns& part : parts) {
            part->copy_values(keys[number].column, 0, part->rows(), out);
            out += part->rows();
        }
        const auto least = static_cast<std::uint64_t>(field.least);
        const unsigned shift = field.bits < 8 * sizeof(Word) ? field.bits : 0;  // of all bits: there is nothing before it
        for (std::size_t row = 0; row < rows; ++row) {
            words[row] = words[row] << shift | static_cast<Word>(static_cast<std::uint64_t>(keys[number].rising(values[row])) - least);
        }
    }
    bool is_sorted = true;
    for (std::size_t row = 1; row < rows && is_sorted; ++row) {
        is_sorted = words[row - 1] <= words[row];
    }
    if (is_sorted) {
        return {};
    }
    for (std::size_t row = 0; row < rows; ++row) {
        words[row] = words[row] << kPlaceBits | static_cast<Word>(row);
    }
    sort_words(words);
    std::vector<std::uint32_t> places(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        places[row] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(words[row]) & kPlaceMask);
    }
    return places;
}

// Keys of any width, compared one after the other.
std::vector<std::uint32_t> compared_order(const std::vector<SharedColumns>& parts, const std::vector<Key>& keys, std::size_t rows) {
    std::vector<std::int64_t> values(keys.size() * rows);
    std::int64_t* out = values.data();
    for (const Key& key : keys) {
        for (const SharedColumns& part : parts) {
            part->copy_values(key.column, 0, part->rows(), out);
            std::transform(out, out + part->rows(), out, [&](std::int64_t value) { return key.rising(value); });
            out += part->rows();
        }
    }
    const auto before = [&](std::uint32_t one, std::uint32_t other) {
        for (std::size_t key = 0; key < keys.size(); ++key) {
            const std::int64_t* const column = values.data() + key * rows;
            if (column[one] != column[other]) {
                return column[one] < column[other];
            }
        }
        return one < other;
    };
    std::vector<std::uint32_t> places(rows);
    std::iota(places.begin(), places.end(), 0U);
    if (std::is_sorted(places.begin(), places.end(), before)) {
        return {};
    }
    std::sort(places.begin(), places.end(), before);
    return places;
}

}  // namespace

std::vector<std::uint32_t> order_of(const std::vector<SharedColumns>& parts, const std::vector<Key>& keys) {
    std::size_t rows = 0;
    for (const SharedColumns& part : parts) {
        rows += part->rows();
    }
    std::vector<Field> fields;
    unsigned bits = 0;
    for (const Key& key : keys) {
        fields.push_back(measure(parts, key));
        bits += fields.back().bits;
    }
    if (bits + kPlaceBits <= 64) {
        return packed_order<std::uint64_t>(parts, keys, fields, rows);
    }
    return bits + kPlaceBits <= 128 ? packed_order<Wide>(parts, keys, fields, rows) : compared_order(parts, keys, rows);
}

}  // namespace npuwh::sort

// Texts that a few numbers stand for, such as names by their ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sqlite_rows/connection.hpp"
#include "sqlite_rows/row_section.hpp"
#include "text/text_buffer.hpp"

namespace npuwh::sqlite_rows {

// Numbers, some of them NULL.
struct Arguments {
    std::int64_t values[kMostArguments] = {};
    unsigned nulls = 0;  // bit n: value n is NULL, and 0
    bool operator==(const Arguments& other) const {
        bool is_same = nulls == other.nulls;
        for (std::size_t place = 0; place < kMostArguments; ++place) {
            is_same &= values[place] == other.values[place];
        }
        return is_same;
    }
    std::size_t hash() const;
};

// Text by arguments, within a number of bytes: when they are used up, all is forgotten and the memory begins anew.
class TextMemory {
public:
    explicit TextMemory(std::size_t bytes);
    // Appends the text of these arguments; false if there is none.
    bool append(TextBuffer& out, const Arguments& arguments) {
        if (!(entries_[recent_].arguments == arguments)) {
            recent_ = place_of(arguments);
        }
        const Entry& entry = entries_[recent_];
        if (entry.is_used) {
            out.append_padded(texts_.data() + entry.begin, entry.size);
        }
        return entry.is_used;
    }
    void put(const Arguments& arguments, std::string_view text);

private:
    struct Entry {
        Arguments arguments;
        std::uint32_t begin = 0;
        std::uint32_t size = 0;
        bool is_used = false;
    };
    std::size_t place_of(const Arguments& arguments) const {
        std::size_t place = arguments.hash() & (entries_.size() - 1);
        while (entries_[place].is_used && !(entries_[place].arguments == arguments)) {
            place = (place + 1) & (entries_.size() - 1);
        }
        return place;
    }
    void grow();

    std::size_t bytes_;
    std::size_t count_ = 0;
    std::size_t recent_ = 0;  // the place asked for last, which is often the next, too
    std::vector<Entry> entries_;  // a power of two, half of them at most used
    TextBuffer texts_;
};

inline std::size_t Arguments::hash() const {
    std::uint64_t mixed = nulls;
    for (const std::int64_t value : values) {
        mixed = (mixed + static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15U;
    }
    return static_cast<std::size_t>(mixed ^ mixed >> 32);
}

}  // namespace npuwh::sqlite_rows

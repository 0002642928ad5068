// Texts that a few numbers stand for, such as names by their ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sqlite_rows/connection.hpp"
#include "sqlite_rows/row_section.hpp"

namespace npuwh::sqlite_rows {

// Numbers, some of them NULL.
struct Arguments {
    std::int64_t values[kMostArguments] = {};
    unsigned nulls = 0;  // bit n: value n is NULL, and 0
    bool operator==(const Arguments& other) const;
    std::size_t hash() const;
};

// Text by arguments, within a number of bytes: when they are used up, all is forgotten and the memory begins anew.
class TextMemory {
public:
    explicit TextMemory(std::size_t bytes);
    // Valid until the next `put`; no text is one without data.
    std::string_view find(const Arguments& arguments) const;
    std::string_view put(const Arguments& arguments, std::string_view text);

private:
    struct Entry {
        Arguments arguments;
        std::uint32_t begin = 0;
        std::uint32_t size = 0;
        bool is_used = false;
    };
    std::size_t place_of(const Arguments& arguments) const;
    void grow();

    std::size_t bytes_;
    std::size_t count_ = 0;
    std::vector<Entry> entries_;  // a power of two, half of them at most used
    std::string texts_;
};

}  // namespace npuwh::sqlite_rows

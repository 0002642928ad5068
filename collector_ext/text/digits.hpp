// Digits of integers, straight to where they belong.  Every function writes at `at` and gives the end of what it wrote.
#pragma once

#include <cstdint>
#include <cstring>

namespace npuwh {

constexpr std::size_t kMostDigits = 20;  // of 64 bits, or a sign and 19

namespace digits {

struct Pairs {
    char text[200];
};
constexpr Pairs pairs() {
    Pairs pairs{};
    for (int number = 0; number < 100; ++number) {
        pairs.text[2 * number] = static_cast<char>('0' + number / 10);
        pairs.text[2 * number + 1] = static_cast<char>('0' + number % 10);
    }
    return pairs;
}
inline constexpr Pairs kPairs = pairs();

inline int count(std::uint64_t value) {
    int digits = 1;
    for (;;) {
        if (value < 10) {
            return digits;
        }
        if (value < 100) {
            return digits + 1;
        }
        if (value < 1000) {
            return digits + 2;
        }
        if (value < 10000) {
            return digits + 3;
        }
        value /= 10000;
        digits += 4;
    }
}

}  // namespace digits

inline char* write_unsigned(char* at, std::uint64_t value) {
    char* const end = at + digits::count(value);
    char* to = end;
    while (value >= 100) {
        to -= 2;
        std::memcpy(to, digits::kPairs.text + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        std::memcpy(to - 2, digits::kPairs.text + 2 * value, 2);
    } else {
        to[-1] = static_cast<char>('0' + value);
    }
    return end;
}

inline char* write_integer(char* at, std::int64_t value) {
    auto magnitude = static_cast<std::uint64_t>(value);
    if (value < 0) {
        *at++ = '-';
        magnitude = 0 - magnitude;
    }
    return write_unsigned(at, magnitude);
}

// whole.decimals with three decimals.
inline char* write_thousandths(char* at, std::uint64_t thousandths) {
    at = write_unsigned(at, thousandths / 1000);
    const auto decimals = static_cast<unsigned>(thousandths % 1000);
    at[0] = '.';
    at[1] = static_cast<char>('0' + decimals / 100);
    std::memcpy(at + 2, digits::kPairs.text + 2 * (decimals % 100), 2);
    return at + 4;
}

}  // namespace npuwh

#include "text/number_text.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "text/digits.hpp"

#if defined(__cpp_lib_to_chars) && !defined(NPUWH_WITHOUT_FLOAT_TO_CHARS)
#define NPUWH_FLOAT_TO_CHARS 1
#else
#define NPUWH_FLOAT_TO_CHARS 0  // GCC before 11 has only the integer half of <charconv>
#endif

namespace npuwh {
namespace {

constexpr double kHalfWithin = 3e-16;  // of the value: a half that a division made smaller is one, as it is for SQLite's round()
constexpr std::size_t kLongestFixed = 400;  // 1.8e308 with six decimals

bool append_special(TextBuffer& out, double value) {
    if (std::isfinite(value)) {
        return false;
    }
    out += std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
    return true;
}

void append_unsigned(TextBuffer& out, std::uint64_t value) { out.end_at(write_unsigned(out.room(kMostDigits), value)); }

// whole.decimals, the latter padded to `width`
void append_decimal(TextBuffer& out, std::uint64_t whole, unsigned decimals, int width) {
    append_unsigned(out, whole);
    char text[8];
    text[0] = '.';
    for (int digit = width; digit > 0; --digit) {
        text[digit] = static_cast<char>('0' + decimals % 10);
        decimals /= 10;
    }
    out.append(text, static_cast<std::size_t>(width) + 1);
}

void strip_zeros(TextBuffer& out) {
    while (out.back() == '0') {
        out.pop_back();
    }
}

// Shortest significant digits of a positive finite number and the decimal exponent of the first one.
struct Digits {
    char text[24];
    int count;
    int exponent;
};

#if !NPUWH_FLOAT_TO_CHARS
bool reads_back(const char* text, double value) { return std::strtod(text, nullptr) == value; }

// "%e" with as few digits as read back; trailing zeros may be left.
void print_shortest(char* text, std::size_t size, double value) {
    // 15 digits of a normal number read back as soon as fewer would, so shorter ones show as trailing zeros
    for (int precision = value < std::numeric_limits<double>::min() ? 0 : 14; precision <= 16; ++precision) {
        std::snprintf(text, size, "%.*e", precision, value);
        if (reads_back(text, value)) {
            return;
        }
        if (precision == 15) {
            // Below a power of two doubles lie closer than above it: the nearest 16 digits may fail where the next higher succeed.
            std::int64_t digits = text[0] - '0';
            const char* at = text + 2;
            for (; *at != 'e'; ++at) {
                digits = 10 * digits + (*at - '0');
            }
            ++digits;
            std::snprintf(text, size, "%lld%c%015llde%d", static_cast<long long>(digits / 1'000'000'000'000'000), text[1],
                          static_cast<long long>(digits % 1'000'000'000'000'000), std::atoi(at + 1));
            if (digits < 10'000'000'000'000'000 && reads_back(text, value)) {
                return;
            }
        }
    }
}
#endif

Digits shortest_digits(double value) {
    char text[40];
#if NPUWH_FLOAT_TO_CHARS
    *std::to_chars(text, text + sizeof text - 1, value, std::chars_format::scientific).ptr = '\0';
#else
    print_shortest(text, sizeof text, value);
#endif
    Digits digits{};
    const char* at = text;
    for (; *at != 'e'; ++at) {
        if (*at >= '0' && *at <= '9') {  // skips the point, whatever the locale calls it
            digits.text[digits.count++] = *at;
        }
    }
    digits.exponent = std::atoi(at + 1);
    while (digits.count > 1 && digits.text[digits.count - 1] == '0') {
        --digits.count;
    }
    return digits;
}

void append_repr_digits(TextBuffer& out, const Digits& digits) {
    const auto count = static_cast<std::size_t>(digits.count);
    if (digits.exponent < -4 || digits.exponent >= 16) {
        out += digits.text[0];
        if (count > 1) {
            out += '.';
            out.append(digits.text + 1, count - 1);
        }
        out += digits.exponent < 0 ? "e-" : "e+";
        const int exponent = std::abs(digits.exponent);
        if (exponent < 10) {
            out += '0';
        }
        append_unsigned(out, static_cast<std::uint64_t>(exponent));
        return;
    }
    if (digits.exponent < 0) {
        out += "0.";
        out.append(static_cast<std::size_t>(-digits.exponent - 1), '0');
        out.append(digits.text, count);
        return;
    }
    const auto whole = static_cast<std::size_t>(digits.exponent) + 1;
    if (count <= whole) {
        out.append(digits.text, count);
        out.append(whole - count, '0');
        out += ".0";
        return;
    }
    out.append(digits.text, whole);
    out += '.';
    out.append(digits.text + whole, count - whole);
}

void append_fixed_slowly(TextBuffer& out, double value, int decimals) {
    char text[kLongestFixed];
#if NPUWH_FLOAT_TO_CHARS
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, decimals).ptr;
    out.append(text, static_cast<std::size_t>(end - text));
#else
    const int length = std::snprintf(text, sizeof text, "%.*f", decimals, value);
    text[length - decimals - 1] = '.';  // some locales print a comma
    out.append(text, static_cast<std::size_t>(length));
#endif
}

}  // namespace

void append_integer(TextBuffer& out, std::int64_t value) { out.end_at(write_integer(out.room(kMostDigits), value)); }

void append_integer(std::string& out, std::int64_t value) {
    char text[kMostDigits];
    out.append(text, static_cast<std::size_t>(write_integer(text, value) - text));
}

void append_repr(TextBuffer& out, double value) {
    if (append_special(out, value)) {
        return;
    }
    if (std::signbit(value)) {
        out += '-';
        value = -value;
    }
    // Most of our numbers have three decimals at most.  A decimal of up to 15 digits that reads back as `value` is the shortest
    // one, because no two such decimals read as the same number.
    if (value < 1e12) {
        const double thousandths = std::nearbyint(value * 1000);
        if (thousandths / 1000 == value && (value == 0 || thousandths > 0)) {
            const auto exact = static_cast<std::uint64_t>(thousandths);
            out.end_at(write_thousandths(out.room(kMostDigits + 4), exact));
            strip_zeros(out);
            if (out.back() == '.') {
                out += '0';
            }
            return;
        }
    }
    append_repr_digits(out, shortest_digits(value));
}

void append_fixed(TextBuffer& out, double value, int decimals) {
    if (append_special(out, value)) {
        return;
    }
    if (std::signbit(value)) {
        out += '-';
        value = -value;
    }
    if (decimals == 3 || decimals == 6) {
        // below 2^40 the product is off by less than 2^-13, so away from a half the rounding is certain
        const double scaled = value * (decimals == 3 ? 1e3 : 1e6);
        if (scaled < 1099511627776.0) {
            const double whole = std::floor(scaled);
            const double rest = scaled - whole;
            if (rest < 0.499 || rest > 0.501) {
                const auto units = static_cast<std::uint64_t>(whole) + (rest > 0.5 ? 1 : 0);
                const std::uint64_t base = decimals == 3 ? 1000 : 1000000;
                append_decimal(out, units / base, static_cast<unsigned>(units % base), decimals);
                return;
            }
        }
    }
    append_fixed_slowly(out, value, decimals);
}

void append_trimmed(TextBuffer& out, double value) {
    append_fixed(out, value, 3);
    if (!std::isfinite(value)) {
        return;
    }
    strip_zeros(out);
    if (out.back() == '.') {
        out.pop_back();
    }
}

void append_rounded(TextBuffer& out, double value) {
    // beyond this no double has more than three decimals
    constexpr double most = 9e12;
    const double magnitude = std::fabs(value);
    if (!(magnitude < most)) {
        append_repr(out, value);
        return;
    }
    const double exact = magnitude * 1000;
    const double thousandths = std::round(exact < 1e12 ? exact + exact * kHalfWithin : exact);
    if (value < 0 && thousandths > 0) {
        out += '-';
    }
    append_repr(out, thousandths / 1000);
}

void append_microseconds(TextBuffer& out, std::int64_t nanoseconds) {
    const auto bits = static_cast<std::uint64_t>(nanoseconds);
    const std::uint64_t magnitude = nanoseconds < 0 ? 0 - bits : bits;
    if (nanoseconds < 0) {
        out += '-';
    }
    out.end_at(write_thousandths(out.room(kMostDigits + 4), magnitude));
}

}  // namespace npuwh

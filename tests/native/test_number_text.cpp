#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "check.hpp"
#include "text/number_text.hpp"

namespace {

std::string repr(double value) {
    npuwh::TextBuffer out;
    npuwh::append_repr(out, value);
    return std::string(out.view());
}
std::string fixed(double value, int decimals) {
    npuwh::TextBuffer out;
    npuwh::append_fixed(out, value, decimals);
    return std::string(out.view());
}
std::string trimmed(double value) {
    npuwh::TextBuffer out;
    out += 'x';
    npuwh::append_trimmed(out, value);
    return std::string(out.view(1));
}
std::string microseconds(std::int64_t value) {
    npuwh::TextBuffer out;
    npuwh::append_microseconds(out, value);
    return std::string(out.view());
}

int significant_digits(const std::string& number) {
    std::string digits;
    for (const char c : number.substr(0, number.find('e'))) {
        if ((c > '0' && c <= '9') || (c == '0' && !digits.empty())) {
            digits += c;
        }
    }
    return static_cast<int>(digits.find_last_not_of('0') + 1);
}

std::vector<double> odd_numbers() {
    std::vector<double> numbers;
    check::Random random(10);
    for (int n = 0; n < 50'000; ++n) {
        const std::uint64_t bits = random.bits();
        double any = 0;
        std::memcpy(&any, &bits, sizeof any);
        numbers.push_back(any);
        numbers.push_back(static_cast<double>(random.between(0, 1'000'000'000'000)) / 1000);
        numbers.push_back(static_cast<double>(random.between(0, 1LL << 50)) / static_cast<double>(1LL << random.between(0, 30)));
    }
    for (int exponent = -1074; exponent < 1024; ++exponent) {
        const double power = std::ldexp(1.0, exponent);
        numbers.insert(numbers.end(), {power, -power, std::nextafter(power, 0), std::nextafter(power, HUGE_VAL)});
    }
    return numbers;
}

}  // namespace

TEST(repr_of_known_numbers) {
    CHECK_EQUAL(repr(0.0), "0.0");
    CHECK_EQUAL(repr(-0.0), "-0.0");
    CHECK_EQUAL(repr(4.0), "4.0");
    CHECK_EQUAL(repr(25032.619), "25032.619");
    CHECK_EQUAL(repr(8868.240000000003), "8868.240000000003");
    CHECK_EQUAL(repr(0.0001), "0.0001");
    CHECK_EQUAL(repr(1e-05), "1e-05");
    CHECK_EQUAL(repr(1.5e-7), "1.5e-07");
    CHECK_EQUAL(repr(1e15), "1000000000000000.0");
    CHECK_EQUAL(repr(1e16), "1e+16");
    CHECK_EQUAL(repr(1.7976931348623157e308), "1.7976931348623157e+308");
    CHECK_EQUAL(repr(5e-324), "5e-324");
    CHECK_EQUAL(repr(std::ldexp(1.0, -44)), "5.684341886080802e-14");
    CHECK_EQUAL(repr(1700000000000000.1), "1700000000000000.0");
    CHECK_EQUAL(repr(std::numeric_limits<double>::infinity()), "inf");
    CHECK_EQUAL(repr(-std::numeric_limits<double>::infinity()), "-inf");
    CHECK_EQUAL(repr(std::nan("")), "nan");
}

TEST(repr_reads_back_and_one_digit_less_does_not) {
    for (const double value : odd_numbers()) {
        if (!std::isfinite(value)) {
            continue;
        }
        const std::string text = repr(value);
        if (std::strtod(text.c_str(), nullptr) != value) {
            check::fail(__FILE__, __LINE__, text + " does not read back");
        }
        const int digits = significant_digits(text);
        if (digits > 1) {
            char shorter[40];
            std::snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
            if (std::strtod(shorter, nullptr) == value) {
                check::fail(__FILE__, __LINE__, text + " could be " + shorter);
            }
        }
    }
}

TEST(fixed_equals_printf) {
    for (const double value : odd_numbers()) {
        for (const int decimals : {3, 6}) {
            char expected[400];
            std::snprintf(expected, sizeof expected, "%.*f", decimals, value);
            if (std::isnan(value)) {
                std::strcpy(expected, "nan");  // printf may show a sign
            }
            CHECK_EQUAL(fixed(value, decimals), std::string(expected));
        }
    }
    CHECK_EQUAL(fixed(0.0005, 3), "0.001");  // just above the half
    CHECK_EQUAL(fixed(0.0625, 3), "0.062");  // exactly the half: to even
}

TEST(trimmed_drops_zeros_and_point) {
    CHECK_EQUAL(trimmed(4.0), "4");
    CHECK_EQUAL(trimmed(4.5), "4.5");
    CHECK_EQUAL(trimmed(0.0), "0");
    CHECK_EQUAL(trimmed(100.0), "100");
    CHECK_EQUAL(trimmed(1.2345), "1.234");
    CHECK_EQUAL(trimmed(-0.0001), "-0");
    CHECK_EQUAL(trimmed(std::numeric_limits<double>::infinity()), "inf");
}

TEST(microseconds_are_exact) {
    CHECK_EQUAL(microseconds(0), "0.000");
    CHECK_EQUAL(microseconds(1), "0.001");
    CHECK_EQUAL(microseconds(-1), "-0.001");
    CHECK_EQUAL(microseconds(1'700'000'000'123'456'789), "1700000000123456.789");
    CHECK_EQUAL(microseconds(std::numeric_limits<std::int64_t>::min()), "-9223372036854775.808");
    CHECK_EQUAL(microseconds(std::numeric_limits<std::int64_t>::max()), "9223372036854775.807");
}

TEST(integers) {
    std::string out;
    npuwh::append_integer(out, std::numeric_limits<std::int64_t>::min());
    CHECK_EQUAL(out, "-9223372036854775808");
}

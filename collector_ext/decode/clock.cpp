#include "decode/clock.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace npuwh {
namespace {

using Wide = __int128;

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t clamped(Wide value) {
    return value < kLeast ? kLeast : value > kMost ? kMost : static_cast<std::int64_t>(value);
}

// For by > 0.
Wide floor_div(Wide value, Wide by) {
    const Wide quotient = value / by;
    return value % by < 0 ? quotient - 1 : quotient;
}

// ticks * 1000 * denominator: below 2^65 * 2^10 * 2^30, so never out of range.
Wide scaled(Wide ticks, const Frequency& mhz) { return ticks * 1000 * mhz.denominator; }

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

[[noreturn]] void reject_text(const char* what, std::string_view text) {
    throw std::invalid_argument(std::string(what) + ": '" + std::string(text) + "' is no such number");
}

}  // namespace

Frequency Frequency::parse(std::string_view text) {
    constexpr const char* what = "frequency in MHz";
    constexpr int kMostDigits = 18;
    constexpr std::int64_t kSmallestPart = 1'000'000'000;
    Frequency result;
    int digits = 0;
    bool is_fraction = false;
    for (const char byte : text) {
        if (byte == '.' && !is_fraction) {
            is_fraction = true;
            continue;
        }
        if (!is_digit(byte) || ++digits > kMostDigits || (is_fraction && result.denominator == kSmallestPart)) {
            reject_text(what, text);
        }
        result.numerator = result.numerator * 10 + (byte - '0');
        result.denominator *= is_fraction ? 10 : 1;
    }
    if (result.numerator == 0) {
        reject_text(what, text);
    }
    return result;
}

std::int64_t TickClock::ns(std::int64_t tick) const {
    return clamped(base_ns_ + floor_div(scaled(Wide{tick} - base_tick_, mhz_), mhz_.numerator));
}

std::int64_t TickClock::duration_ns(std::int64_t ticks) const { return clamped(floor_div(scaled(ticks, mhz_), mhz_.numerator)); }

FrameworkClock::FrameworkClock(double mhz, std::int64_t start_tick, std::int64_t start_ns, std::int64_t offset_ns)
    : ns_per_tick_(1000.0 / mhz), start_tick_(start_tick), start_ns_(start_ns), offset_ns_(offset_ns) {
    if (!(std::abs(mhz) >= 1e-15) || std::isinf(mhz)) {
        throw std::invalid_argument("FrameworkClock: " + std::to_string(mhz) + " MHz is no frequency of a counter");
    }
}

std::int64_t FrameworkClock::ns(std::int64_t tick) const {
    if (ns_per_tick_ == 0) {
        return clamped(Wide{tick} + offset_ns_);
    }
    // at most 2^64 * 10^18, so the result fits into 128 bits
    const double elapsed = static_cast<double>(Wide{tick} - start_tick_) * ns_per_tick_;
    return clamped(static_cast<Wide>(elapsed) + start_ns_ + offset_ns_);
}

std::int64_t latched_ns(std::int64_t base_ns, std::int64_t ticks, const Frequency& mhz) {
    const Wide exact = scaled(ticks, mhz);
    Wide rounded = floor_div(exact, mhz.numerator);
    const Wide twice_rest = 2 * (exact - rounded * mhz.numerator);
    if (twice_rest > mhz.numerator || (twice_rest == mhz.numerator && rounded % 2 != 0)) {
        ++rounded;
    }
    return clamped(base_ns + rounded);
}

std::int64_t microseconds_to_ns(std::string_view text) {
    constexpr const char* what = "microseconds";
    const std::string_view whole = text;
    if (!text.empty() && text.back() == '\t') {
        text.remove_suffix(1);
    }
    const bool is_negative = !text.empty() && text.front() == '-';
    text.remove_prefix(is_negative ? 1 : 0);
    Wide ns = 0;
    int decimals = -1;  // before the point
    bool has_digit = false;
    for (const char byte : text) {
        if (byte == '.' && decimals < 0) {
            decimals = 0;
            continue;
        }
        if (!is_digit(byte)) {
            reject_text(what, whole);
        }
        has_digit = true;
        if (decimals < 3) {
            ns = ns * 10 + (byte - '0');
            decimals += decimals < 0 ? 0 : 1;
        }
        if (ns > Wide{kMost}) {
            reject_text(what, whole);
        }
    }
    if (!has_digit) {
        reject_text(what, whole);
    }
    for (int digit = decimals < 0 ? 0 : decimals; digit < 3; ++digit) {
        ns *= 10;
    }
    if (ns > Wide{kMost}) {
        reject_text(what, whole);
    }
    return static_cast<std::int64_t>(is_negative ? -ns : ns);
}

}  // namespace npuwh

// Ticks of a counter as nanoseconds, to the last digit.
#pragma once

#include <cstdint>
#include <string_view>

namespace npuwh {

// A frequency in MHz, exactly as a file writes it: "50.000000" is 50000000 / 1000000.
struct Frequency {
    std::int64_t numerator = 0;
    std::int64_t denominator = 1;

    // Throws std::invalid_argument unless the text is a positive decimal number of at most 18 digits, 9 of them after the point.
    static Frequency parse(std::string_view text);
};

// cann-files.md 2: ns(t) = base_ns + (t - base_tick) * 1000 / MHz, in integers, rounded down (so that order is kept, also before
// the base).  Beyond what 64 bits hold it stops at their ends.
class TickClock {
public:
    TickClock(const Frequency& mhz, std::int64_t base_tick, std::int64_t base_ns)
        : mhz_(mhz), base_tick_(base_tick), base_ns_(base_ns) {}
    // The counter counts ns already: ns(t) = t + offset_ns.
    explicit TickClock(std::int64_t offset_ns) : TickClock({1000, 1}, 0, offset_ns) {}

    std::int64_t ns(std::int64_t tick) const;
    // Length of an interval: ticks * 1000 / MHz, rounded down.
    std::int64_t duration_ns(std::int64_t ticks) const;

private:
    Frequency mhz_;
    std::int64_t base_tick_;
    std::int64_t base_ns_;
};

// framework-files.md 4, the reference's own numbers: ns(t) = trunc(double(t - start_tick) * (1000.0 / MHz)) + start_ns + offset_ns,
// with the arithmetic of doubles in this order; ns(t) = t + offset_ns where ticks are ns already.
class FrameworkClock {
public:
    // Throws std::invalid_argument if |mhz| < 1e-15 or it is no number.
    FrameworkClock(double mhz, std::int64_t start_tick, std::int64_t start_ns, std::int64_t offset_ns);
    explicit FrameworkClock(std::int64_t offset_ns) : offset_ns_(offset_ns) {}

    std::int64_t ns(std::int64_t tick) const;

private:
    double ns_per_tick_ = 0;  // 0: ticks are ns
    std::int64_t start_tick_ = 0;
    std::int64_t start_ns_ = 0;
    std::int64_t offset_ns_;
};

// The instant at which the device's counter was latched: base_ns + round(ticks * 1000 / MHz), half to even (cann-files.md 2, `M`).
std::int64_t latched_ns(std::int64_t base_ns, std::int64_t ticks, const Frequency& mhz);

// Microseconds as text to ns: at most three fractional digits count ("12.5678" is 12567); a trailing tab is stripped.
// Throws std::invalid_argument if it is no such number.
std::int64_t microseconds_to_ns(std::string_view text);

}  // namespace npuwh

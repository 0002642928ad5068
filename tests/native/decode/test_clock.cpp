#include <limits>

#include "check.hpp"
#include "decode/clock.hpp"

using npuwh::Frequency;
using npuwh::FrameworkClock;
using npuwh::TickClock;

namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TickClock clock(const char* mhz, std::int64_t base_tick, std::int64_t base_ns) {
    return TickClock(Frequency::parse(mhz), base_tick, base_ns);
}

}  // namespace

TEST(frequencies_are_taken_as_written) {
    const Frequency fifty = Frequency::parse("50.000000");
    CHECK_EQUAL(fifty.numerator, 50000000);
    CHECK_EQUAL(fifty.denominator, 1000000);
    CHECK_EQUAL(Frequency::parse("100").numerator, 100);
    CHECK_EQUAL(Frequency::parse("0.032768").numerator, 32768);
    CHECK_EQUAL(Frequency::parse("100.").denominator, 1);
    for (const char* bad : {"", ".", "0", "0.000", "-1", "1e3", " 1", "1.5.", "1,5", "NaN", "1234567890123456789", "1.1234567890"}) {
        CHECK_REJECTS(Frequency::parse(bad), "is no such number");
    }
}

TEST(ticks_are_exact_ns) {
    CHECK_EQUAL(clock("100", 5000, 1'700'000'000'000'000'000).ns(5001), 1'700'000'000'000'000'010);
    CHECK_EQUAL(clock("50.000000", 0, 0).ns(3), 60);
    CHECK_EQUAL(clock("24", 0, 0).ns(1), 41);
    CHECK_EQUAL(clock("24", 0, 0).ns(3), 125);
    CHECK_EQUAL(clock("2400", 0, 0).ns(12), 5);
    CHECK_EQUAL(clock("33.333333", 0, 0).ns(33333333), 1'000'000'000);
    // a double would be off by 32 ns here
    CHECK_EQUAL(clock("100", 1, 7).ns(123'456'789'012'345'678), 1'234'567'890'123'456'777);
}

TEST(before_the_base_ns_are_rounded_down_too) {
    const TickClock slow = clock("24", 100, 1000);
    CHECK_EQUAL(slow.ns(99), 958);   // -41.67
    CHECK_EQUAL(slow.ns(97), 875);   // -125 exactly
    CHECK_EQUAL(slow.ns(100), 1000);
    std::int64_t previous = kLeast;
    for (std::int64_t tick = 0; tick < 200; ++tick) {
        CHECK(slow.ns(tick) >= previous);
        previous = slow.ns(tick);
    }
}

TEST(ticks_that_are_ns_only_move) {
    CHECK_EQUAL(TickClock(5).ns(7), 12);
    CHECK_EQUAL(TickClock(-5).ns(kLeast), kLeast);
}

TEST(beyond_64_bits_the_clock_stops_at_the_end) {
    const TickClock fast = clock("0.000001", kLeast, kMost);
    CHECK_EQUAL(fast.ns(kMost), kMost);
    CHECK_EQUAL(clock("0.000000001", kMost, kLeast).ns(kLeast), kLeast);
    CHECK_EQUAL(clock("999999999999999999", kLeast, kMost).ns(kLeast), kMost);
    CHECK_EQUAL(FrameworkClock(1e-15, kLeast, kMost, kMost).ns(kMost), kMost);
    CHECK_EQUAL(FrameworkClock(1e-15, kMost, kLeast, kLeast).ns(kLeast), kLeast);
    CHECK_EQUAL(FrameworkClock(1).ns(kMost), kMost);
}

TEST(durations) {
    CHECK_EQUAL(clock("50", 99, 99).duration_ns(7), 140);
    CHECK_EQUAL(clock("24", 0, 0).duration_ns(-1), -42);
}

TEST(the_framework_formula_is_that_of_doubles) {
    CHECK_EQUAL(FrameworkClock(100.0, 1000, 5, 70).ns(1003), 105);
    // 1000.0 / 24 first, then times the ticks, then cut towards zero
    const FrameworkClock odd(24.0, 0, 0, 0);
    for (const std::int64_t tick : {std::int64_t{1}, std::int64_t{3}, std::int64_t{-1}, std::int64_t{123456789012}, std::int64_t{1} << 57}) {
        CHECK_EQUAL(odd.ns(tick), static_cast<std::int64_t>(static_cast<double>(tick) * (1000.0 / 24.0)));
    }
    // the difference of ticks is exact before it becomes a double
    CHECK_EQUAL(FrameworkClock(1000.0, (std::int64_t{1} << 62) - 1, 0, 0).ns(std::int64_t{1} << 62), 1);
    CHECK_EQUAL(FrameworkClock(-70).ns(100), 30);
    CHECK_REJECTS(FrameworkClock(0.0, 0, 0, 0), "no frequency");
    CHECK_REJECTS(FrameworkClock(1e-16, 0, 0, 0), "no frequency");
    CHECK_REJECTS(FrameworkClock(std::numeric_limits<double>::quiet_NaN(), 0, 0, 0), "no frequency");
    CHECK_REJECTS(FrameworkClock(std::numeric_limits<double>::infinity(), 0, 0, 0), "no frequency");
}

TEST(the_latched_instant_is_rounded_half_to_even) {
    CHECK_EQUAL(npuwh::latched_ns(100, 3, Frequency::parse("100")), 130);
    CHECK_EQUAL(npuwh::latched_ns(0, 1, Frequency::parse("2000")), 0);   // 0.5
    CHECK_EQUAL(npuwh::latched_ns(0, 3, Frequency::parse("2000")), 2);   // 1.5
    CHECK_EQUAL(npuwh::latched_ns(0, -1, Frequency::parse("2000")), 0);  // -0.5
    CHECK_EQUAL(npuwh::latched_ns(0, 2, Frequency::parse("24")), 83);    // 83.3
    CHECK_EQUAL(npuwh::latched_ns(0, 4, Frequency::parse("24")), 167);   // 166.7
}

TEST(microseconds_as_text) {
    CHECK_EQUAL(npuwh::microseconds_to_ns("12.5"), 12500);
    CHECK_EQUAL(npuwh::microseconds_to_ns("12.5678"), 12567);
    CHECK_EQUAL(npuwh::microseconds_to_ns("12"), 12000);
    CHECK_EQUAL(npuwh::microseconds_to_ns("12\t"), 12000);
    CHECK_EQUAL(npuwh::microseconds_to_ns("-0.001"), -1);
    CHECK_EQUAL(npuwh::microseconds_to_ns("1736408883688177.930"), 1736408883688177930);
    for (const char* bad : {"", ".", "-", "1.2.3", "a", "1 ", "99999999999999999999", "9223372036854775808"}) {
        CHECK_REJECTS(npuwh::microseconds_to_ns(bad), "is no such number");
    }
}

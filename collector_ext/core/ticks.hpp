// The clock of the hot path: a counter that costs a few ns to read, and anchors that tie it to the system's clocks.
#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace npuwh::core {

// What `now_ticks` counts; decided once a process.
enum class TickKind : uint8_t { kCounter = 0, kMonotonicRawNs = 1 };

inline int64_t read_clock_ns(clockid_t clock) noexcept {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// The processor's counter where it runs at one rate on all cores, whatever they do; else CLOCK_MONOTONIC_RAW in ns.
TickKind tick_kind() noexcept;

namespace detail {
extern bool uses_counter;
}

inline int64_t now_ticks() noexcept {
#if defined(__x86_64__)
    if (__builtin_expect(detail::uses_counter, 1)) return static_cast<int64_t>(__rdtsc());
#elif defined(__aarch64__)
    if (__builtin_expect(detail::uses_counter, 1)) {
        int64_t count;
        asm volatile("mrs %0, cntvct_el0" : "=r"(count));
        return count;
    }
#endif
    return read_clock_ns(CLOCK_MONOTONIC_RAW);
}

// One moment on three clocks: ticks, CLOCK_MONOTONIC_RAW and CLOCK_REALTIME, both in ns.
struct ClockAnchor {
    int64_t ticks;
    int64_t monotonic_raw_ns;
    int64_t realtime_ns;
};

// Reads the three clocks as close together as it can: the best of a few tries.
ClockAnchor read_anchor() noexcept;

// Ticks a second, measured between when this library was loaded and `now`; waits until 10 ms are between, so that what
// interrupts a reading is less than a thousandth of it.  At most a minute before `now`: counters stop where machines sleep.
double ticks_per_second(const ClockAnchor& now) noexcept;

}  // namespace npuwh::core

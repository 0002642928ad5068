#include "core/ticks.hpp"

#include <chrono>
#include <limits>
#include <thread>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace npuwh::core {

namespace {

bool has_steady_counter() noexcept {
#if defined(__x86_64__)
    // leaf 0x80000007, EDX bit 8: the time stamp counter keeps its rate in all power states
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1u << 8)) != 0;
#elif defined(__aarch64__)
    return true;  // the generic timer's counter is steady by its definition
#else
    return false;
#endif
}

}  // namespace

namespace detail {
bool uses_counter = has_steady_counter();
}

TickKind tick_kind() noexcept { return detail::uses_counter ? TickKind::kCounter : TickKind::kMonotonicRawNs; }

ClockAnchor read_anchor() noexcept {
    constexpr int kTries = 8;  // one of them will not be interrupted between its readings
    ClockAnchor best{};
    int64_t least = std::numeric_limits<int64_t>::max();
    for (int attempt = 0; attempt < kTries; ++attempt) {
        const int64_t before = now_ticks();
        const int64_t raw = read_clock_ns(CLOCK_MONOTONIC_RAW);
        const int64_t real = read_clock_ns(CLOCK_REALTIME);
        const int64_t after = now_ticks();
        if (after - before < least) {
            least = after - before;
            best = {before + (after - before) / 2, raw, real};
        }
    }
    return best;
}

namespace {

const ClockAnchor kLoaded = read_anchor();

}  // namespace

double ticks_per_second(const ClockAnchor& now) noexcept {
    constexpr int64_t kLeastNs = 10'000'000;
    constexpr int64_t kMostNs = 60'000'000'000;
    if (!detail::uses_counter) return 1e9;
    ClockAnchor first = kLoaded;
    ClockAnchor last = now;
    const int64_t between = now.monotonic_raw_ns - first.monotonic_raw_ns;
    if (between < kLeastNs || between > kMostNs) {
        if (between > kMostNs) first = now;
        std::this_thread::sleep_for(std::chrono::nanoseconds(kLeastNs));
        last = read_anchor();
    }
    return static_cast<double>(last.ticks - first.ticks) * 1e9 /
           static_cast<double>(last.monotonic_raw_ns - first.monotonic_raw_ns);
}

}  // namespace npuwh::core

#include "coverage_map.hpp"

#include <algorithm>

namespace fuzz {
namespace {

std::array<std::uint8_t, kEdges> counts;
std::array<Comparison, kComparisons> compared;
std::size_t compared_count = 0;
std::uintptr_t previous = 0;

void compare(std::uint64_t found, std::uint64_t wanted, std::uint8_t size) {
    if (found != wanted) {
        compared[compared_count++ % kComparisons] = {found, wanted, size};
    }
}

}  // namespace

void begin_run() {
    counts.fill(0);
    compared_count = 0;
    previous = 0;
}

const std::array<std::uint8_t, kEdges>& edges() { return counts; }

std::vector<Comparison> comparisons() {
    return {compared.begin(), compared.begin() + static_cast<std::ptrdiff_t>(std::min(compared_count, kComparisons))};
}

}  // namespace fuzz

extern "C" {

void __sanitizer_cov_trace_pc() {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    const std::uintptr_t mixed = (here ^ (here >> 15U)) * 0x9E3779B97F4A7C15U >> 40U;
    std::uint8_t& count = fuzz::counts[(mixed ^ fuzz::previous) % fuzz::kEdges];
    count = static_cast<std::uint8_t>(count + (count < 255 ? 1 : 0));
    fuzz::previous = mixed >> 1U;
}

void __sanitizer_cov_trace_cmp1(std::uint8_t a, std::uint8_t b) { fuzz::compare(a, b, 1); }
void __sanitizer_cov_trace_cmp2(std::uint16_t a, std::uint16_t b) { fuzz::compare(a, b, 2); }
void __sanitizer_cov_trace_cmp4(std::uint32_t a, std::uint32_t b) { fuzz::compare(a, b, 4); }
void __sanitizer_cov_trace_cmp8(std::uint64_t a, std::uint64_t b) { fuzz::compare(a, b, 8); }
// the first is the constant
void __sanitizer_cov_trace_const_cmp1(std::uint8_t a, std::uint8_t b) { fuzz::compare(b, a, 1); }
void __sanitizer_cov_trace_const_cmp2(std::uint16_t a, std::uint16_t b) { fuzz::compare(b, a, 2); }
void __sanitizer_cov_trace_const_cmp4(std::uint32_t a, std::uint32_t b) { fuzz::compare(b, a, 4); }
void __sanitizer_cov_trace_const_cmp8(std::uint64_t a, std::uint64_t b) { fuzz::compare(b, a, 8); }

// cases: their number, the bits of the value, the values
void __sanitizer_cov_trace_switch(std::uint64_t value, void* cases) {
    const auto* const numbers = static_cast<const std::uint64_t*>(cases);
    const auto size = static_cast<std::uint8_t>(numbers[1] / 8);
    for (std::uint64_t index = 0; index < numbers[0]; ++index) {
        fuzz::compare(value, numbers[2 + index], size);
    }
}

void __sanitizer_cov_trace_cmpf(float, float) {}
void __sanitizer_cov_trace_cmpd(double, double) {}

}  // extern "C"

// Which edges of the code under test a run took, and what it compared: gcc's -fsanitize-coverage=trace-pc,trace-cmp calls us.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fuzz {

constexpr std::size_t kEdges = 1U << 16U;
constexpr std::size_t kComparisons = 512;

// Two numbers that were compared and were not equal, `size` bytes each.
struct Comparison {
    std::uint64_t found;
    std::uint64_t wanted;
    std::uint8_t size;
};

// Forgets the last run.
void begin_run();

// Counts of edges, by a hash of both ends; they stop at 255.
const std::array<std::uint8_t, kEdges>& edges();

// What the last run compared with constants and with other numbers; the latest kComparisons.
std::vector<Comparison> comparisons();

}  // namespace fuzz

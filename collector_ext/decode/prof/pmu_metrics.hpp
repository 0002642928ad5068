// Ratios, times and bandwidths from the counters of a core (cann-files.md 5.4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "decode/prof/device_layouts.hpp"

namespace npuwh::prof {

// Of one task, or of the blocks of one task together.
struct PmuSample {
    std::uint64_t total_cycles = 0;
    std::array<std::uint64_t, kPmuCounters> counters{};
    std::uint64_t blocks = 0;      // blocks the task ran in: block count of a context record, mix block count of block records
    std::uint64_t cores = 0;       // of that kind on the device
    double clock_hz = 0;           // core clock when the task ended (frequency stream, else info.json)
    double nominal_clock_hz = 0;   // core clock of info.json: what bandwidths are reckoned with
};

// One metric group on one kind of core.
class PmuMetrics {
public:
    // `events`: what the counters count, in their order (sample.json).  Throws std::invalid_argument for a group that is not specified,
    // for other than 8 events, and if an event that the group needs is not among them.
    PmuMetrics(std::string_view group, const std::vector<std::uint32_t>& events);

    // Names as in the table kernel_metric without the core's prefix: total_time_ns, total_cycles_count, mac_time_ns, mac_ratio ...
    const std::vector<const char*>& names() const { return names_; }

    // Values in the order of names().
    void evaluate(const PmuSample& sample, std::vector<double>& values) const;

    static std::vector<std::string> groups();

private:
    struct Term {
        const void* metric;
        std::array<std::size_t, 5> counters;
        std::size_t count;
    };

    std::vector<const char*> names_;
    std::vector<Term> terms_;
};

}  // namespace npuwh::prof

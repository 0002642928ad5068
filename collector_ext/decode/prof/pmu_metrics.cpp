#include "decode/prof/pmu_metrics.hpp"

#include <algorithm>
#include <stdexcept>

namespace npuwh::prof {
namespace {

enum class Formula : std::uint8_t {
    ratio,      // sum of counter / cycles
    time,       // total time * ratio
    miss,       // first ratio / second ratio, 0 if a counter is 0
    bandwidth,  // counter * bytes * factor / (cycles / clock) / 2^33, GB/s
    count,      // sum of counters
    weighted,   // sum of counter * weight: operations, KB
    rest,       // first counter * weight - the others * weight, KB
};

constexpr std::uint16_t kNone = 0xFFFF;

// `weights`: bytes and factor of a bandwidth, else a weight an event.
struct Metric {
    const char* name;
    Formula formula;
    std::array<std::uint16_t, 5> events{kNone, kNone, kNone, kNone, kNone};
    std::array<double, 5> weights{1, 1, 1, 1, 1};
};

using Events = std::array<std::uint16_t, 5>;

constexpr Events on(std::uint16_t one, std::uint16_t two = kNone, std::uint16_t three = kNone, std::uint16_t four = kNone,
                    std::uint16_t five = kNone) {
    return {one, two, three, four, five};
}
constexpr Metric time_of(const char* name, Events events) { return {name, Formula::time, events}; }
constexpr Metric ratio(const char* name, Events events) { return {name, Formula::ratio, events}; }
constexpr Metric bandwidth(const char* name, std::uint16_t event, double bytes, double factor) {
    return {name, Formula::bandwidth, on(event), {bytes, factor, 0, 0, 0}};
}
constexpr Metric count(const char* name, std::uint16_t event) { return {name, Formula::count, on(event)}; }
constexpr Metric icache_miss() { return {"icache_miss_ratio", Formula::miss, on(0x55, 0x54)}; }

constexpr std::array kPipeUtilization{
    time_of("vec_time_ns", on(0x8)),    ratio("vec_ratio", on(0x8)),    time_of("mac_time_ns", on(0xA)),
    ratio("mac_ratio", on(0xA)),        time_of("scalar_time_ns", on(0x9)), ratio("scalar_ratio", on(0x9)),
    time_of("mte1_time_ns", on(0xB)),   ratio("mte1_ratio", on(0xB)),   time_of("mte2_time_ns", on(0xC)),
    ratio("mte2_ratio", on(0xC)),       time_of("mte3_time_ns", on(0xD)), ratio("mte3_ratio", on(0xD)),
    icache_miss(),
};
constexpr std::array kPipeUtilizationExct{
    time_of("mac_time_ns", on(0x416, 0x417)), ratio("mac_ratio", on(0x416, 0x417)), time_of("scalar_time_ns", on(0x9)),
    ratio("scalar_ratio", on(0x9)),           time_of("mte1_time_ns", on(0x302)),   ratio("mte1_ratio", on(0x302)),
    time_of("mte2_time_ns", on(0xC)),         ratio("mte2_ratio", on(0xC)),         time_of("fixpipe_time_ns", on(0x303)),
    ratio("fixpipe_ratio", on(0x303)),        icache_miss(),
};
constexpr std::array kArithmeticUtilization{
    ratio("mac_fp16_ratio", on(0x49)),
    ratio("mac_int8_ratio", on(0x4A)),
    ratio("vec_fp32_ratio", on(0x4B)),
    ratio("vec_fp16_ratio", on(0x4C, 0x4D)),
    ratio("vec_int32_ratio", on(0x4E)),
    ratio("vec_misc_ratio", on(0x4F)),
    Metric{"cube_fops_count", Formula::weighted, on(0x49, 0x4A), {8192, 16384, 0, 0, 0}},
    Metric{"vector_fops_count", Formula::weighted, on(0x4C, 0x4D, 0x4B, 0x4E, 0x4F), {128, 64, 64, 64, 32}},
};
constexpr std::array kMemory{
    bandwidth("ub_read_bw", 0x15, 256, 4),     bandwidth("ub_write_bw", 0x16, 256, 4),
    bandwidth("l1_read_bw", 0x31, 256, 16),    bandwidth("l1_write_bw", 0x32, 128, 8),
    bandwidth("main_mem_read_bw", 0x12, 8, 8), bandwidth("main_mem_write_bw", 0x13, 8, 8),
    bandwidth("l2_read_bw", 0xF, 256, 8),      bandwidth("l2_write_bw", 0x10, 256, 8),
};
constexpr std::array kMemoryL0{
    bandwidth("l0a_read_bw", 0x1B, 256, 16),      bandwidth("l0a_write_bw", 0x1C, 256, 16),
    bandwidth("l0b_read_bw", 0x21, 256, 16),      bandwidth("l0b_write_bw", 0x22, 256, 8),
    bandwidth("l0c_read_bw", 0x27, 256, 8),       bandwidth("l0c_write_bw", 0x29, 256, 8),
    bandwidth("l0c_read_bw_cube", 0x28, 256, 32), bandwidth("l0c_write_bw_cube", 0x2A, 256, 32),
};
constexpr std::array kMemoryUB{
    bandwidth("ub_read_bw_vector", 0x43, 128, 2),
    bandwidth("ub_write_bw_vector", 0x44, 128, 2),
    bandwidth("ub_read_bw_scalar", 0x37, 128, 1),
    bandwidth("ub_write_bw_scalar", 0x38, 128, 1),
};
constexpr std::array kResourceConflictRatio{
    ratio("vec_bankgroup_cflt_ratio", on(0x64)),
    ratio("vec_bank_cflt_ratio", on(0x65)),
    ratio("vec_resc_cflt_ratio", on(0x66)),
};
constexpr std::array kL2CacheMetrics{
    count("write_cache_hit_count", 0x500),   count("write_cache_miss_allocate_count", 0x502),
    count("r0_read_cache_hit_count", 0x504), count("r0_read_cache_miss_allocate_count", 0x506),
    count("r1_read_cache_hit_count", 0x508), count("r1_read_cache_miss_allocate_count", 0x50A),
};
constexpr std::array<double, 5> kEighth{0.125, 0.125, 0.125, 0.125, 0.125};
constexpr std::array<double, 5> kQuarter{0.25, 0.25, 0.25, 0.25, 0.25};
constexpr std::array kMemoryAccess{
    Metric{"read_main_memory_datas", Formula::weighted, on(0x50D, 0x50E), kEighth},
    Metric{"write_main_memory_datas", Formula::weighted, on(0x50C), kEighth},
    Metric{"gm_to_l1_datas", Formula::rest, on(0x32, 0x206), kQuarter},
    Metric{"l0c_to_l1_datas", Formula::weighted, on(0x206), kEighth},
    Metric{"l0c_to_gm_datas", Formula::rest, on(0x20C, 0x206), kEighth},
    Metric{"gm_to_ub_datas", Formula::weighted, on(0x3E), kEighth},
    Metric{"ub_to_gm_datas", Formula::weighted, on(0x3D), kEighth},
};

struct Group {
    const char* name;
    const Metric* first;
    std::size_t size;
};
template <std::size_t N>
constexpr Group group(const char* name, const std::array<Metric, N>& metrics) {
    return {name, metrics.data(), N};
}
constexpr std::array kGroups{
    group("PipeUtilization", kPipeUtilization),
    group("PipeUtilizationExct", kPipeUtilizationExct),
    group("ArithmeticUtilization", kArithmeticUtilization),
    group("Memory", kMemory),
    group("MemoryL0", kMemoryL0),
    group("MemoryUB", kMemoryUB),
    group("ResourceConflictRatio", kResourceConflictRatio),
    group("L2Cache", kL2CacheMetrics),
    group("MemoryAccess", kMemoryAccess),
};

constexpr double kGigaBytes = 8589934592.0;  // 2^33: with the factor's unit of bits

double total_time_us(const PmuSample& sample) {
    if (sample.blocks == 0 || sample.cores == 0 || sample.clock_hz <= 0) {
        return 0;
    }
    // subtracted and not added, so that no number of blocks overflows
    const std::uint64_t rounds = (sample.blocks - 1) / sample.cores + 1;
    return static_cast<double>(sample.total_cycles) * 1e6 / sample.clock_hz / static_cast<double>(sample.blocks) *
           static_cast<double>(rounds);
}

}  // namespace

PmuMetrics::PmuMetrics(std::string_view group_name, const std::vector<std::uint32_t>& events) {
    const auto* const chosen =
        std::find_if(kGroups.begin(), kGroups.end(), [&](const Group& one) { return one.name == group_name; });
    if (chosen == kGroups.end()) {
        throw std::invalid_argument("PmuMetrics: the metric group '" + std::string(group_name) + "' is not specified");
    }
    if (events.size() != kPmuCounters) {
        throw std::invalid_argument("PmuMetrics: " + std::to_string(events.size()) + " events, but a record has " +
                                    std::to_string(kPmuCounters) + " counters");
    }
    names_ = {"total_time_ns", "total_cycles_count"};
    for (std::size_t index = 0; index < chosen->size; ++index) {
        const Metric& metric = chosen->first[index];
        Term term{&metric, {}, 0};
        for (const std::uint16_t event : metric.events) {
            if (event == kNone) {
                break;
            }
            const auto found = std::find(events.begin(), events.end(), event);
            if (found == events.end()) {
                throw std::invalid_argument("PmuMetrics: " + std::string(metric.name) + " needs event " + std::to_string(event) +
                                            ", which was not counted");
            }
            term.counters[term.count++] = static_cast<std::size_t>(found - events.begin());
        }
        names_.push_back(metric.name);
        terms_.push_back(term);
    }
}

void PmuMetrics::evaluate(const PmuSample& sample, std::vector<double>& values) const {
    const double total_us = total_time_us(sample);
    const auto cycles = static_cast<double>(sample.total_cycles);
    values.clear();
    values.push_back(total_us * 1000);
    values.push_back(cycles);
    for (const Term& term : terms_) {
        const Metric& metric = *static_cast<const Metric*>(term.metric);
        const auto counter = [&](std::size_t place) { return static_cast<double>(sample.counters[term.counters[place]]); };
        double value = 0;
        switch (metric.formula) {
            case Formula::ratio:
            case Formula::time:
                for (std::size_t place = 0; sample.total_cycles != 0 && place < term.count; ++place) {
                    value += counter(place) / cycles;
                }
                if (metric.formula == Formula::time) {
                    value = total_us * value * 1000;
                }
                break;
            case Formula::miss:
                if (sample.total_cycles != 0 && counter(0) != 0 && counter(1) != 0) {
                    value = counter(0) / cycles / (counter(1) / cycles);
                }
                break;
            case Formula::bandwidth:
                if (sample.total_cycles != 0 && sample.nominal_clock_hz > 0) {
                    value = counter(0) * metric.weights[0] * metric.weights[1] / (cycles / sample.nominal_clock_hz) / kGigaBytes;
                }
                break;
            case Formula::count:
            case Formula::weighted:
                for (std::size_t place = 0; place < term.count; ++place) {
                    value += counter(place) * metric.weights[place];
                }
                break;
            case Formula::rest:
                value = counter(0) * metric.weights[0];
                for (std::size_t place = 1; place < term.count; ++place) {
                    value -= counter(place) * metric.weights[place];
                }
                break;
        }
        values.push_back(value);
    }
}

std::vector<std::string> PmuMetrics::groups() {
    std::vector<std::string> names;
    for (const Group& one : kGroups) {
        names.emplace_back(one.name);
    }
    return names;
}

}  // namespace npuwh::prof

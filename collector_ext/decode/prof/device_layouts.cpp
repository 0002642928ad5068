#include "decode/prof/device_layouts.hpp"

#include "decode/prof/host_layouts.hpp"

namespace npuwh::prof {
namespace {

using T = FieldType;

template <std::size_t N>
using Table = std::array<Field, N>;

// --- 5.3 -----------------------------------------------------------------------------------------
constexpr Table<10> kSioFields{{
    {"time", 8, T::u64},
    {"acc", 18, T::u16},
    {"rx_req", 32, T::u32},
    {"rx_rsp", 36, T::u32},
    {"rx_snp", 40, T::u32},
    {"rx_dat", 44, T::u32},
    {"tx_req", 48, T::u32},
    {"tx_rsp", 52, T::u32},
    {"tx_snp", 56, T::u32},
    {"tx_dat", 60, T::u32},
}};
constexpr Table<6> kAccPmuFields{{
    {"time", 8, T::u64},
    {"acc", 18, T::u16},
    {"read_bandwidth", 32, T::u64},
    {"write_bandwidth", 40, T::u64},
    {"read_outstanding", 48, T::u64},
    {"write_outstanding", 56, T::u64},
}};
// link_type 0: PA link (receive, transmit), 1: PCIe (write, read)
constexpr Table<5> kChipTransmissionFields{{
    {"time", 8, T::u64},
    {"link_type", 0, T::u16, 1, 10, 6},
    {"link", 18, T::u16, 1, 0, 6},
    {"value_0", 32, T::u64},
    {"value_1", 40, T::u64},
}};
constexpr Table<3> kInterSocFields{{
    {"time", 8, T::u64},
    {"buffer_level", 32, T::u16, 1, 3, 8},
    {"mata_level", 32, T::u16, 1, 0, 3},
}};
// Samples stand in the record pairwise swapped: 31..16 before 15..0.
constexpr Table<22> kLowPowerFields{{
    {"time", 8, T::u64},         {"die", 0, T::u16, 1, 10, 6}, {"sample_0", 26, T::u16},  {"sample_1", 24, T::u16},
    {"sample_2", 30, T::u16},    {"sample_3", 28, T::u16},     {"sample_4", 34, T::u16},  {"sample_5", 32, T::u16},
    {"sample_6", 38, T::u16},    {"sample_7", 36, T::u16},     {"sample_8", 42, T::u16},  {"sample_9", 40, T::u16},
    {"sample_10", 46, T::u16},   {"sample_11", 44, T::u16},    {"sample_12", 50, T::u16}, {"sample_13", 48, T::u16},
    {"sample_14", 54, T::u16},   {"sample_15", 52, T::u16},    {"sample_16", 58, T::u16}, {"sample_17", 56, T::u16},
    {"sample_18", 62, T::u16},   {"sample_19", 60, T::u16},
}};
constexpr Table<3> kStarsQosFields{{
    {"time", 8, T::u64},
    {"die", 0, T::u16, 1, 10, 6},
    {"bandwidth", 24, T::u32, 10},
}};

// --- 5.4 -----------------------------------------------------------------------------------------
constexpr Table<10> kPmuContextFields{{
    {"stream", 4, T::stream},
    {"task", 4, T::task},
    {"sub_task_type", 16, T::u16, 1, 0, 8},
    {"overflow", 16, T::u16, 1, 10, 1},
    {"context", 18, T::u16},
    {"ffts_type", 20, T::u16, 1, 13, 3},
    {"total_cycles", 32, T::u64},
    {"counter", 48, T::u64, kPmuCounters},
    {"start", 112, T::u64},
    {"end", 120, T::u64},
}};
constexpr Table<13> kPmuBlockFields{{
    {"stream", 4, T::stream},
    {"task", 4, T::task},
    {"sub_task_type", 16, T::u16, 1, 0, 8},
    {"context", 18, T::u16},
    {"core_type", 20, T::u8, 1, 0, 1},
    {"core", 20, T::u8, 1, 1, 7},
    {"ffts_type", 21, T::u8, 1, 5, 3},
    {"sub_block", 28, T::u16},
    {"block", 30, T::u16},
    {"total_cycles", 32, T::u64},
    {"counter", 48, T::u64, kPmuCounters},
    {"start", 112, T::u64},
    {"end", 120, T::u64},
}};

// --- 5.5 -----------------------------------------------------------------------------------------
constexpr Table<6> kStepTraceFields{{
    {"time", 8, T::u64},
    {"index", 16, T::u64},
    {"model", 24, T::u64},
    {"stream", 32, T::u16, 1, 0, 11},
    {"task", 34, T::u16},
    {"tag", 36, T::u16},
}};
constexpr Table<4> kTaskFlipFields{{
    {"time", 8, T::u64},
    {"stream", 16, T::u16, 1, 0, 11},
    {"flip", 18, T::u16},
    {"task", 22, T::u16},
}};
constexpr Table<4> kMemcpyStateFields{{
    {"time", 8, T::u64},
    {"stream", 16, T::u16, 1, 0, 11},
    {"task", 18, T::u16},
    {"state", 20, T::u8},
}};
constexpr Table<5> kTaskTypeFields{{
    {"time", 8, T::u64},
    {"stream", 16, T::u16, 1, 0, 11},
    {"task", 18, T::u16},
    {"task_type", 20, T::u16},
    {"state", 22, T::u8},
}};
constexpr Table<4> kBlockCountFields{{
    {"time", 8, T::u64},
    {"stream", 16, T::u16, 1, 0, 11},
    {"task", 18, T::u16},
    {"block_count", 20, T::u32},
}};

// --- 5.6: head of an additional record, stamps in device ticks ------------------------------------
constexpr Table<2> kAicpuHead{{
    {"thread", 8, T::u32},
    {"time", 16, T::u64},
}};
constexpr auto kAicpuNodeFields = join(kAicpuHead, Table<20>{{
    {"stream", 24, T::stream},
    {"task", 24, T::task},
    {"run_start_time", 32, T::u64},
    {"run_start", 40, T::u64},
    {"compute_start_us", 48, T::u64},
    {"copy_start_us", 56, T::u64},
    {"copy_end_us", 64, T::u64},
    {"run_end_time", 72, T::u64},
    {"run_end", 80, T::u64},
    {"cpu_thread", 88, T::u32},
    {"device", 92, T::u32},
    {"submit", 96, T::u64},
    {"schedule", 104, T::u64},
    {"before_run", 112, T::u64},
    {"after_run", 120, T::u64},
    {"kernel_type", 128, T::u32},
    {"dispatch_us", 132, T::u32},
    {"total_us", 136, T::u32},
    {"ffts_thread", 140, T::u16},
    {"version", 142, T::u8},
}});
constexpr auto kAicpuPreprocessFields = join(kAicpuHead, Table<4>{{
    {"action", 24, T::text, 16},
    {"source", 40, T::text, 64},
    {"index", 104, T::u64},
    {"size", 112, T::u64},
}});
constexpr auto kAicpuModelFields = join(kAicpuHead, Table<4>{{
    {"index", 24, T::u64},
    {"model", 32, T::u32},
    {"tag", 36, T::u16},
    {"event", 40, T::u64},
}});
constexpr auto kAicpuQueueFields = join(kAicpuHead, Table<4>{{
    {"tag", 24, T::u32},
    {"queue_size", 32, T::u64},
    {"start_us", 40, T::u64},
    {"end_us", 48, T::u64},
}});
constexpr auto kKfcCommTurnFields = join(kAicpuHead, Table<14>{{
    {"server_start", 24, T::u64},
    {"wait_message_start", 32, T::u64},
    {"algorithm_start", 40, T::u64},
    {"send_task_start", 48, T::u64},
    {"send_sqe_end", 56, T::u64},
    {"queue_end", 64, T::u64},
    {"server_end", 72, T::u64},
    {"size", 80, T::u64},
    {"device", 88, T::u32},
    {"stream", 92, T::stream},
    {"task", 92, T::task},
    {"version", 96, T::u8},
    {"turn_count", 97, T::u8},
    {"turn", 98, T::u8},
}});
constexpr auto kKfcComputeTurnFields = join(kAicpuHead, Table<10>{{
    {"wait_compute_start", 24, T::u64},
    {"compute_start", 32, T::u64},
    {"compute_end", 40, T::u64},
    {"size", 48, T::u64},
    {"device", 56, T::u32},
    {"stream", 60, T::stream},
    {"task", 60, T::task},
    {"version", 64, T::u8},
    {"turn_count", 65, T::u8},
    {"turn", 66, T::u8},
}});
constexpr auto kDeviceHcclOpFields = join(kAicpuHead, Table<9>{{
    {"relay", 24, T::u8, 1, 0, 1},
    {"retry", 24, T::u8, 1, 1, 1},
    {"data_type", 25, T::u8},
    {"algorithm", 26, T::u64},
    {"count", 34, T::u64},
    {"group", 42, T::u64},
    {"rank_count", 50, T::u32},
    {"stream", 54, T::u16},
    {"task", 56, T::u32},
}});
constexpr auto kAicpuFlipFields = join(kAicpuHead, Table<3>{{
    {"stream", 24, T::stream},
    {"task", 24, T::task},
    {"flip", 28, T::u32},
}});
constexpr auto kMasterStreamTaskFields = join(kAicpuHead, Table<5>{{
    {"aicpu_stream", 24, T::stream},
    {"aicpu_task", 24, T::task},
    {"stream", 28, T::stream},
    {"task", 28, T::task},
    {"is_last", 32, T::u16},
}});
// One of the two parts of a record, 116 bytes each.
constexpr Table<23> kDeviceHcclTaskFields{{
    {"item", 0, T::u64},
    {"tag", 8, T::u64},
    {"group", 16, T::u64},
    {"local_rank", 24, T::u32},
    {"remote_rank", 28, T::u32},
    {"rank_count", 32, T::u32},
    {"stage", 36, T::u32},
    {"notify", 40, T::u64},
    {"task_time", 48, T::u64},
    {"duration_estimated", 56, T::f64},
    {"source_address", 64, T::u64},
    {"target_address", 72, T::u64},
    {"size", 80, T::u64},
    {"task", 88, T::u32},
    {"stream", 96, T::u16},
    {"plane", 98, T::u16},
    {"op_type", 100, T::u8},
    {"data_type", 101, T::u8},
    {"link_type", 102, T::u8},
    {"transport_type", 103, T::u8},
    {"rdma_type", 104, T::u8},
    {"role", 105, T::u8},
    {"work_flow_mode", 106, T::u8},
}};
constexpr Repeat kDeviceHcclTasks{Repeat::kAlwaysAll, 2, 24, 116, kDeviceHcclTaskFields};

// --- 5.7 -----------------------------------------------------------------------------------------
constexpr Table<4> kNpuMem1Fields{{
    {"time_us", 0, T::u32},
    {"event", 4, T::u32},
    {"ddr_bytes", 16, T::u64},
    {"hbm_bytes", 24, T::u64},
}};
constexpr Table<4> kNpuMem2Fields{{
    {"time", 8, T::u64},
    {"event", 4, T::u32},
    {"ddr_bytes", 16, T::u64},
    {"hbm_bytes", 24, T::u64},
}};
// time: host ticks, although the file lies in the device directory
constexpr Table<3> kNpuModuleMemFields{{
    {"module", 0, T::u32},
    {"time", 8, T::u64},
    {"reserved_bytes", 16, T::u64},
}};
constexpr Table<4> kHbm1Fields{{
    {"time_us", 0, T::u64},
    {"count", 8, T::u64},
    {"event", 16, T::u32},
    {"hbm", 20, T::u32},
}};
constexpr Table<4> kHbm2Fields{{
    {"event", 8, T::u32},
    {"hbm", 12, T::u32},
    {"count", 16, T::u64},
    {"time", 24, T::u64},
}};
constexpr Table<5> kDdrFields{{
    {"time_us", 0, T::u32},
    {"count", 4, T::u32},
    {"event", 8, T::u32},
    {"ddr", 12, T::u32},
    {"mark", 16, T::u32},
}};
constexpr Table<4> kLlcFields{{
    {"time_us", 0, T::u64},
    {"count", 8, T::u64},
    {"event", 16, T::u32},
    {"llc", 20, T::u32},
}};
// layout of 2.0: github.com/Ascend/msprof, analysis/msparser/hardware/llc_parser.py
constexpr Table<4> kLlc2Fields{{
    {"count", 4, T::u32},
    {"event", 8, T::u32},
    {"llc", 12, T::u32},
    {"time", 16, T::u64},
}};
constexpr Table<4> kL2CacheFields{{
    {"task_type", 0, T::u16},
    {"stream", 2, T::u16},
    {"task", 4, T::u16},
    {"counter", 8, T::u64, 8},
}};
// kind 1: L2 cache, 2: TLB
constexpr Table<5> kSocPmuFields{{
    {"task_type", 8, T::u16},
    {"stream", 10, T::u16},
    {"task", 12, T::u16},
    {"kind", 14, T::u16},
    {"counter", 16, T::u64, 8},
}};
constexpr Table<23> kPcieFields{{
    {"time", 0, T::u64},
    {"device", 8, T::u32},
    {"tx_post_min", 12, T::u32},
    {"tx_post_max", 16, T::u32},
    {"tx_post_avg", 20, T::u32},
    {"tx_nonpost_min", 24, T::u32},
    {"tx_nonpost_max", 28, T::u32},
    {"tx_nonpost_avg", 32, T::u32},
    {"tx_cpl_min", 36, T::u32},
    {"tx_cpl_max", 40, T::u32},
    {"tx_cpl_avg", 44, T::u32},
    {"tx_nonpost_latency_min", 48, T::u32},
    {"tx_nonpost_latency_max", 52, T::u32},
    {"tx_nonpost_latency_avg", 56, T::u32},
    {"rx_post_min", 60, T::u32},
    {"rx_post_max", 64, T::u32},
    {"rx_post_avg", 68, T::u32},
    {"rx_nonpost_min", 72, T::u32},
    {"rx_nonpost_max", 76, T::u32},
    {"rx_nonpost_avg", 80, T::u32},
    {"rx_cpl_min", 84, T::u32},
    {"rx_cpl_max", 88, T::u32},
    {"rx_cpl_avg", 92, T::u32},
}};
constexpr Table<2> kQosFields{{
    {"time", 16, T::u64},
    {"bandwidth", 24, T::u32, 10},
}};
constexpr Table<1> kFrequencyFields{{
    {"change_count", 0, T::u32},
}};
constexpr Table<2> kFrequencyChanges{{
    {"time", 0, T::u64},
    {"mhz", 8, T::u32},
}};
constexpr Table<2> kLowPowerStateFields{{
    {"change_count", 0, T::u32},
    {"kind", 4, T::u32},
}};
constexpr Table<2> kLowPowerChanges{{
    {"time", 0, T::u64},
    {"value", 8, T::u32},
}};
// sample-based mode
constexpr Table<6> kCoreSampleFields{{
    {"mode", 0, T::u8},
    {"counter", 8, T::u64, kPmuCounters},
    {"total_cycles", 72, T::u64},
    {"time", 80, T::u64},
    {"counter_count", 88, T::u8},
    {"core", 89, T::u8},
}};

constexpr std::size_t kChangesSize = 888;
constexpr Repeat kFrequencies{0, 55, 8, 16, kFrequencyChanges};
constexpr Repeat kLowPowers{0, 55, 8, 16, kLowPowerChanges};

static_assert(fits(kSioFields, kStarsSize) &&
              fits(kAccPmuFields, kStarsSize) && fits(kChipTransmissionFields, kStarsSize) &&
              fits(kInterSocFields, kStarsSize) && fits(kLowPowerFields, kStarsSize) && fits(kStarsQosFields, kStarsSize));
static_assert(fits(kPmuContextFields, kPmuSize) && fits(kPmuBlockFields, kPmuSize));
static_assert(fits(kStepTraceFields, kTrackSize) && fits(kTaskFlipFields, kTrackSize) &&
              fits(kMemcpyStateFields, kTrackSize) && fits(kTaskTypeFields, kTrackSize) && fits(kBlockCountFields, kTrackSize));
static_assert(fits(kAicpuNodeFields, kAdditionalSize) && fits(kAicpuPreprocessFields, kAdditionalSize) &&
              fits(kAicpuModelFields, kAdditionalSize) && fits(kAicpuQueueFields, kAdditionalSize) &&
              fits(kKfcCommTurnFields, kAdditionalSize) && fits(kKfcComputeTurnFields, kAdditionalSize) &&
              fits(kDeviceHcclOpFields, kAdditionalSize) && fits(kAicpuFlipFields, kAdditionalSize) &&
              fits(kMasterStreamTaskFields, kAdditionalSize) && fits(kDeviceHcclTaskFields, 116) &&
              fits(kDeviceHcclTasks, kAdditionalSize));
static_assert(fits(kNpuMem1Fields, 32) && fits(kNpuMem2Fields, 32) && fits(kNpuModuleMemFields, 24) && fits(kHbm1Fields, 24) &&
              fits(kHbm2Fields, 32) && fits(kDdrFields, 20) && fits(kLlcFields, 24) && fits(kLlc2Fields, 24) &&
              fits(kL2CacheFields, 72) && fits(kSocPmuFields, 80) && fits(kPcieFields, 96) && fits(kQosFields, 64) && fits(kCoreSampleFields, 96) &&
              fits(kFrequencies, kChangesSize) && fits(kLowPowers, kChangesSize));

}  // namespace

const RecordLayout kSio{"sio", "5.3", kSioFields};
const RecordLayout kAccPmu{"acc_pmu", "5.3", kAccPmuFields};
const RecordLayout kChipTransmission{"chip_transmission", "5.3", kChipTransmissionFields};
const RecordLayout kInterSoc{"inter_soc", "5.3", kInterSocFields};
const RecordLayout kLowPower{"low_power", "5.3", kLowPowerFields};
const RecordLayout kStarsQos{"qos", "5.3", kStarsQosFields};

const RecordLayout kPmuContext{"pmu_context", "5.4", kPmuContextFields};
const RecordLayout kPmuBlock{"pmu_block", "5.4", kPmuBlockFields};

const RecordLayout kStepTrace{"step_trace", "5.5", kStepTraceFields};
const RecordLayout kTaskFlip{"task_flip", "5.5", kTaskFlipFields};
const RecordLayout kMemcpyState{"memcpy_state", "5.5", kMemcpyStateFields};
const RecordLayout kTaskType{"task_type", "5.5", kTaskTypeFields};
const RecordLayout kBlockCount{"block_count", "5.5", kBlockCountFields};

const RecordLayout kAicpuNode{"aicpu_node", "5.6", kAicpuNodeFields};
const RecordLayout kAicpuPreprocess{"aicpu_preprocess", "5.6", kAicpuPreprocessFields};
const RecordLayout kAicpuModel{"aicpu_model", "5.6", kAicpuModelFields};
const RecordLayout kAicpuQueue{"aicpu_queue", "5.6", kAicpuQueueFields};
const RecordLayout kKfcCommTurn{"kfc_comm_turn", "5.6", kKfcCommTurnFields};
const RecordLayout kKfcComputeTurn{"kfc_compute_turn", "5.6", kKfcComputeTurnFields};
const RecordLayout kDeviceHcclOp{"device_hccl_op", "5.6", kDeviceHcclOpFields};
const RecordLayout kAicpuFlip{"aicpu_flip", "5.6", kAicpuFlipFields};
const RecordLayout kMasterStreamTask{"master_stream_task", "5.6", kMasterStreamTaskFields};
const RecordLayout kDeviceHcclTask{"device_hccl_task", "5.6", kAicpuHead, kDeviceHcclTasks};

const RecordLayout kNpuMem1{"npu_mem", "5.7", kNpuMem1Fields};
const RecordLayout kNpuMem2{"npu_mem", "5.7", kNpuMem2Fields};
const RecordLayout kNpuModuleMem{"npu_module_mem", "5.7", kNpuModuleMemFields};
const RecordLayout kHbm1{"hbm", "5.7", kHbm1Fields};
const RecordLayout kHbm2{"hbm", "5.7", kHbm2Fields};
const RecordLayout kDdr{"ddr", "5.7", kDdrFields};
const RecordLayout kLlc{"llc", "5.7", kLlcFields};
const RecordLayout kLlc2{"llc", "5.7", kLlc2Fields};
const RecordLayout kL2Cache{"l2_cache", "5.7", kL2CacheFields};
const RecordLayout kSocPmu{"soc_pmu", "5.7", kSocPmuFields};
const RecordLayout kPcie{"pcie", "5.7", kPcieFields};
const RecordLayout kQos{"qos", "5.7", kQosFields};
const RecordLayout kFrequency{"frequency", "5.7", kFrequencyFields, kFrequencies};
const RecordLayout kLowPowerState{"low_power_state", "5.7", kLowPowerStateFields, kLowPowers};
const RecordLayout kCoreSample{"core_sample", "5.7", kCoreSampleFields};

}  // namespace npuwh::prof

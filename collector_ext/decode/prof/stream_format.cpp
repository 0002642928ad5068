#include "decode/prof/stream_format.hpp"

#include <algorithm>

#include "decode/byte_window.hpp"
#include "decode/prof/device_layouts.hpp"
#include "decode/prof/host_layouts.hpp"
#include "decode/prof/prof_faults.hpp"

namespace npuwh::prof {
namespace {

constexpr Selected kNoLayout{0, &fault::kUnknownType};

// --- host ----------------------------------------------------------------------------------------
constexpr std::array<std::uint16_t, 9> kLevels{5000, 5500, 6000, 10000, 15000, 20000, 20500, 25000, 30000};  // section 3

Selected select_by_level(const std::uint8_t* record) {
    const auto level = load_le<std::uint16_t>(record + 2);
    const bool is_known = std::find(kLevels.begin(), kLevels.end(), level) != kLevels.end();
    return {0, is_known ? nullptr : &fault::kUnknownLevel};
}

// 5.6: level 6000, the type tells the layout
Selected select_aicpu(const std::uint8_t* record) {
    if (load_le<std::uint16_t>(record + 2) != 6000) {
        return {0, &fault::kUnknownLevel};
    }
    switch (load_le<std::uint32_t>(record + 4)) {
        case 0:
            return {0};
        case 1:
            return {1};
        case 2:
            return {2};
        case 3:
            return {3};
        case 4:
            return {4};
        case 5:
            return {5};
        case 10:
            return {6};
        case 11:
            return {7};
        case 12:
            return {8};
        case 13:
            return {9};
        default:
            return kNoLayout;
    }
}

// --- device --------------------------------------------------------------------------------------
// 5.3
Selected select_stars_profile(const std::uint8_t* record) {
    switch (stars_function(record)) {
        case 0x19:
            return {0};
        case 0x1A:
            return {1};
        case 0x1B:
            return {2};
        case 0x1C:
            return {3};
        case 0x1D:
            return {4};
        case 0x18:
            return {5};
        default:
            return kNoLayout;
    }
}

// 5.4
Selected select_pmu(const std::uint8_t* record) {
    switch (stars_function(record)) {
        case 0x28:
            return {0};
        case 0x29:
            return {1};
        default:
            return kNoLayout;
    }
}

// 5.5: second byte
Selected select_track(const std::uint8_t* record) {
    switch (record[1]) {
        case 0x0A:
            return {0};
        case 0x0E:
            return {1};
        case 0x0B:
            return {2};
        case 0x0C:
            return {3};
        case 0x0F:
            return {4};
        default:
            return kNoLayout;
    }
}

template <Selected (*Select)(const std::uint8_t*)>
bool is_selected(const std::uint8_t* record) {
    return Select(record).fault == nullptr;
}

// 0 or 1 at the offset: read or write, app or device
template <std::size_t Offset>
bool is_flag(const std::uint8_t* record) {
    return load_le<std::uint32_t>(record + Offset) <= 1;
}

bool is_module(const std::uint8_t* record) { return load_le<std::uint32_t>(record) < 256; }
bool is_change_list(const std::uint8_t* record) { return load_le<std::uint32_t>(record) <= 55; }
bool is_core_sample(const std::uint8_t* record) { return record[88] <= kPmuCounters; }

bool is_soc_pmu(const std::uint8_t* record) {
    const auto kind = load_le<std::uint16_t>(record + 14);
    return kind == 1 || kind == 2;
}

constexpr auto kStarsProfileLayouts = std::array<const RecordLayout*, 10>{
    &kSio, &kAccPmu, &kChipTransmission, &kInterSoc, &kLowPower, &kStarsQos};
constexpr auto kTrackLayouts =
    std::array<const RecordLayout*, 10>{&kStepTrace, &kTaskFlip, &kMemcpyState, &kTaskType, &kBlockCount};
constexpr auto kAicpuLayouts =
    std::array<const RecordLayout*, 10>{&kAicpuNode,      &kAicpuPreprocess, &kAicpuModel, &kAicpuQueue,       &kKfcCommTurn,
                                        &kKfcComputeTurn, &kDeviceHcclOp,    &kAicpuFlip,  &kMasterStreamTask, &kDeviceHcclTask};

// 5.7: time, then these
constexpr auto kNetworkColumns = std::array<const char*, 16>{
    "time",       "bandwidth",      "rx_packet_rate", "rx_byte_rate", "rx_packets", "rx_bytes",  "rx_errors", "rx_dropped",
    "tx_packet_rate", "tx_byte_rate", "tx_packets",   "tx_bytes",     "tx_errors",  "tx_dropped", "function"};
constexpr auto kNetdevColumns = std::array<const char*, 16>{
    "time",            "mac_tx_pfc_packets", "mac_rx_pfc_packets", "mac_tx_bytes",     "mac_rx_bytes",      "mac_tx_bad_bytes",
    "mac_rx_bad_bytes", "roce_tx_packets",   "roce_rx_packets",    "roce_tx_error_packets", "roce_rx_error_packets",
    "roce_tx_cnp_packets", "roce_rx_cnp_packets", "roce_new_packet_retries", "nic_tx_bytes", "nic_rx_bytes"};
constexpr auto kHccsColumns = std::array<const char*, 16>{"time", "tx", "rx"};

constexpr StreamFormat host(const char* name, std::uint16_t size, const RecordLayout& layout, Reader reader = Reader::records) {
    return {name, reader, Marker::host, size, {&layout}, select_by_level};
}

const std::array kFormats{
    StreamFormat{"api_event", Reader::api, Marker::host, kApiSize, {&kApi, &kEvent}, select_by_level},
    host("compact.node_basic_info", kCompactSize, kNodeBasicInfo),
    host("compact.node_attr_info", kCompactSize, kNodeAttrInfo),
    host("compact.task_track", kCompactSize, kTaskTrack),
    host("compact.memcpy_info", kCompactSize, kMemcpyInfo),
    host("compact.hccl_op_info", kCompactSize, kHcclOpInfo),
    host("compact.capture_stream_info", kCompactSize, kCaptureStreamInfo),
    host("compact.dpu_track", kCompactSize, kDpuTrack),
    StreamFormat{"compact.expand_stream_spec", Reader::records, Marker::none, kCompactSize, {&kExpandStreamSpec}},
    host("additional.tensor_info", kAdditionalSize, kTensorInfo, Reader::tensors),
    host("additional.context_id_info", kAdditionalSize, kContextIdInfo),
    host("additional.hccl_info", kAdditionalSize, kHcclInfo),
    host("additional.fusion_op_info", kAdditionalSize, kFusionOpInfo),
    host("additional.graph_id_map", kAdditionalSize, kGraphIdMap),
    host("additional.logic_stream_info", kAdditionalSize, kLogicStreamInfo),
    host("additional.Multi_Thread", kAdditionalSize, kMultiThread),
    host("additional.task_memory_info", kAdditionalSize, kTaskMemoryInfo),
    host("additional.memory_application", 66, kMemoryApplication),
    host("additional.static_op_mem", kAdditionalSize, kStaticOpMem),
    host("additional.mc2_comm_info", kAdditionalSize, kMc2CommInfo),
    host("additional.msproftx", kAdditionalSize, kMsproftx),
    host("additional.capture_op_info", kAdditionalSize, kCaptureOpInfo),
    host("variable.capture_op_info", 88, kCaptureOpInfoVariable, Reader::variable),
    StreamFormat{"additional.hash_dic", Reader::hashes},
    StreamFormat{"additional.type_info_dic", Reader::types},

    StreamFormat{"stars_soc", Reader::tasks, Marker::stars, kStarsSize, {&kAccPmu}},
    StreamFormat{"stars_soc_profile", Reader::records, Marker::maybe_stars, kStarsSize, kStarsProfileLayouts,
                 select_stars_profile, is_selected<select_stars_profile>},
    StreamFormat{"ffts_profile", Reader::records, Marker::maybe_stars, kPmuSize, {&kPmuContext, &kPmuBlock}, select_pmu,
                 is_selected<select_pmu>},
    StreamFormat{"ts_track", Reader::records, Marker::none, kTrackSize, kTrackLayouts, select_track, is_selected<select_track>},
    StreamFormat{"aicpu", Reader::records, Marker::host, kAdditionalSize, kAicpuLayouts, select_aicpu},
    StreamFormat{"npu_mem", Reader::records, Marker::none, 32, {&kNpuMem1}, nullptr, is_flag<4>},
    StreamFormat{"npu_mem", Reader::records, Marker::none, 32, {&kNpuMem2}, nullptr, is_flag<4>},
    StreamFormat{"npu_mem.app", Reader::records, Marker::none, 32, {&kNpuMem1}, nullptr, is_flag<4>},
    StreamFormat{"npu_mem.app", Reader::records, Marker::none, 32, {&kNpuMem2}, nullptr, is_flag<4>},
    StreamFormat{"npu_module_mem", Reader::records, Marker::none, 24, {&kNpuModuleMem}, nullptr, is_module},
    StreamFormat{"hbm", Reader::records, Marker::none, 24, {&kHbm1}, nullptr, is_flag<16>},
    StreamFormat{"hbm", Reader::records, Marker::none, 32, {&kHbm2}, nullptr, is_flag<8>},
    StreamFormat{"ddr", Reader::records, Marker::none, 20, {&kDdr}},
    StreamFormat{"llc", Reader::records, Marker::none, 24, {&kLlc}},
    StreamFormat{"llc", Reader::records, Marker::none, 24, {&kLlc2}},
    StreamFormat{"l2_cache", Reader::records, Marker::none, 72, {&kL2Cache}},
    StreamFormat{"socpmu", Reader::records, Marker::none, 80, {&kSocPmu}, nullptr, is_soc_pmu},
    StreamFormat{"pcie", Reader::records, Marker::none, 96, {&kPcie}},
    StreamFormat{"qos", Reader::records, Marker::none, 64, {&kQos}},
    StreamFormat{"lpmFreqConv", Reader::records, Marker::none, 888, {&kFrequency}, nullptr, is_change_list},
    StreamFormat{"lpmInfoConv", Reader::records, Marker::none, 888, {&kLowPowerState}, nullptr, is_change_list},
    StreamFormat{"aicore", Reader::records, Marker::none, 96, {&kCoreSample}, nullptr, is_core_sample},
    StreamFormat{"aiVectorCore", Reader::records, Marker::none, 96, {&kCoreSample}, nullptr, is_core_sample},
    StreamFormat{"hccs", Reader::table, Marker::none, 0, {}, nullptr, nullptr, kHccsColumns},
    StreamFormat{"nic", Reader::table, Marker::none, 0, {}, nullptr, nullptr, kNetworkColumns},
    StreamFormat{"roce", Reader::table, Marker::none, 0, {}, nullptr, nullptr, kNetworkColumns},
    StreamFormat{"netdev_stats", Reader::table, Marker::none, 0, {}, nullptr, nullptr, kNetdevColumns},
};

// Known by name, but what they hold is not specified: text of samplers, older and newer chips, instruction level data.
constexpr std::array<std::string_view, 25> kNamesOnly{
    "SystemCpuUsage", "Memory",       "ai_ctrl_cpu",      "tscpu",         "dvpp",
    "hwts",           "stars_block",  "ub",               "ccu0.instr",    "ccu1.instr",
    "ccu0.stat",      "ccu1.stat",    "host_cpu",         "host_mem",      "host_disk",
    "host_network",   "host_syscall", "host_pthreadcall", "host_sys_cpu",  "host_sys_mem",
    "additional.dpu_hccl_info",  "additional.model_exeom", "additional.ccu_task_info", "additional.ccu_group_info",
    "additional.ccu_wait_signal_info",
};
constexpr StreamFormat kNameOnly{"", Reader::records};

// `<pid>-Memory`, `<pid>-CpuUsage`, `instr.group_<n>_aic`
bool is_name_only(std::string_view stream) {
    const std::size_t dash = stream.find('-');
    const bool is_of_process = dash != std::string_view::npos && dash > 0 &&
                               stream.find_first_not_of("0123456789") == dash &&
                               (stream.substr(dash) == "-Memory" || stream.substr(dash) == "-CpuUsage");
    return is_of_process || stream.substr(0, 6) == "instr." ||
           std::find(kNamesOnly.begin(), kNamesOnly.end(), stream) != kNamesOnly.end();
}

// Streams whose form depends on the collection format: the second entry of their name is that of "2.0".
bool has_two_forms(std::string_view stream) {
    return stream == "npu_mem" || stream == "npu_mem.app" || stream == "hbm" || stream == "llc";
}

bool is_chip_v4(const std::string& platform_version) { return platform_version == "5"; }
bool is_chip_v6(const std::string& platform_version) { return platform_version == "15" || platform_version == "16"; }

// Why the records of the stream have no known form in this collection, or null.
const FaultKind* unreadable(std::string_view stream, const Collection& collection) {
    const bool is_stars = stream == "stars_soc" || stream == "stars_soc_profile" || stream == "ffts_profile";
    if (is_stars && !is_chip_v4(collection.platform_version)) {
        return &fault::kUnsupportedChip;
    }
    // chip v6 has one 32-bit task number (4.2)
    if ((stream == "compact.task_track" || stream == "socpmu") && is_chip_v6(collection.platform_version)) {
        return &fault::kUnsupportedChip;
    }
    if ((stream == "aicore" || stream == "aiVectorCore") && !collection.is_sampled) {
        return &fault::kUnsupportedForm;
    }
    if (has_two_forms(stream) && collection.version != "1.0" && collection.version != "2.0") {
        return &fault::kUnsupportedForm;
    }
    return nullptr;
}

}  // namespace

std::size_t StreamFormat::layout_count() const {
    return static_cast<std::size_t>(std::find(layouts.begin(), layouts.end(), nullptr) - layouts.begin());
}

FormatFound find_format(std::string_view stream, const Collection& collection) {
    if (is_name_only(stream)) {
        return {&kNameOnly, &fault::kNoLayout};
    }
    const StreamFormat* found = nullptr;
    for (const StreamFormat& format : kFormats) {
        if (format.name == stream) {
            found = &format;
            if (!has_two_forms(stream) || collection.version != "2.0") {
                break;
            }
        }
    }
    return {found, found == nullptr ? nullptr : unreadable(stream, collection)};
}

const StreamFormat* format_at(std::size_t index) { return index < kFormats.size() ? &kFormats[index] : nullptr; }

bool has_host_magic(const std::uint8_t* record) { return load_le<std::uint16_t>(record) == kHostMagic; }
bool is_host_record(const std::uint8_t* record) { return has_host_magic(record) && load_le<std::uint16_t>(record + 2) % 500 == 0; }
bool has_stars_magic(const std::uint8_t* record) { return load_le<std::uint16_t>(record + 2) == kStarsMagic; }
std::uint16_t stars_function(const std::uint8_t* record) { return load_le<std::uint16_t>(record) & 0x3F; }

}  // namespace npuwh::prof

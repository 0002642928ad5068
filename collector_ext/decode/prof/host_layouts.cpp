#include "decode/prof/host_layouts.hpp"

namespace npuwh::prof {
namespace {

using T = FieldType;

template <std::size_t N>
using Table = std::array<Field, N>;

// Head of every compact and additional record (4.2)
constexpr Table<5> kHead{{
    {"level", 2, T::u16},
    {"type", 4, T::u32},
    {"thread", 8, T::u32},
    {"data_size", 12, T::u32},
    {"time", 16, T::u64},
}};

// --- 4.1 -----------------------------------------------------------------------------------------
constexpr Table<7> kApiFields{{
    {"level", 2, T::u16},
    {"type", 4, T::u32},
    {"thread", 8, T::u32},
    {"request", 12, T::u32},
    {"start", 16, T::u64},
    {"end", 24, T::u64},
    {"item", 32, T::u64},
}};
constexpr Table<6> kEventFields{{
    {"level", 2, T::u16},
    {"type", 4, T::u32},
    {"thread", 8, T::u32},
    {"request", 12, T::u32},
    {"time", 16, T::u64},
    {"item", 32, T::u64},
}};

// --- 4.2 -----------------------------------------------------------------------------------------
constexpr auto kNodeBasicInfoFields = join(kHead, Table<6>{{
    {"op_name", 24, T::u64},
    {"task_type", 32, T::u32},
    {"op_type", 36, T::u64},
    {"block_count", 44, T::u16},
    {"mix_ratio", 46, T::u16},
    {"op_flag", 48, T::u32},
}});
constexpr auto kNodeAttrInfoFields = join(kHead, Table<3>{{
    {"op_name", 24, T::u64},
    {"attr_type", 32, T::u32},
    {"attr", 36, T::u64},
}});
// The fields from byte 48 on are valid only if data_size is 40; which of the two forms they have depends on the task type.
constexpr auto kTaskTrackFields = join(kHead, Table<14>{{
    {"device", 24, T::u16, 1, 0, 12},
    {"device_kind", 24, T::u16, 1, 12, 4},
    {"stream", 26, T::u16},
    {"task", 28, T::u16},
    {"batch", 30, T::u16},
    {"task_type", 32, T::u64},
    {"kernel_name", 40, T::u64},
    {"block_count", 48, T::u16},
    {"args_size", 50, T::u16},
    {"core_ratio", 52, T::u8, 1, 0, 3},
    {"schedule_mode", 52, T::u8, 1, 3, 2},
    {"simt_grid", 48, T::u16, 3},
    {"simt_block", 54, T::u16, 3},
    {"simt_args_size", 60, T::u16},
}});
constexpr auto kMemcpyInfoFields = join(kHead, Table<3>{{
    {"size", 24, T::u64},
    {"max_size", 32, T::u64},
    {"direction", 40, T::u16},
}});
constexpr auto kCaptureStreamInfoFields = join(kHead, Table<5>{{
    {"status", 24, T::u16},
    {"model_stream", 26, T::u16},
    {"original_stream", 28, T::u16},
    {"model", 30, T::u16},
    {"device", 32, T::u16},
}});
constexpr auto kHcclOpInfoFields = join(kHead, Table<6>{{
    {"relay", 24, T::u8, 1, 0, 1},
    {"retry", 24, T::u8, 1, 1, 1},
    {"data_type", 25, T::u8},
    {"algorithm", 26, T::u64},
    {"count", 34, T::u64},
    {"group", 42, T::u64},
}});
constexpr auto kDpuTrackFields = join(kHead, Table<6>{{
    {"device", 24, T::u16, 1, 0, 12},
    {"device_kind", 24, T::u16, 1, 12, 4},
    {"stream", 26, T::u16},
    {"task", 28, T::u32},
    {"task_type", 32, T::u32},
    {"start", 40, T::u64},
}});
constexpr Table<1> kExpandStreamSpecFields{{
    {"expand_status", 24, T::u8},
}};

// --- 4.3 -----------------------------------------------------------------------------------------
constexpr auto kTensorInfoFields = join(kHead, Table<2>{{
    {"op_name", 24, T::u64},
    {"tensor_count", 32, T::u32},
}});
constexpr auto kContextIdInfoFields = join(kHead, Table<2>{{
    {"op_name", 24, T::u64},
    {"context_count", 32, T::u32},
}});
constexpr Table<1> kContextIds{{
    {"context", 0, T::u32},
}};
constexpr auto kHcclInfoFields = join(kHead, Table<21>{{
    {"item", 24, T::u64},
    {"tag", 32, T::u64},
    {"group", 40, T::u64},
    {"local_rank", 48, T::u32},
    {"remote_rank", 52, T::u32},
    {"rank_count", 56, T::u32},
    {"work_flow_mode", 60, T::u32},
    {"plane", 64, T::u32},
    {"context", 68, T::u32},
    {"notify", 72, T::u64},
    {"stage", 80, T::u32},
    {"role", 84, T::u32},
    {"duration_estimated", 88, T::f64},
    {"source_address", 96, T::u64},
    {"target_address", 104, T::u64},
    {"size", 112, T::u64},
    {"op_type", 120, T::u32},
    {"data_type", 124, T::u32},
    {"link_type", 128, T::u32},
    {"transport_type", 132, T::u32},
    {"rdma_type", 136, T::u32},
}});
constexpr auto kFusionOpInfoFields = join(kHead, Table<7>{{
    {"op_name", 24, T::u64},
    {"fusion_op_count", 32, T::u32},
    {"input_size", 36, T::u64},
    {"output_size", 44, T::u64},
    {"weight_size", 52, T::u64},
    {"workspace_size", 60, T::u64},
    {"total_size", 68, T::u64},
}});
constexpr Table<1> kFusionOps{{
    {"fusion_op", 0, T::u64},
}};
constexpr auto kGraphIdMapFields = join(kHead, Table<3>{{
    {"model_name", 24, T::u64},
    {"graph", 32, T::u32},
    {"model", 36, T::u32},
}});
constexpr auto kLogicStreamInfoFields = join(kHead, Table<2>{{
    {"logic_stream", 24, T::u32},
    {"physic_stream_count", 28, T::u32},
}});
constexpr Table<1> kPhysicStreams{{
    {"physic_stream", 0, T::u32},
}};
constexpr auto kMultiThreadFields = join(kHead, Table<1>{{
    {"sub_thread_count", 24, T::u32},
}});
constexpr Table<1> kSubThreads{{
    {"sub_thread", 0, T::u32},
}};
constexpr auto kTaskMemoryInfoFields = join(kHead, Table<7>{{
    {"address", 24, T::u64},
    {"size", 32, T::i64},
    {"op_name", 40, T::u64},
    {"total_allocated", 48, T::u64},
    {"total_reserved", 56, T::u64},
    {"device", 64, T::u32},
    {"device_type", 68, T::u32},
}});
constexpr auto kMemoryApplicationFields = join(kHead, Table<7>{{
    {"op_name", 24, T::u64},
    {"address", 32, T::u64},
    {"size", 40, T::u64},
    {"total", 48, T::u64},
    {"used", 56, T::u64},
    {"device_type", 64, T::u8},
    {"device", 65, T::u8},
}});
constexpr auto kStaticOpMemFields = join(kHead, Table<7>{{
    {"size", 24, T::i64},
    {"op_name", 32, T::u64},
    {"life_start", 40, T::u64},
    {"life_end", 48, T::u64},
    {"total_allocated", 56, T::u64},
    {"dynamic_op_name", 64, T::u64},
    {"graph", 72, T::u32},
}});
constexpr auto kMc2CommInfoFields = join(kHead, Table<6>{{
    {"group", 24, T::u64},
    {"rank_count", 32, T::u32},
    {"rank", 36, T::u32},
    {"user_rank", 40, T::u32},
    {"kernel_stream", 44, T::u32},
    {"comm_stream_count", 48, T::u32},
}});
constexpr Table<1> kCommStreams{{
    {"comm_stream", 0, T::u32},
}};
constexpr auto kMsproftxFields = join(kHead, Table<14>{{
    {"info_type", 24, T::u16},
    {"tag", 34, T::u16},
    {"process", 36, T::u32},
    {"mark_thread", 40, T::u32},
    {"category", 44, T::u32},
    {"event_type", 48, T::u32},
    {"payload_type", 52, T::i32},
    {"payload", 56, T::u64},
    {"start", 64, T::u64},
    {"end", 72, T::u64},
    {"mark", 80, T::u64},
    {"domain", 88, T::u64},
    {"message_type", 96, T::i32},
    {"message", 100, T::text, 156},
}});

// --- 4.4 -----------------------------------------------------------------------------------------
constexpr auto kCaptureOpInfoFields = join(kHead, Table<12>{{
    {"model", 24, T::u32},
    {"device", 28, T::u32},
    {"stream", 32, T::u32},
    {"task", 36, T::u32},
    {"task_type", 40, T::u32},
    {"block_count", 44, T::u16},
    {"mix_ratio", 46, T::u16},
    {"op_name", 48, T::u64},
    {"op_type", 56, T::u64},
    {"attr", 64, T::u64},
    {"op_flag", 80, T::u32},
    {"tensor_count", 84, T::u32},
}});

constexpr Repeat kContexts{32, 55, 36, 4, kContextIds};
constexpr Repeat kFusions{32, 8, 76, 8, kFusionOps};
constexpr Repeat kPhysics{28, 56, 32, 4, kPhysicStreams};
constexpr Repeat kThreads{24, 25, 28, 4, kSubThreads};
constexpr Repeat kComms{48, 8, 52, 4, kCommStreams};

static_assert(fits(kApiFields, kApiSize) && fits(kEventFields, kApiSize));
static_assert(fits(kNodeBasicInfoFields, kCompactSize) && fits(kNodeAttrInfoFields, kCompactSize) &&
              fits(kTaskTrackFields, kCompactSize) && fits(kMemcpyInfoFields, kCompactSize) &&
              fits(kCaptureStreamInfoFields, kCompactSize) && fits(kHcclOpInfoFields, kCompactSize) &&
              fits(kDpuTrackFields, kCompactSize) && fits(kExpandStreamSpecFields, kCompactSize));
static_assert(fits(kTensorInfoFields, kAdditionalSize) && fits(kHcclInfoFields, kAdditionalSize) &&
              fits(kFusionOpInfoFields, kAdditionalSize) && fits(kGraphIdMapFields, kAdditionalSize) &&
              fits(kTaskMemoryInfoFields, kAdditionalSize) && fits(kMemoryApplicationFields, 66) &&
              fits(kStaticOpMemFields, kAdditionalSize) && fits(kMc2CommInfoFields, kAdditionalSize) &&
              fits(kMsproftxFields, kAdditionalSize));
static_assert(fits(kCaptureOpInfoFields, 88));
static_assert(fits(kContexts, kAdditionalSize) && fits(kFusions, kAdditionalSize) && fits(kPhysics, kAdditionalSize) &&
              fits(kThreads, kAdditionalSize) && fits(kComms, kAdditionalSize));

}  // namespace

const RecordLayout kApi{"api", "4.1", kApiFields};
const RecordLayout kEvent{"event", "4.1", kEventFields};

const RecordLayout kNodeBasicInfo{"node_basic_info", "4.2", kNodeBasicInfoFields};
const RecordLayout kNodeAttrInfo{"node_attr_info", "4.2", kNodeAttrInfoFields};
const RecordLayout kTaskTrack{"task_track", "4.2", kTaskTrackFields, {}, {}, {48, 40}};
const RecordLayout kMemcpyInfo{"memcpy_info", "4.2", kMemcpyInfoFields};
const RecordLayout kHcclOpInfo{"hccl_op_info", "4.2", kHcclOpInfoFields};
const RecordLayout kCaptureStreamInfo{"capture_stream_info", "4.2", kCaptureStreamInfoFields};
const RecordLayout kDpuTrack{"dpu_track", "4.2", kDpuTrackFields};
const RecordLayout kExpandStreamSpec{"expand_stream_spec", "4.2", kExpandStreamSpecFields};

const RecordLayout kTensorInfo{"tensor_info", "4.3", kTensorInfoFields, {}, {32, 5, 36}};
const RecordLayout kContextIdInfo{"context_id_info", "4.3", kContextIdInfoFields, kContexts};
const RecordLayout kHcclInfo{"hccl_info", "4.3", kHcclInfoFields};
const RecordLayout kFusionOpInfo{"fusion_op_info", "4.3", kFusionOpInfoFields, kFusions};
const RecordLayout kGraphIdMap{"graph_id_map", "4.3", kGraphIdMapFields};
const RecordLayout kLogicStreamInfo{"logic_stream_info", "4.3", kLogicStreamInfoFields, kPhysics};
const RecordLayout kMultiThread{"multi_thread", "4.3", kMultiThreadFields, kThreads};
const RecordLayout kTaskMemoryInfo{"task_memory_info", "4.3", kTaskMemoryInfoFields};
const RecordLayout kMemoryApplication{"memory_application", "4.3", kMemoryApplicationFields};
const RecordLayout kStaticOpMem{"static_op_mem", "4.3", kStaticOpMemFields};
const RecordLayout kMc2CommInfo{"mc2_comm_info", "4.3", kMc2CommInfoFields, kComms};
const RecordLayout kMsproftx{"msproftx", "4.3", kMsproftxFields};

const RecordLayout kCaptureOpInfo{"capture_op_info", "4.4", kCaptureOpInfoFields, {}, {84, 3, 88}};
const RecordLayout kCaptureOpInfoVariable{"capture_op_info", "4.4", kCaptureOpInfoFields, {}, {84, 0xFFFF, 88}};

}  // namespace npuwh::prof

// Layouts of the records that the host writes: magic 0x5A5A, all sizes in bytes.
#pragma once

#include "decode/prof/layout.hpp"

namespace npuwh::prof {

constexpr std::size_t kApiSize = 40;
constexpr std::size_t kCompactSize = 64;
constexpr std::size_t kAdditionalSize = 256;
constexpr std::size_t kHeadSize = 24;
constexpr std::size_t kTensorSize = 44;
constexpr std::uint16_t kHostMagic = 0x5A5A;

// 4.1
extern const RecordLayout kApi, kEvent;
// 4.2
extern const RecordLayout kNodeBasicInfo, kNodeAttrInfo, kTaskTrack, kMemcpyInfo, kHcclOpInfo, kCaptureStreamInfo, kDpuTrack,
    kExpandStreamSpec;
// 4.3
extern const RecordLayout kTensorInfo, kContextIdInfo, kHcclInfo, kFusionOpInfo, kGraphIdMap, kLogicStreamInfo, kMultiThread,
    kTaskMemoryInfo, kMemoryApplication, kStaticOpMem, kMc2CommInfo, kMsproftx;
// 4.4
extern const RecordLayout kCaptureOpInfo, kCaptureOpInfoVariable;

}  // namespace npuwh::prof

// Layouts of the records in the device directories, for chip v4.1 (Atlas A2 and A3).
// Those of starts and ends of tasks (5.2) stand in device_tasks.cpp.
#pragma once

#include "decode/prof/layout.hpp"

namespace npuwh::prof {

constexpr std::uint16_t kStarsMagic = 0x6BD3;
constexpr std::size_t kStarsSize = 64;
constexpr std::size_t kPmuSize = 128;
constexpr std::size_t kTrackSize = 40;
constexpr std::size_t kPmuCounters = 8;

// 5.3
extern const RecordLayout kSio, kAccPmu, kChipTransmission, kInterSoc, kLowPower, kStarsQos;
// 5.4
extern const RecordLayout kPmuContext, kPmuBlock;
// 5.5
extern const RecordLayout kStepTrace, kTaskFlip, kMemcpyState, kTaskType, kBlockCount;
// 5.6
extern const RecordLayout kAicpuNode, kAicpuPreprocess, kAicpuModel, kAicpuQueue, kKfcCommTurn, kKfcComputeTurn,
    kDeviceHcclOp, kAicpuFlip, kMasterStreamTask, kDeviceHcclTask;
// 5.7
extern const RecordLayout kNpuMem1, kNpuMem2, kNpuModuleMem, kHbm1, kHbm2, kDdr, kLlc, kLlc2, kL2Cache, kSocPmu, kPcie, kQos, kFrequency,
    kLowPowerState, kCoreSample;

}  // namespace npuwh::prof

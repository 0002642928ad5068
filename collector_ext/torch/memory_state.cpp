// Allocator events: a state in the slot where torch looks for a profiler when memory is taken or given back.
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/csrc/profiler/orchestration/observer.h>

#include <memory>

#include "core/producer_abi.hpp"
#include "core/ticks.hpp"
#include "torch/observer.hpp"

namespace npuwh::torch_observer {

namespace {

using torch::profiler::impl::ActiveProfilerType;
using torch::profiler::impl::ProfilerConfig;
using torch::profiler::impl::ProfilerState;
using torch::profiler::impl::ProfilerStateBase;

// Torch casts what is in the slot to its own base class, so this derives from it.
class MemoryState : public ProfilerStateBase {
   public:
    MemoryState() : ProfilerStateBase(ProfilerConfig(ProfilerState::CPU, false, /*profile_memory=*/true)) {}

    ActiveProfilerType profilerType() override { return ActiveProfilerType::NONE; }

    void reportMemoryUsage(void* address, int64_t size, size_t allocated, size_t reserved,
                           c10::Device device) override {
        core::ThreadLog* log = recorder->thread_log();
        if (log == nullptr) return;
        const int64_t now = core::now_ticks();
        auto* record = log->begin<core::MemoryRecord>(core::Kind::kMemory, 0, now);
        if (record == nullptr) return;
        record->time = now;
        record->address = reinterpret_cast<uint64_t>(address);
        record->size = size;
        record->allocated = static_cast<int64_t>(allocated);
        record->reserved = static_cast<int64_t>(reserved);
        record->active = 0;
        record->stream = 0;
        record->device_type = static_cast<int8_t>(device.type());
        record->device_index = static_cast<int8_t>(device.index());
        record->component = 0;
        record->action = size >= 0 ? 0 : 1;
        record->flags = 0;
        log->finish(record);
    }
};

bool is_ours(c10::DebugInfoBase* info) { return dynamic_cast<MemoryState*>(info) != nullptr; }

}  // namespace

void hold_memory() {
    if (c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE) != nullptr) return;
    c10::ThreadLocalDebugInfo::_push(c10::DebugInfoKind::PROFILER_STATE, std::make_shared<MemoryState>());
}

}  // namespace npuwh::torch_observer

extern "C" {

int npuwh_memory_push() {
    using npuwh::torch_observer::MemoryState;
    if (c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE) != nullptr) return 1;
    c10::ThreadLocalDebugInfo::_push(c10::DebugInfoKind::PROFILER_STATE, std::make_shared<MemoryState>());
    return 0;
}

void npuwh_memory_pop() {
    auto* info = c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE);
    if (info != nullptr && npuwh::torch_observer::is_ours(info)) {
        c10::ThreadLocalDebugInfo::_pop(c10::DebugInfoKind::PROFILER_STATE);
    }
}

int npuwh_other_profiler() {
    auto* info = c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE);
    return info != nullptr && !npuwh::torch_observer::is_ours(info) ? 1 : 0;
}
}

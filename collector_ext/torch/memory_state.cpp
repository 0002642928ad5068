// Allocator events: a state in the slot where torch looks for a profiler when memory is taken or given back.
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/csrc/profiler/orchestration/observer.h>

#include <exception>
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
    explicit MemoryState(uint32_t session)
        : ProfilerStateBase(ProfilerConfig(ProfilerState::CPU, false, /*profile_memory=*/true)), session_(session) {}

    ActiveProfilerType profilerType() override { return ActiveProfilerType::NONE; }

    bool is_left_over() const { return is_over(session_); }

    // Torch asks before each event.
    bool memoryProfilingEnabled() const override;

    void reportMemoryUsage(void* address, int64_t size, size_t allocated, size_t reserved,
                           c10::Device device) override {
        if (is_left_over()) return;
        core::ThreadLog* log = recorder->thread_log();
        if (log == nullptr) {
            if (!recorder->is_on->load(std::memory_order_relaxed)) recorder->count_missed();
            return;
        }
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

   private:
    const uint32_t session_;
};

MemoryState* ours() {
    return dynamic_cast<MemoryState*>(c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE));
}

// Take our state out of the thread's slot; nothing where it is not ours, or does not lie on top.
std::shared_ptr<c10::DebugInfoBase> take_out() {
    if (ours() == nullptr) return nullptr;
    try {
        return c10::ThreadLocalDebugInfo::_pop(c10::DebugInfoKind::PROFILER_STATE);
    } catch (const std::exception&) {
        return nullptr;  // within a guard of torch's for something else; it records nothing once its session is over
    }
}

bool MemoryState::memoryProfilingEnabled() const {
    if (!is_left_over()) return true;
    // Another thread ended the recording: the slot is given back now.  This object lives until the caller is done.
    static thread_local std::shared_ptr<c10::DebugInfoBase> taken;
    if (ours() == this) taken = take_out();
    return false;
}

}  // namespace

void hold_memory() {
    static thread_local uint32_t looked_in = kNoSession;
    const uint32_t session = current_session();
    if (looked_in != session) take_out();  // what an earlier recording left
    looked_in = session;
    if (c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE) != nullptr) return;
    c10::ThreadLocalDebugInfo::_push(c10::DebugInfoKind::PROFILER_STATE, std::make_shared<MemoryState>(session));
}

}  // namespace npuwh::torch_observer

extern "C" {

int npuwh_memory_push(int is_standing) {
    using namespace npuwh::torch_observer;
    take_out();
    if (c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE) != nullptr) return 1;
    c10::ThreadLocalDebugInfo::_push(c10::DebugInfoKind::PROFILER_STATE,
                                     std::make_shared<MemoryState>(is_standing != 0 ? kNoSession : current_session()));
    return 0;
}

int npuwh_memory_pop() {
    using namespace npuwh::torch_observer;
    const MemoryState* mine = ours();
    const bool was_at_work = mine != nullptr && !mine->is_left_over();
    take_out();
    return was_at_work ? 1 : 0;
}

int npuwh_other_profiler() {
    const auto* info = c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE);
    return info != nullptr && npuwh::torch_observer::ours() == nullptr ? 1 : 0;
}
}

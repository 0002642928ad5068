// The C functions of the torch module; Python calls them through ctypes after `import torch`.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/producer_abi.hpp"

namespace npuwh::torch_observer {
extern const core::ProducerAbi* recorder;  // set by npuwh_observer_connect, before anything is added

// What observes belongs to one recording, or to none (kNoSession) and stays until it is taken away.
constexpr uint32_t kNoSession = 0;
extern std::atomic<uint32_t> last_ended;  // recordings up to this one are over
inline uint32_t current_session() { return recorder->generation->load(std::memory_order_acquire); }
inline bool is_over(uint32_t session) {
    return session != kNoSession &&
           (session != current_session() || session <= last_ended.load(std::memory_order_acquire));
}
// Take allocator events of the calling thread unless its slot is in use.
void hold_memory();
}

extern "C" {

// 0, or 1 if the module was built for another recorder.
__attribute__((visibility("default"))) int npuwh_observer_connect(const npuwh::core::ProducerAbi* abi);

// Observe the calling thread and the threads that inherit from it.  takes: sum of 1 types and sizes of inputs, 2 (with 1)
// also which tensors and values they are, 4 TorchScript stacks, 8 TorchScript modules, 16 all threads, and 32 (with 16)
// allocator events of each of them.  Ranges shorter than `shortest_ticks` are left out.  A thread has one observer: the
// one that it had goes.  It is of the recording that is open, and takes nothing of later ones, unless it is standing.
// Returns a handle for `remove`, which does nothing on threads that do not have it (those of all threads go from any).
__attribute__((visibility("default"))) uint64_t npuwh_observer_add(int takes, int64_t shortest_ticks, int is_standing);
__attribute__((visibility("default"))) void npuwh_observer_remove(uint64_t handle);

// The recording is over, on whatever thread that is told: what observes for it goes from its threads by and by.
__attribute__((visibility("default"))) void npuwh_end_session();

// Look for threads that run operators and are not observed; a handle for `remove`.  Those that were found since, up to
// `most` of them; returns how many there are.
__attribute__((visibility("default"))) uint64_t npuwh_watch_threads();
__attribute__((visibility("default"))) int64_t npuwh_unobserved_threads(int64_t* tids, int64_t most);

// Take only operators of the modules whose calls `enter` and `leave` tell of, and ranges of the user's; 0: all again.
__attribute__((visibility("default"))) void npuwh_filter_modules(int is_used);
__attribute__((visibility("default"))) void npuwh_module_enter();
__attribute__((visibility("default"))) void npuwh_module_leave();

// Record allocator events of the calling thread and its heirs: 0, or 1 if another profiler holds the thread's slot.
__attribute__((visibility("default"))) int npuwh_memory_push(int is_standing);

// Give the calling thread's slot back; 1 if it was recorded until now.
__attribute__((visibility("default"))) int npuwh_memory_pop();

// 1 if another profiler is at work on the calling thread.
__attribute__((visibility("default"))) int npuwh_other_profiler();
}

// What a producer in a module of its own (built elsewhere, later) gets of the recorder: plain pointers, checked by
// version and by the size of what both sides lay out themselves.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/records.hpp"
#include "core/thread_log.hpp"

namespace npuwh::core {

constexpr uint32_t kProducerAbiVersion = 4;

struct ProducerAbi {
    uint32_t version = kProducerAbiVersion;
    uint32_t thread_log_size = sizeof(ThreadLog);
    uint32_t op_record_size = sizeof(OpRecord);
    uint32_t uses_counter = 0;  // which clock `now_ticks` has to read
    const std::atomic<bool>* is_on = nullptr;
    const std::atomic<uint32_t>* generation = nullptr;
    ThreadLog* (*thread_log)() noexcept = nullptr;  // of the calling thread; nullptr while nothing is recorded
    uint32_t (*number_of)(const char* text, size_t size) = nullptr;
    uint32_t (*number_of_op)(const char* name, size_t size) = nullptr;  // kLeftOut if a filter leaves it out
    void (*count_missed)() noexcept = nullptr;  // an operator or event while the recording is off
};

}  // namespace npuwh::core

// A thread that records what the host does, at a steady rate, while a recording takes anything.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "core/host_reader.hpp"

namespace npuwh::core {

// Samples of `parts` every `period_ns` from its making to its end, one of each at both.  A child of fork has no such
// thread: there the object must be left alone (`release` it, do not destroy it).
class HostSampler {
   public:
    // Throws std::system_error if no thread can be made.
    HostSampler(unsigned parts, int64_t period_ns);
    ~HostSampler();

   private:
    void run();
    void take_sample();

    HostReader reader_;
    const int64_t period_ns_;
    uint32_t recorded_ = 0;  // generation of the recording that has the sample before; 0: none has it
    std::mutex mutex_;
    std::condition_variable wake_;
    bool is_over_ = false;
    std::thread thread_;
};

}  // namespace npuwh::core

#include "core/host_sampler.hpp"

#include <pthread.h>

#include <chrono>
#include <csignal>

#include "core/recorder.hpp"

namespace npuwh::core {

HostSampler::HostSampler(unsigned parts, int64_t period_ns) : reader_(parts), period_ns_(period_ns) {
    // the program's signals are for its own threads
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        thread_ = std::thread([this] { run(); });
    } catch (...) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

HostSampler::~HostSampler() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        is_over_ = true;
        wake_.notify_all();
    }
    thread_.join();
}

void HostSampler::run() {
#if defined(__linux__)
    pthread_setname_np(pthread_self(), "npuwh-host");
#endif
    auto next = std::chrono::steady_clock::now();
    for (bool is_last = false; !is_last;) {
        take_sample();
        next += std::chrono::nanoseconds(period_ns_);
        const auto now = std::chrono::steady_clock::now();
        if (next < now) next = now;  // the machine was asleep, or is too slow: no samples to catch up with
        std::unique_lock<std::mutex> lock(mutex_);
        is_last = wake_.wait_until(lock, next, [&] { return is_over_; });
    }
    take_sample();
}

void HostSampler::take_sample() {
    Recorder& recorder = Recorder::instance();
    ThreadLog* log = recorder.thread_log();
    if (log == nullptr) {
        recorded_ = 0;
        return;
    }
    const uint32_t generation = recorder.generation();
    const bool begins = recorded_ != generation;
    recorded_ = generation;
    reader_.read([&](std::string_view series, int64_t value, int64_t whole) {
        const int64_t now = now_ticks();
        auto* record = log->begin<HostRecord>(Kind::kHost, 0, now);
        if (record == nullptr) return;
        record->time = now;
        record->value = value;
        record->whole = whole;
        record->series = recorder.number_of(series);
        record->begins = begins;
        log->finish(record);
    });
}

}  // namespace npuwh::core

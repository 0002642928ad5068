// Two threads that record at a steady pace, without Python and torch: what the dumper can take, and how long a stop lasts.
//   producers FOLDER KIND EVENTS_PER_SECOND SECONDS     KIND: op, frame
// Prints one line of JSON.
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "core/recorder.hpp"

using namespace npuwh::core;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int kThreads = 2;
constexpr auto kPace = std::chrono::milliseconds(1);

void record_op(ThreadLog& log, uint32_t name) {
    const int64_t now = now_ticks();
    log.op({{}, now, now + 1, -1, 0, name, 0, 0, log.facts.number, 0, 0, 0, 0, 0});
}

double cpu_seconds(int whose) {
    rusage used{};
    getrusage(whose, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// Bursts of a ms; a burst that comes late is followed by the next at once, so that the mean holds.
void produce(bool is_op, int64_t per_second, int64_t seconds, std::atomic<double>& cpu) {
    ThreadLog& log = *Recorder::instance().thread_log();
    const uint32_t name = Recorder::instance().number_of("aten::add");
    const int64_t burst = per_second / 1000;
    const auto start = Clock::now();
    for (int64_t each = 0; each < seconds * 1000; ++each) {
        std::this_thread::sleep_until(start + each * kPace);
        for (int64_t event = 0; event < burst; ++event) {
            if (is_op) {
                record_op(log, name);
            } else {
                log.frame(now_ticks(), name, event % 2 == 0 ? FrameEvent::kCall : FrameEvent::kReturn, 0);
            }
        }
    }
    cpu = cpu_seconds(RUSAGE_THREAD);
}

}  // namespace

int main(int count, char** words) {
    if (count != 5) return 2;
    const bool is_op = std::strcmp(words[2], "op") == 0;
    const int64_t per_second = std::atoll(words[3]);
    const int64_t seconds = std::atoll(words[4]);
    Recorder& recorder = Recorder::instance();
    RecorderOptions options;
    options.folder = words[1];
    recorder.prepare(options);
    recorder.start();
    const auto start = Clock::now();
    std::vector<std::thread> threads;
    std::atomic<double> cpu[kThreads];
    for (auto& each : cpu) threads.emplace_back(produce, is_op, per_second / kThreads, seconds, std::ref(each));
    for (auto& thread : threads) thread.join();
    const auto stopped = Clock::now();
    recorder.stop();
    const RecorderCounters counters = recorder.counters();
    recorder.finish("{}");
    const auto finished = Clock::now();
    const double produced = cpu[0] + cpu[1];
    const double events = static_cast<double>(per_second) * static_cast<double>(seconds);
    const auto ms = [](auto span) { return std::chrono::duration<double, std::milli>(span).count(); };
    std::printf("{\"events\": %llu, \"lost\": %llu, \"bytes\": %llu, \"ring_peak_bytes\": %llu, \"seconds\": %.3f, "
                "\"stop_ms\": %.1f, \"producer_ns\": %.1f, \"dumper_ns\": %.1f}\n",
                static_cast<unsigned long long>(counters.ops + counters.frames),
                static_cast<unsigned long long>(counters.lost_events + counters.lost_frames),
                static_cast<unsigned long long>(counters.bytes_written),
                static_cast<unsigned long long>(counters.ring_peak_bytes), ms(stopped - start) / 1000,
                ms(finished - stopped), 1e9 * produced / events, 1e9 * (cpu_seconds(RUSAGE_SELF) - produced) / events);
    return 0;
}

// A recording of this process: prepare, start, stop, finish; and what producers need of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/dumper.hpp"
#include "core/name_filter.hpp"
#include "core/string_table.hpp"
#include "core/thread_log.hpp"

namespace npuwh::core {

struct RecorderOptions {
    std::string folder;  // exists, is empty, is ours
    std::string facts_json = "{}";
    size_t ring_bytes = size_t{16} << 20;  // a thread and ring, a power of two; pages are used as they are needed
    DumpLimits limits;
    NameFilter ops;
};

// What a monitor shows.
struct RecorderCounters {
    uint64_t ops = 0;
    uint64_t frames = 0;
    uint64_t other_records = 0;
    uint64_t lost_events = 0;
    uint64_t lost_frames = 0;
    uint64_t bytes_written = 0;
    uint64_t ring_peak_bytes = 0;
    uint64_t threads = 0;
    uint64_t refused_threads = 0;  // there was no memory for their records
};

// One recording at a time; several one after the other.  All functions may be called from any thread.
//   idle --prepare--> ready --start--> recording --stop--> ready --finish--> idle
class Recorder {
   public:
    // The process's recorder; never destroyed, so that threads may outlive `main`.
    static Recorder& instance();

    // Begins a recording that takes nothing yet.  Throws std::runtime_error if one is open or the folder is not usable.
    void prepare(const RecorderOptions& options);

    void start();

    // Nothing is taken until the next `start`; unlike `stop` this waits for nothing.
    void pause() noexcept { is_on_.store(false, std::memory_order_release); }

    // Nothing is taken from now on; what was taken is in the files when this returns.
    void stop();

    // Ends the recording: chunks complete, manifest written.  Harmless if none is open.
    void finish(std::string facts_json);

    bool is_on() const noexcept { return is_on_.load(std::memory_order_acquire); }
    bool is_open() const;
    std::string state() const;
    std::string reason() const;
    RecorderCounters counters() const;

    // The log of the calling thread, or nullptr while nothing is recorded.
    // `is_frame`: for a call or return, which is counted as one if there is no memory for the thread's records.
    ThreadLog* thread_log(bool is_frame = false) noexcept { return is_on() ? open_log(is_frame) : nullptr; }

    // The same also while the recording pauses; nullptr if none is open.
    ThreadLog* open_log(bool is_frame = false) noexcept;

    // What the program calls one of its threads, which holds for logs that begin after this.
    void name_thread(int64_t tid, std::string name);

    // Something came that the recording has no place for, as it ended early; nothing is counted while it is off otherwise.
    static void count_missed(bool is_frame) noexcept {
        if (ended_early_.load(std::memory_order_relaxed) != generation_.load(std::memory_order_relaxed)) return;
        (is_frame ? ThreadList::missed_frames : ThreadList::missed_events).fetch_add(1, std::memory_order_relaxed);
    }

    // A record of a thread that there was no memory for.
    static void count_refused(bool is_frame) noexcept {
        (is_frame ? ThreadList::refused_frames : ThreadList::refused_events).fetch_add(1, std::memory_order_relaxed);
    }

    // Number of a text in this recording; 0 while none is open.
    uint32_t number_of(std::string_view text);

    // As `number_of` for the name of an operator; kLeftOut if the recording's filter does not take it.
    uint32_t number_of_op(std::string_view name);

    // Counts the recordings; numbers of texts and threads hold within one.
    uint32_t generation() const noexcept { return generation_.load(std::memory_order_acquire); }

    // For producers in other modules; they live as long as this recorder.
    const std::atomic<bool>* on_flag() const noexcept { return &is_on_; }
    const std::atomic<uint32_t>* generation_counter() const noexcept { return &generation_; }

    // A child of fork records nothing and leaves the parent's files alone.
    static void forget_after_fork() noexcept;

   private:
    struct Session;

    std::shared_ptr<Session> session() const;

    std::string name_of_thread(int64_t tid) const;

    mutable std::mutex mutex_;  // of what follows
    std::shared_ptr<Session> session_;
    std::unordered_map<int64_t, std::string> thread_names_;
    // of the process, so that they hold for producers and threads of a forked child too
    static inline std::atomic<bool> is_on_{false};
    static inline std::atomic<uint32_t> generation_{0};
    static inline std::atomic<uint32_t> ended_early_{0};  // the generation that did
};

}  // namespace npuwh::core

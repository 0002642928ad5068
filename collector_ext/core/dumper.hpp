// The native thread that empties the rings and turns records into columns; chunk_writer.hpp has the one that writes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/chunk_writer.hpp"
#include "core/input_texts.hpp"
#include "core/manifest.hpp"
#include "core/op_forms.hpp"
#include "core/tables.hpp"
#include "core/thread_log.hpp"

namespace npuwh::core {

// Numbers a monitor may read at any time.
struct DumpCounters {
    std::atomic<uint64_t> ops{0};
    std::atomic<uint64_t> frames{0};
    std::atomic<uint64_t> other_records{0};
    std::atomic<uint64_t> ring_peak_bytes{0};  // fullest ring seen since the start
};

// The threads of a recording, shared by those who record and the dumper.
class ThreadList {
   public:
    void add(std::shared_ptr<ThreadLog> log);
    std::vector<std::shared_ptr<ThreadLog>> all() const;

    // Lets go of a log whose thread has ended and whose rings are empty.
    void remove(const ThreadLog& log);

    // Threads that were ever added, and records that their full rings did not take, or nobody any more.
    struct Totals {
        uint64_t threads = 0;
        uint64_t lost_events = 0;
        uint64_t lost_frames = 0;
        uint64_t refused_events = 0;  // of the lost ones
        uint64_t refused_frames = 0;
    };
    Totals totals() const;

    // What has no log to be counted in: records that an early end kept from the files or that came after it, and those of
    // threads that there was no memory for.  One recording is open at a time.
    static inline std::atomic<uint64_t> missed_events{0};
    static inline std::atomic<uint64_t> missed_frames{0};
    static inline std::atomic<uint64_t> refused_threads{0};
    static inline std::atomic<uint64_t> refused_events{0};
    static inline std::atomic<uint64_t> refused_frames{0};

   private:
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<ThreadLog>> logs_;
    Totals removed_;
};

// Runs from construction to `finish`.  Trouble with the disk ends the dumping, never the program: `on_failure` is called
// once, from the dumper's thread, and rings are then emptied without being written.
class Dumper {
   public:
    Dumper(std::string folder, std::string facts_json, DumpLimits limits, ThreadList& threads, StringTable& strings,
           std::function<void()> on_failure);
    ~Dumper();

    // Everything that is in the rings now is in the files when this returns.
    void flush();

    // Empties the rings, completes the chunks and writes the last manifest; `facts_json` replaces what was given first.
    void finish(std::string facts_json);

    // In a forked child: forget the thread that is not there, close what is the parent's.
    void forget_after_fork() noexcept;

    const DumpCounters& counters() const noexcept { return counters_; }
    uint64_t bytes_written() const noexcept { return writer_.bytes_written(); }
    std::string state() const;
    std::string reason() const;

   private:
    void run();
    size_t drain();
    void drain_events(ThreadLog& log);
    void drain_frames(ThreadLog& log);
    void take_event(const RecordHeader& header, const std::byte* record, uint32_t thread);
    void take_op(const OpRecord& record, const char* payload, uint32_t thread);
    void write_rows(bool everything);
    void write_table(Table table);
    void keep_anchor(int64_t now, bool is_last);
    void note_strings();
    void note_threads(const std::vector<std::shared_ptr<ThreadLog>>& logs);
    void update_manifest(const char* state, bool is_last = false);
    void note_complete(const std::vector<ChunkFacts>& chunks);
    void note_failure(const char* state, std::string reason, int error);
    Rows& rows(Table table) { return rows_[static_cast<size_t>(table)]; }

    const std::string folder_;
    const DumpLimits limits_;
    ThreadList& threads_;
    StringTable& strings_;
    const std::function<void()> on_failure_;
    const int64_t batch_rows_;  // that are written at once

    std::vector<Rows> rows_;
    InputTexts inputs_;
    OpForms forms_;
    int64_t waiting_loss_ends_ = 0;  // of the frames that are not written yet
    uint64_t taken_ops_ = 0;  // since `counters_` were told
    int64_t last_write_ns_ = 0;
    int64_t last_anchor_ns_ = 0;
    int64_t last_manifest_ns_ = 0;
    int64_t anchor_pause_ns_ = 0;  // they grow: the shorter a recording is the more it needs anchors and writes
    int64_t write_pause_ns_ = 0;
    DumpCounters counters_;

    std::mutex manifest_mutex_;  // of the file; taken before the next
    mutable std::mutex mutex_;  // of what follows
    std::condition_variable wake_;
    std::condition_variable done_;
    Manifest manifest_;
    uint64_t flushes_wanted_ = 0;
    uint64_t flushes_done_ = 0;
    bool is_finishing_ = false;
    bool has_failed_ = false;
    std::atomic<bool> is_manifest_owed_{false};  // the last one could not be written

    ChunkWriter writer_;  // after all that it tells of
    std::thread thread_;
};

}  // namespace npuwh::core

// The thread that writes chunks, so that the dumper empties rings while the disk takes its time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/chunk_file.hpp"

namespace npuwh::core {

struct DumpLimits {
    int64_t chunk_bytes = int64_t{256} << 20;  // a chunk is completed when it is this large,
    int64_t chunk_ns = int64_t{60} * 1'000'000'000;  // or this old
    int64_t flush_ns = int64_t{1} * 1'000'000'000;  // what a killed process loses at most
    int64_t disk_bytes = 0;  // of the whole recording; 0: no limit
};

// What the writer tells, from its own thread.
struct ChunkEvents {
    std::function<void(const std::vector<ChunkFacts>& complete)> on_complete;
    // Nothing is written any more: "disk-budget" or "disk-error", why, and the errno; `complete` are the chunks that could
    // be saved.
    std::function<void(const char* state, std::string reason, int error, const std::vector<ChunkFacts>& complete)>
        on_failure;
    // `records` that were given are in no file.
    std::function<void(Table table, int64_t records)> on_loss;
};

// Runs from construction to `finish`.
class ChunkWriter {
   public:
    using Message = std::vector<std::byte>;

    ChunkWriter(std::string folder, DumpLimits limits, ChunkEvents events);
    ~ChunkWriter() { finish(); }

    // An empty message with room that was used before.
    Message empty_message();

    // Takes a whole message of `rows` rows, which hold `records` that the program made (a loss that is told of is none);
    // waits only if far too much is waiting to be written.
    void write(Table table, Message message, int64_t rows, int64_t records);

    // Returns when everything that was given is written, or cannot be.
    void flush();

    // As `flush`; then completes all chunks and ends the thread.
    void finish();

    // In a forked child: close what is the parent's; the thread is not there.
    void forget_after_fork() noexcept;

    uint64_t bytes_written() const noexcept { return bytes_written_.load(std::memory_order_relaxed); }

   private:
    struct Job {
        Table table;
        Message message;
        int64_t rows;
        int64_t records;
    };

    void run();
    bool write_job(const Job& job);
    void complete_chunks(bool all);
    std::string reason_of(int error) const;
    void fail(const char* state, std::string reason, int error);

    const std::string folder_;
    const DumpLimits limits_;
    const ChunkEvents events_;
    std::vector<std::unique_ptr<ChunkFile>> files_;  // the thread's alone
    bool has_failed_ = false;  // likewise
    std::atomic<uint64_t> bytes_written_{0};

    std::mutex mutex_;  // of what follows
    std::condition_variable wake_;
    std::condition_variable done_;
    std::deque<Job> jobs_;
    std::vector<Message> spare_;
    size_t waiting_bytes_ = 0;
    bool is_busy_ = false;
    bool is_finishing_ = false;

    std::thread thread_;
};

}  // namespace npuwh::core

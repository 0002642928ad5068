#include "core/chunk_writer.hpp"

#include <pthread.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "core/ticks.hpp"

namespace npuwh::core {

namespace {

constexpr size_t kMostWaiting = size_t{256} << 20;  // seconds of a disk that does not answer
constexpr size_t kMostSpare = 8;
constexpr auto kPause = std::chrono::milliseconds(50);  // how late a chunk is found to be old

}  // namespace

ChunkWriter::ChunkWriter(std::string folder, DumpLimits limits, ChunkEvents events)
    : folder_(std::move(folder)), limits_(limits), events_(std::move(events)) {
    for (size_t table = 0; table < kTableCount; ++table) {
        files_.push_back(std::make_unique<ChunkFile>(folder_, static_cast<Table>(table)));
    }
    thread_ = std::thread([this] { run(); });
}

ChunkWriter::Message ChunkWriter::empty_message() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (spare_.empty()) return {};
    Message found = std::move(spare_.back());
    spare_.pop_back();
    return found;
}

void ChunkWriter::write(Table table, Message message, int64_t rows, int64_t records) {
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [&] { return waiting_bytes_ < kMostWaiting; });
    waiting_bytes_ += message.size();
    jobs_.push_back({table, std::move(message), rows, records});
    wake_.notify_one();
}

void ChunkWriter::flush() {
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [&] { return jobs_.empty() && !is_busy_; });
}

void ChunkWriter::finish() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        is_finishing_ = true;
        wake_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
}

void ChunkWriter::forget_after_fork() noexcept {
    for (auto& file : files_) file->forget();
}

void ChunkWriter::run() {
#if defined(__linux__)
    pthread_setname_np(pthread_self(), "npuwh-writer");
#endif
    for (;;) {
        Job job{};
        bool has_job = false;
        {
            std::unique_lock<std::mutex> lock(mutex_);
            wake_.wait_for(lock, kPause, [&] { return !jobs_.empty() || is_finishing_; });
            if (jobs_.empty() && is_finishing_) break;
            if (!jobs_.empty()) {
                job = std::move(jobs_.front());
                jobs_.pop_front();
                has_job = is_busy_ = true;
            }
        }
        if (has_job && (has_failed_ || !write_job(job))) events_.on_loss(job.table, job.records);
        complete_chunks(false);
        if (!has_job) continue;
        const std::lock_guard<std::mutex> lock(mutex_);
        is_busy_ = false;
        waiting_bytes_ -= job.message.size();
        job.message.clear();
        if (spare_.size() < kMostSpare) spare_.push_back(std::move(job.message));
        done_.notify_all();
    }
    complete_chunks(true);
}

// False if it is not in the file.
bool ChunkWriter::write_job(const Job& job) {
    const uint64_t bytes = job.message.size();
    const uint64_t written = bytes_written();
    if (limits_.disk_bytes != 0 && written + bytes > static_cast<uint64_t>(limits_.disk_bytes)) {
        fail("disk-budget", "the recording reached its limit of " + std::to_string(limits_.disk_bytes) + " bytes", 0);
        return false;
    }
    if (const int error = files_[static_cast<size_t>(job.table)]->write(job.message, job.rows)) {
        fail("disk-error", reason_of(error), error);
        return false;
    }
    bytes_written_.store(written + bytes, std::memory_order_relaxed);
    return true;
}

void ChunkWriter::complete_chunks(bool all) {
    const int64_t now = read_clock_ns(CLOCK_MONOTONIC);
    std::vector<ChunkFacts> complete;
    int error = 0;
    for (auto& file : files_) {
        if (!file->is_open()) continue;
        if (!all && file->bytes() < limits_.chunk_bytes && now - file->opened_ns() < limits_.chunk_ns) continue;
        if (const int found = file->complete(complete)) {
            file->forget();
            error = found;
        }
    }
    if (!complete.empty()) events_.on_complete(complete);
    if (error != 0) fail("disk-error", reason_of(error), error);
}

std::string ChunkWriter::reason_of(int error) const {
    return folder_ + ": " + (error == EBADF ? "the program closed descriptors of its files" : std::strerror(error));
}

void ChunkWriter::fail(const char* state, std::string reason, int error) {
    if (has_failed_) return;
    has_failed_ = true;
    // what was written whole stays readable: complete what can be completed, and say how it ended
    std::vector<ChunkFacts> complete;
    for (auto& file : files_) {
        if (file->complete(complete) != 0) file->forget();
    }
    events_.on_failure(state, std::move(reason), error, complete);
}

}  // namespace npuwh::core

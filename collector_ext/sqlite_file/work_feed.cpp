#include "sqlite_file/work_feed.hpp"

#include <utility>

namespace npuwh::sqlite_file {

WorkFeed::WorkFeed(std::size_t most_bytes) : most_bytes_(most_bytes), thread_([this] { run(); }) {}

WorkFeed::~WorkFeed() {
    cancel();
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        is_ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void WorkFeed::check() const {
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

bool WorkFeed::put(Work& work, Patience patience) {
    std::unique_lock<std::mutex> lock(mutex_);
    const bool has_room = changed_.wait_for(
        lock, patience, [&] { return failure_ != nullptr || bytes_ == 0 || bytes_ + work.bytes <= most_bytes_; });
    check();
    if (!has_room) {
        return false;
    }
    bytes_ += work.bytes;
    waiting_.push_back(std::move(work));
    changed_.notify_all();
    return true;
}

bool WorkFeed::wait(Patience patience) {
    std::unique_lock<std::mutex> lock(mutex_);
    const bool is_done = changed_.wait_for(lock, patience, [&] { return waiting_.empty() && !is_running_; });
    check();
    return is_done;
}

void WorkFeed::forget_failure() {
    const std::lock_guard<std::mutex> lock(mutex_);
    failure_ = nullptr;
}

std::vector<std::shared_ptr<void>> WorkFeed::take_done() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(done_, {});
}

void WorkFeed::cancel() {
    is_cancelled_ = true;
    const std::lock_guard<std::mutex> lock(mutex_);
    drop_waiting();
}

void WorkFeed::drop_waiting() {
    for (Work& work : waiting_) {
        bytes_ -= work.bytes;
        done_.push_back(std::move(work.owned));
    }
    waiting_.clear();
    changed_.notify_all();
}

void WorkFeed::run() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
        if (is_ending_) {
            return;
        }
        Work work = std::move(waiting_.front());
        waiting_.pop_front();
        is_running_ = true;
        lock.unlock();
        std::exception_ptr failure;
        try {
            work.run();
        } catch (...) {
            failure = std::current_exception();
        }
        work.run = nullptr;
        lock.lock();
        is_running_ = false;
        bytes_ -= work.bytes;
        done_.push_back(std::move(work.owned));
        if (failure) {
            failure_ = failure;
            drop_waiting();
        }
        changed_.notify_all();
    }
}

}  // namespace npuwh::sqlite_file

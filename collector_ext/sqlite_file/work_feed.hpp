// Work done in a thread of its own, in the order in which it is given.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace npuwh::sqlite_file {

// What a piece of work throws that is to end early.
struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("cancelled") {}
};

// `put` returns before the work is done, so that whoever makes the next rows need not wait for these to be written.  What a piece of
// work throws is thrown by every call that follows, until it is forgotten, and what waits behind it is dropped.  One caller at a time.
class WorkFeed {
public:
    using Patience = std::chrono::milliseconds;
    struct Work {
        std::function<void()> run;
        std::size_t bytes = 0;        // that it keeps
        std::shared_ptr<void> owned;  // not let go of here, but by whoever takes it from `take_done`
    };

    // `most_bytes` may wait; a single larger piece is taken too.
    explicit WorkFeed(std::size_t most_bytes);
    ~WorkFeed();
    WorkFeed(const WorkFeed&) = delete;
    WorkFeed& operator=(const WorkFeed&) = delete;

    // Takes the work, or returns false if there was no room for it so long.
    bool put(Work& work, Patience patience);
    // False if not all is done after so long.
    bool wait(Patience patience);
    void forget_failure();
    // What finished work owned.
    std::vector<std::shared_ptr<void>> take_done();
    // Drops what waits; running work sees `is_cancelled`.
    void cancel();
    bool is_cancelled() const { return is_cancelled_; }

private:
    void run();
    void drop_waiting();
    void check() const;

    std::size_t most_bytes_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Work> waiting_;
    std::vector<std::shared_ptr<void>> done_;
    std::exception_ptr failure_;
    std::size_t bytes_ = 0;  // of what waits or runs
    bool is_running_ = false;
    bool is_ending_ = false;
    std::atomic<bool> is_cancelled_{false};
    std::thread thread_;
};

}  // namespace npuwh::sqlite_file

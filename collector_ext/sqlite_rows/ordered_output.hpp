// The output of several threads in the order of its parts.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "text/text_buffer.hpp"

namespace npuwh::sqlite_rows {

// Parts are numbered from 0 and written in that order; they are begun in that order, too, but for those that are short, or
// wait for their turn before they put anything.  What comes before its turn is held, up to a number of bytes; then its thread waits.
class OrderedOutput {
public:
    // Takes the next bytes of the output; called by one thread at a time.
    using Write = std::function<void(const TextBuffer&)>;

    OrderedOutput(Write write, std::size_t held_bytes) : write_(std::move(write)), most_held_(held_bytes) {}
    // More of a part, and whether it is the last of it; gives an empty buffer back, with room if there is a used one.  Throws
    // what `write` throws; throws Stopped after `stop`.
    TextBuffer put(std::size_t part, TextBuffer text, bool is_last);
    // Until it is the turn of a part; throws Stopped after `stop`.
    void wait_for_turn(std::size_t part);
    // Wakes and ends all that wait.
    void stop();

    struct Stopped {};

private:
    struct Held {
        std::vector<TextBuffer> texts;
        bool is_finished = false;
    };
    void write_what_can_be(std::unique_lock<std::mutex>& lock);
    TextBuffer used_buffer();

    Write write_;
    std::size_t most_held_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::size_t, Held> held_;
    std::vector<TextBuffer> used_;
    std::size_t held_bytes_ = 0;
    std::size_t turn_ = 0;  // the part that is written now
    bool is_writing_ = false;
    bool is_stopped_ = false;
};

}  // namespace npuwh::sqlite_rows

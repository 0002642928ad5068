#include "sqlite_rows/ordered_output.hpp"

#include <utility>

namespace npuwh::sqlite_rows {
namespace {

constexpr std::size_t kMostUsed = 4;

}  // namespace

TextBuffer OrderedOutput::put(std::size_t part, TextBuffer text, bool is_last) {
    std::unique_lock<std::mutex> lock(mutex_);
    Held& held = held_[part];
    held_bytes_ += text.size();
    held.texts.push_back(std::move(text));
    held.is_finished = is_last;
    if (!is_writing_) {
        write_what_can_be(lock);
    }
    // whoever has the turn goes on, whatever the others hold
    changed_.wait(lock, [&] { return is_stopped_ || held_bytes_ <= most_held_ || part <= turn_; });
    if (is_stopped_) {
        throw Stopped();
    }
    return used_buffer();
}

void OrderedOutput::wait_for_turn(std::size_t part) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return is_stopped_ || part <= turn_; });
    if (is_stopped_) {
        throw Stopped();
    }
}

void OrderedOutput::write_what_can_be(std::unique_lock<std::mutex>& lock) {
    is_writing_ = true;
    for (auto held = held_.find(turn_); held != held_.end() && !is_stopped_; held = held_.find(turn_)) {
        std::vector<TextBuffer> texts;
        texts.swap(held->second.texts);
        const bool is_finished = held->second.is_finished;
        lock.unlock();
        std::size_t written = 0;
        try {
            for (const TextBuffer& text : texts) {
                write_(text);
                written += text.size();
            }
        } catch (...) {
            lock.lock();
            is_writing_ = false;
            is_stopped_ = true;
            changed_.notify_all();
            throw;
        }
        lock.lock();
        held_bytes_ -= written;
        for (TextBuffer& text : texts) {
            if (used_.size() < kMostUsed) {
                text.clear();
                used_.push_back(std::move(text));
            }
        }
        if (is_finished) {
            held_.erase(turn_);
            ++turn_;
        } else if (held_[turn_].texts.empty() && !held_[turn_].is_finished) {
            break;
        }
        changed_.notify_all();
    }
    is_writing_ = false;
    changed_.notify_all();
}

TextBuffer OrderedOutput::used_buffer() {
    TextBuffer text;
    if (!used_.empty()) {
        text = std::move(used_.back());
        used_.pop_back();
    }
    return text;
}

void OrderedOutput::stop() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_stopped_ = true;
    changed_.notify_all();
}

}  // namespace npuwh::sqlite_rows

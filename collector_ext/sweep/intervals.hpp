// Interval arithmetic on a stream of slices that comes sorted by start.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

namespace npuwh {

constexpr std::int64_t kEarliest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max();

// later - earlier and a + b, clamped to the range of int64 where the exact result would leave it.
std::int64_t saturating_difference(std::int64_t later, std::int64_t earlier);
std::int64_t saturating_sum(std::int64_t a, std::int64_t b);

// The open slices of one track, innermost on top.  Slice must have a member `end`.
//
// A slice is kept only while it can still be an answer.  As starts ascend, an older slice that ends no later than a younger
// one loses to it for good, both as "the latest one open at t" and as "the nearest one that reaches e".  So ends descend
// strictly towards the top, closed slices are always on top, every operation is O(1) amortised, and the size never exceeds
// the number of open slices, however the slices overlap.
template <class Slice>
class OpenStack {
public:
    // Drops what ended before `time`; a slice that ends exactly at `time` still holds it (the vendor's rule).
    template <class OnDrop>
    void close_before(std::int64_t time, OnDrop on_drop) {
        while (!open_.empty() && open_.back().end < time) {
            on_drop(open_.back());
            open_.pop_back();
        }
    }
    // The latest slice open now, or nullptr.
    const Slice* top() const { return open_.empty() ? nullptr : &open_.back(); }
    // The nearest slice that holds one ending at `end`; drops those that do not reach it.  A push of that slice must follow.
    template <class OnDrop>
    const Slice* enclosing(std::int64_t end, OnDrop on_drop) {
        close_before(end, on_drop);
        return top();
    }
    // The nearest slice that is open until `end` or longer, or nullptr; nothing is dropped.
    const Slice* reaching(std::int64_t end) const {
        const auto first_short = std::partition_point(open_.begin(), open_.end(), [end](const Slice& slice) { return slice.end >= end; });
        return first_short == open_.begin() ? nullptr : &*std::prev(first_short);
    }
    template <class OnDrop>
    void push(const Slice& slice, OnDrop on_drop) {
        while (!open_.empty() && open_.back().end <= slice.end) {
            on_drop(open_.back());
            open_.pop_back();
        }
        open_.push_back(slice);
    }
    std::size_t size() const { return open_.size(); }

private:
    std::vector<Slice> open_;
};

// What the pieces of a Coverage are (deliverables.md 1.6).
enum class Busy : std::int64_t { computing = 0, communication = 1, not_overlapped = 2, free = 3 };

// Unions and differences of a device's computing and communication slices, fed in order of start.
//
// Pieces leave through `sink(Busy, start, end)` as soon as no later slice can change them; pieces of one kind come in order of
// start.  Touching slices unite.  A union of zero length is a piece; a difference of zero length is not, but a zero-length
// computing union splits the communication around it (as the vendor's difference of sets does).
// State is a handful of integers.
class Coverage {
public:
    template <class Sink>
    void add(bool is_communication, std::int64_t start, std::int64_t end, Sink&& sink) {
        settle(start, sink);
        (is_communication ? communication_ : computing_).add(start, end);
        widen(start, end);
        if (start > busy_end_) {
            sink(Busy::free, busy_end_, start);
        }
        busy_end_ = std::max(busy_end_, end);
    }
    // A slice that belongs to neither side but widens the range in which idle time counts as free.
    void widen(std::int64_t start, std::int64_t end) {
        if (!has_hull_) {
            has_hull_ = true;
            busy_end_ = start;  // nothing is busy before, so the first gap begins here
            hull_end_ = end;
        }
        hull_end_ = std::max(hull_end_, end);
    }
    template <class Sink>
    void close(Sink&& sink) {
        settle_uncovered(kLatest, sink);
        computing_.close(Busy::computing, sink);
        close_communication(sink);
        if (has_hull_ && hull_end_ > busy_end_) {
            sink(Busy::free, busy_end_, hull_end_);
        }
    }

    // Where the next gap begins, if there is one; only after something was added.
    std::int64_t busy_end() const { return busy_end_; }

private:
    struct Union {
        bool is_open = false;
        bool was_ever_open = false;
        std::int64_t start = 0;
        std::int64_t end = 0;

        void add(std::int64_t slice_start, std::int64_t slice_end) {
            if (is_open) {
                end = std::max(end, slice_end);
                return;
            }
            is_open = was_ever_open = true;
            start = slice_start;
            end = slice_end;
        }
        template <class Sink>
        void close(Busy kind, Sink& sink) {
            if (is_open) {
                sink(kind, start, end);
                is_open = false;
            }
        }
    };

    // Everything before `time` is final: emit it.
    template <class Sink>
    void settle(std::int64_t time, Sink& sink) {
        settle_uncovered(time, sink);
        if (computing_.end < time) {
            computing_.close(Busy::computing, sink);
        }
        if (communication_.end < time) {
            close_communication(sink);
        }
        settled_ = time;
    }
    // Communication without computing between the last settled time and `time`.
    template <class Sink>
    void settle_uncovered(std::int64_t time, Sink& sink) {
        if (!communication_.is_open) {
            return;
        }
        const bool after_computing = computing_.was_ever_open && computing_.end >= settled_;
        const std::int64_t from = after_computing ? computing_.end : settled_;
        const std::int64_t to = std::min(communication_.end, time);
        if (from >= to) {
            return;
        }
        if (has_uncovered_ && uncovered_end_ == from && !after_computing) {
            uncovered_end_ = to;
            return;
        }
        emit_uncovered(sink);
        has_uncovered_ = true;
        uncovered_start_ = from;
        uncovered_end_ = to;
    }
    template <class Sink>
    void emit_uncovered(Sink& sink) {
        if (has_uncovered_) {
            sink(Busy::not_overlapped, uncovered_start_, uncovered_end_);
            has_uncovered_ = false;
        }
    }
    template <class Sink>
    void close_communication(Sink& sink) {
        communication_.close(Busy::communication, sink);
        emit_uncovered(sink);
    }

    Union computing_;
    Union communication_;
    std::int64_t settled_ = kEarliest;
    bool has_uncovered_ = false;
    std::int64_t uncovered_start_ = 0;
    std::int64_t uncovered_end_ = 0;
    bool has_hull_ = false;
    std::int64_t busy_end_ = 0;
    std::int64_t hull_end_ = 0;
};

}  // namespace npuwh

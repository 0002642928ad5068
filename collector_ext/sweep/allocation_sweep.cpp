#include "sweep/allocation_sweep.hpp"

#include <utility>

namespace npuwh {
namespace {

enum Operator : std::size_t { kStart, kEnd, kName, kTid };
enum Moment : std::size_t { kTime, kKind, kUntil, kProcess, kThread, kKey };
constexpr std::int64_t kEnqueue = 1;

std::unordered_set<std::int64_t> set_of(const ColumnView& column) {
    std::unordered_set<std::int64_t> values;
    for (std::size_t row = 0; row < column.size(); ++row) {
        values.insert(column[row]);
    }
    return values;
}

void add(std::int64_t row, std::int64_t name, AllocationNames& found) {
    if (name != kNone) {
        found.row.push_back(row);
        found.name.push_back(name);
    }
}

}  // namespace

bool AllocationSweep::Rows::has_row() {
    if (at_ == count_ && !is_over_) {
        at_ = 0;
        count_ = next_(values_);
        is_over_ = count_ == 0;
    }
    return at_ < count_;
}

AllocationSweep::AllocationSweep(Next operators, Next queue, const ColumnView& skipped, const ColumnView& framework)
    : operators_(std::move(operators)),
      queue_(std::move(queue)),
      skipped_(set_of(skipped)),
      framework_(set_of(framework)) {}

// Everything up to the time, operators before the queue's events of the same time.
void AllocationSweep::take_until(std::int64_t time, AllocationNames& found) {
    for (;;) {
        const bool has_moment = queue_.has_row() && queue_[kTime] <= time;
        const std::int64_t limit = has_moment ? queue_[kTime] : time;
        if (operators_.has_row() && operators_[kStart] <= limit) {
            open_op(operators_[kStart], operators_[kEnd], operators_[kName], operators_[kTid]);
            operators_.step();
        } else if (has_moment) {
            if (queue_[kKind] == kEnqueue) {
                end_enqueue(queue_[kThread], queue_[kKey], found);
            } else {
                begin_dequeue({queue_[kProcess], queue_[kThread]}, {queue_[kKey], queue_[kUntil]});
            }
            queue_.step();
        } else {
            return;
        }
    }
}

AllocationNames AllocationSweep::feed(const ColumnView& time, const ColumnView& row, const ColumnView& pid, const ColumnView& tid) {
    require_rows("AllocationSweep.feed", "row", row, time.size());
    require_rows("AllocationSweep.feed", "pid", pid, time.size());
    require_rows("AllocationSweep.feed", "tid", tid, time.size());
    std::int64_t previous = last_time_;
    for (std::size_t at = 0; at < time.size(); ++at) {
        if (time[at] < previous) {
            reject_row("AllocationSweep.feed", at, "comes before the row before it; feed rows sorted by time");
        }
        previous = time[at];
    }
    AllocationNames found;
    for (std::size_t at = 0; at < time.size(); ++at) {
        last_time_ = time[at];
        take_until(time[at], found);
        allocate(time[at], row[at], {pid[at], tid[at]}, found);
    }
    return found;
}

AllocationNames AllocationSweep::finish() {
    AllocationNames found;
    while (!waiting_.empty() && (queue_.has_row() || operators_.has_row())) {
        take_until(queue_.has_row() ? queue_[kTime] : INT64_MAX, found);
    }
    return found;
}

void AllocationSweep::open_op(std::int64_t start, std::int64_t end, std::int64_t name, std::int64_t tid) {
    Node parent = last_;
    while (parent != OpChains::kNoNode && start > chains_.op(parent).id) {
        parent = chains_.parent(parent);
    }
    const Node opened = chains_.make({end, name}, parent);
    chains_.release(last_);
    last_ = opened;
    if (skipped_.count(name) == 0) {
        Node& on_thread = on_thread_.emplace(tid, OpChains::kNoNode).first->second;
        chains_.release(on_thread);
        on_thread = chains_.share(opened);
    }
}

void AllocationSweep::end_enqueue(std::int64_t tid, std::int64_t key, AllocationNames& found) {
    if (key == kNone) {
        return;
    }
    Node& node = at_enqueue_.emplace(key, OpChains::kNoNode).first->second;
    chains_.release(node);
    node = chains_.share(starting_point(tid));
    const auto waiting = waiting_.find(key);
    if (waiting != waiting_.end()) {
        for (const std::int64_t row : waiting->second) {
            add(row, framework_op(node), found);
        }
        waiting_.erase(waiting);
    }
}

void AllocationSweep::begin_dequeue(Thread thread, Dequeue dequeue) {
    const auto [before, is_first] = dequeues_.emplace(thread, dequeue);
    if (is_first) {
        return;
    }
    const auto done = at_enqueue_.find(before->second.key);
    if (done != at_enqueue_.end()) {
        chains_.release(done->second);
        at_enqueue_.erase(done);
    }
    before->second = dequeue;
}

void AllocationSweep::allocate(std::int64_t time, std::int64_t row, Thread thread, AllocationNames& found) {
    const auto dequeue = dequeues_.find(thread);
    if (dequeue == dequeues_.end() || time >= dequeue->second.end) {
        add(row, running_op(starting_point(thread.tid), time), found);
        return;
    }
    const std::int64_t key = dequeue->second.key;
    const auto enqueued = at_enqueue_.find(key);
    if (enqueued != at_enqueue_.end()) {
        add(row, framework_op(enqueued->second), found);
    } else if (key != kNone) {
        waiting_[key].push_back(row);
    }
}

AllocationSweep::Node AllocationSweep::starting_point(std::int64_t tid) const {
    const auto found = on_thread_.find(tid);
    return found == on_thread_.end() ? OpChains::kNoNode : found->second;
}

// The innermost operator of the framework's own libraries.
std::int64_t AllocationSweep::framework_op(Node node) const {
    while (node != OpChains::kNoNode && framework_.count(chains_.op(node).name) == 0) {
        node = chains_.parent(node);
    }
    return node == OpChains::kNoNode ? kNone : chains_.op(node).name;
}

// The innermost operator that has not ended.
std::int64_t AllocationSweep::running_op(Node node, std::int64_t time) const {
    while (node != OpChains::kNoNode && chains_.op(node).id < time) {
        node = chains_.parent(node);
    }
    return node == OpChains::kNoNode ? kNone : chains_.op(node).name;
}

}  // namespace npuwh

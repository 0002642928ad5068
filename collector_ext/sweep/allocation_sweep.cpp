#include "sweep/allocation_sweep.hpp"

#include <string>

namespace npuwh {
namespace {

enum Kind : std::int64_t { kOp, kEnqueue, kDequeue, kAllocation, kKinds };

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

void check(const ColumnView& time, const ColumnView& kind, std::int64_t last_time) {
    for (std::size_t row = 0; row < time.size(); ++row) {
        if (kind[row] < kOp || kind[row] >= kKinds) {
            reject_row("AllocationSweep.feed", row, "has kind " + std::to_string(kind[row]));
        }
        if (time[row] < last_time) {
            reject_row("AllocationSweep.feed", row, "comes before the row before it; feed rows sorted by time");
        }
        last_time = time[row];
    }
}

}  // namespace

AllocationSweep::AllocationSweep(const ColumnView& skipped, const ColumnView& framework)
    : skipped_(set_of(skipped)), framework_(set_of(framework)) {}

AllocationNames AllocationSweep::feed(const ColumnView& time, const ColumnView& kind, const ColumnView& row, const ColumnView& end,
                                      const ColumnView& name, const ColumnView& pid, const ColumnView& tid, const ColumnView& key) {
    const ColumnView* const columns[] = {&kind, &row, &end, &name, &pid, &tid, &key};
    const char* const names[] = {"kind", "row", "end", "name", "pid", "tid", "key"};
    for (std::size_t column = 0; column < 7; ++column) {
        require_rows("AllocationSweep.feed", names[column], *columns[column], time.size());
    }
    check(time, kind, last_time_);
    AllocationNames found;
    for (std::size_t at = 0; at < time.size(); ++at) {
        last_time_ = time[at];
        switch (kind[at]) {
            case kOp:
                open_op(time[at], end[at], name[at], tid[at]);
                break;
            case kEnqueue:
                end_enqueue(tid[at], key[at], found);
                break;
            case kDequeue:
                begin_dequeue({pid[at], tid[at]}, {key[at], end[at]});
                break;
            default:
                allocate(time[at], row[at], {pid[at], tid[at]}, found);
        }
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

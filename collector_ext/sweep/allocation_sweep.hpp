// After which operator an allocation is called (framework-files.md 5.11, step 3; 5.2 for the tree of operators).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sweep/columns.hpp"
#include "sweep/op_chains.hpp"

namespace npuwh {

// The allocations that have a name, and its number.
struct AllocationNames {
    Column row;
    Column name;
};

// The tree of operators is the vendor's: one over all threads, an operator being a child of the innermost one that has not ended when
// it starts.  An allocation in a dequeue is named after the operator of the framework's own around the end of the enqueue with the
// same number, any other after the innermost operator of its thread that is running.
//
// State: the chains of operators that are still of use, and what is in the queue.
class AllocationSweep {
public:
    // Columns one after the other: replaces them by the next ones and returns how many rows they have, 0 at the end.
    using Next = std::function<std::size_t(std::vector<std::int64_t>& columns)>;

    // `operators`: start, end, name, tid, sorted by start.  `queue`: time, kind, end, pid, tid, key, sorted by time, then kind; kind 1
    // is the end of an enqueue, 2 a dequeue, both with their number as key (kNone: there is nothing on the other side of the queue).
    // `skipped`: names of operators that are no starting point of a search; `framework`: names of the framework's own operators.
    AllocationSweep(Next operators, Next queue, const ColumnView& skipped, const ColumnView& framework);

    // Allocations, numbered by `row`, sorted by time.  At equal times they come last.  Those before an enqueue that they wait for are
    // found with a later feed.
    // Throws std::invalid_argument naming the first bad row, and is then unchanged.
    AllocationNames feed(const ColumnView& time, const ColumnView& row, const ColumnView& pid, const ColumnView& tid);
    // What was found in the rest of the queue.
    AllocationNames finish();

private:
    using Node = OpChains::Node;
    struct Thread {
        std::int64_t pid, tid;
        bool operator==(const Thread& other) const { return pid == other.pid && tid == other.tid; }
    };
    struct ThreadHash {
        std::size_t operator()(const Thread& thread) const {
            return std::hash<std::int64_t>()(thread.pid * 1000003 + thread.tid);
        }
    };
    struct Dequeue {
        std::int64_t key, end;
    };

    // Rows that are read as they are asked for.
    class Rows {
    public:
        explicit Rows(Next next) : next_(std::move(next)) {}
        // Whether there is a row at hand.
        bool has_row();
        std::int64_t operator[](std::size_t column) const { return values_[column * count_ + at_]; }
        void step() { ++at_; }

    private:
        Next next_;
        std::vector<std::int64_t> values_;
        std::size_t at_ = 0;
        std::size_t count_ = 0;
        bool is_over_ = false;
    };

    void take_until(std::int64_t time, AllocationNames& found);
    void open_op(std::int64_t start, std::int64_t end, std::int64_t name, std::int64_t tid);
    void end_enqueue(std::int64_t tid, std::int64_t key, AllocationNames& found);
    void begin_dequeue(Thread thread, Dequeue dequeue);
    void allocate(std::int64_t time, std::int64_t row, Thread thread, AllocationNames& found);
    Node starting_point(std::int64_t tid) const;
    std::int64_t framework_op(Node node) const;
    std::int64_t running_op(Node node, std::int64_t time) const;

    Rows operators_;
    Rows queue_;
    std::unordered_set<std::int64_t> skipped_;
    std::unordered_set<std::int64_t> framework_;
    OpChains chains_;  // an op's id is its end
    Node last_ = OpChains::kNoNode;
    std::unordered_map<std::int64_t, Node> on_thread_;
    std::unordered_map<std::int64_t, Node> at_enqueue_;  // number -> operator at the end of its enqueue
    std::unordered_map<Thread, Dequeue, ThreadHash> dequeues_;
    std::unordered_map<std::int64_t, std::vector<std::int64_t>> waiting_;  // number -> allocations before the end of its enqueue
    std::int64_t last_time_ = INT64_MIN;
};

}  // namespace npuwh

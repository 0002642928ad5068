// Everything about host events that needs their nesting: parents, depths, lanes, steps, and the op behind each event.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sweep/columns.hpp"
#include "sweep/intervals.hpp"
#include "sweep/lane_sweep.hpp"
#include "sweep/op_chains.hpp"
#include "sweep/step_windows.hpp"

namespace npuwh {

enum class HostKind : std::int64_t {
    op = 0,          // framework operator
    python = 1,      // Python frame
    enqueue = 2,     // a task enters the host task queue
    dequeue = 3,     // a task leaves it and runs
    api = 4,         // CANN call
    allocation = 5,  // a moment (end = start)
};
constexpr std::int64_t kHostKinds = 6;

// How an API call found its op (link_rule.id; 0: it has none).
enum class ApiRule : std::int64_t { none = 0, queue = 1, host = 3, host_beside_queue = 5 };

// One value a fed row; -1 where a row has no such thing.
struct HostLinks {
    Column id;      // own id: OP, PYTHON, API counted from first_*_id; ENQUEUE, DEQUEUE: the queue task; ALLOCATION: -1
    Column parent;  // OP, PYTHON, API: nearest open slice of the kind on the thread that holds this one wholly
    Column depth;   // how many ancestors it has
    Column lane;    // lane within (thread, kind)
    Column op;      // the op behind it, see HostSweep
    Column rule;    // ApiRule, 0 for other kinds
    Column queue;   // ENQUEUE, DEQUEUE, API: the queue task
    Column number;  // API: correlation number of that task
    Column step;    // step whose host range holds the start
    Column inside;  // the same if the slice also ends in that range
    Column python;  // API: the Python frame behind it, see HostSweep
    Column framework;       // OP: the nearest op around it with key 1, itself included; itself if there is none
    Column framework_name;  // OP: its name
    Column frame;       // OP, PYTHON: number (from 0, in order of feeding) of the nearest Python frame with key 1 around it
    Column frame_name;  // OP, PYTHON: its name
    Column module;      // OP: its module; that of `framework` if it has none
    Column outer_module;  // OP: module of the parent
    Column outer_name;  // API: name and key of the parent
    Column outer_key;
};

// Tasks of the host queue.  A missing half is -1 throughout.
struct QueueTasks {
    Column id;
    Column correlation;
    Column op;    // innermost op around the enqueue
    Column step;  // step of the enqueue, of the dequeue if that is all there is
    Column enqueue_start;
    Column enqueue_end;
    Column enqueue_thread;
    Column enqueue_name;
    Column dequeue_start;
    Column dequeue_end;
    Column dequeue_thread;
    Column dequeue_name;
};

// One rank.  Events come sorted by start, of equal starts the longer first; that an event at the same moment as its op's end is
// still inside the op is the vendor's rule (`pop while start > end(top)`, deliverables.md 1.7).
//
// The op behind an event:
//   ENQUEUE     innermost op open on its thread
//   DEQUEUE     the op of its enqueue
//   API         the op of the dequeue that is open on its thread (of several the one that ends first, as the vendor searches
//               dequeues in order of their ends); outside any dequeue the innermost op open on its thread
//   ALLOCATION  innermost op of its name open on any thread; else the nearest op of its name among the op of an open dequeue and
//               that op's ancestors, later dequeues first
//
// The Python frame behind an API call is the innermost one open on the thread, at the time, at which its op was found.
//
// Key: of an OP 1 if its name has a namespace, of a PYTHON frame 1 if it is a module of the model, of an API its level; of ENQUEUE
// and DEQUEUE the correlation number.  Module: of an OP, kNone if it has none.
//
// An enqueue meets the next dequeue of the same correlation number.  A dequeue that comes first (equal start) still meets its
// enqueue while it is open.
//
// State grows with what is open (slices, tracks, tasks in the queue), not with what was fed.  An event costs O(1) amortised; an
// ALLOCATION whose op is not open on a thread looks through the ancestors of the ops of the open dequeues.
class HostSweep {
public:
    struct FirstIds {
        std::int64_t op;
        std::int64_t python;
        std::int64_t api;
        std::int64_t queue;
    };

    // Host ranges of the steps (start <= t < end); first ids from 0; has_queue: the rank has a task queue, so an API outside it
    // is "beside".
    HostSweep(const ColumnView& step_ids, const ColumnView& step_starts, const ColumnView& step_ends, FirstIds first_ids,
              bool has_queue);

    // Throws std::invalid_argument naming the first bad row, and is then unchanged.
    HostLinks feed(const ColumnView& kind, const ColumnView& start, const ColumnView& end, const ColumnView& thread,
                   const ColumnView& name, const ColumnView& key, const ColumnView& module);
    // Queue tasks completed since the last call, in order of completion; without their enqueue those whose dequeue found none.
    QueueTasks take_queue_tasks();
    // The rest, in order of id: enqueues that never met a dequeue.  Nothing may be fed afterwards.
    QueueTasks finish();
    // Slices, ops and tasks the sweep remembers just now.
    std::size_t kept_count() const;

private:
    struct Known {  // an op or frame that what lies in a slice is counted with
        std::int64_t id = kNone;
        std::int64_t name = kNone;
        std::int64_t module = kNone;
    };
    struct OpenSlice {
        std::int64_t end = 0;
        std::int64_t id = kNone;
        std::int64_t name = kNone;
        std::int64_t key = kNone;
        std::int64_t module = kNone;
        Known known;  // op: nearest with a namespace; Python frame: nearest module; itself included
        std::int64_t depth = 0;
        OpChains::Node chain = OpChains::kNoNode;
    };
    struct NamedOp {
        std::int64_t end;
        std::int64_t id;
    };
    struct QueueTask {
        std::int64_t id, correlation, op, step;
        std::int64_t enqueue_start, enqueue_end, enqueue_thread, enqueue_name;
        std::int64_t dequeue_start, dequeue_end, dequeue_thread, dequeue_name;
        bool has_enqueue;
        std::int64_t python;   // frame around the enqueue
        OpChains::Node chain;  // op and its ancestors
    };
    struct OpenDequeue {
        std::int64_t end;
        std::int64_t order;  // the n-th dequeue fed
        std::int64_t id;
        std::int64_t correlation;
        std::int64_t op;
        std::int64_t python;
        OpChains::Node chain;
    };
    struct Thread {
        OpenStack<OpenSlice> ops;
        OpenStack<OpenSlice> python_calls;
        OpenStack<OpenSlice> api_calls;
        std::vector<OpenDequeue> dequeues;  // heap: the first to end on top
        bool has_dequeues = false;
        LaneTrack lanes[kHostKinds];
    };
    struct Row {
        std::int64_t start, end, thread, name, key, module, step;
    };

    void check(const ColumnView& kind, const ColumnView& start, const ColumnView& end, const ColumnView& thread,
               const ColumnView& name, const ColumnView& key, const ColumnView& module) const;
    OpenSlice nest(OpenStack<OpenSlice>& stack, OpenSlice& slice, HostLinks& links, std::size_t out);
    void add_op(Thread& thread, const Row& row, HostLinks& links, std::size_t out);
    void add_python_call(Thread& thread, const Row& row, HostLinks& links, std::size_t out);
    void add_enqueue(Thread& thread, const Row& row, HostLinks& links, std::size_t out);
    void add_dequeue(Thread& thread, const Row& row, HostLinks& links, std::size_t out);
    void add_api(Thread& thread, const Row& row, HostLinks& links, std::size_t out);
    std::int64_t op_of_allocation(const Row& row);

    const OpenSlice* innermost_op(Thread& thread, std::int64_t time);
    static std::int64_t innermost_frame(Thread& thread, std::int64_t time);
    void drop_closed_dequeues(Thread& thread, std::int64_t time);
    void expire_lone_dequeues(std::int64_t time);
    void remember_name(const Row& row, std::int64_t id);
    void forget_closed_names(std::int64_t time);
    void complete(const QueueTask& task);

    StepWindows steps_;
    FirstIds next_ids_;
    bool has_queue_;
    bool is_finished_ = false;
    std::int64_t last_start_ = kEarliest;
    std::int64_t last_end_ = kLatest;

    OpChains chains_;
    std::unordered_map<std::int64_t, Thread> threads_;
    std::vector<Thread*> dequeue_threads_;
    std::unordered_map<std::int64_t, QueueTask> waiting_;  // by correlation: tasks that lack a half
    std::vector<std::pair<std::int64_t, std::int64_t>> lone_dequeues_;  // heap of (end, correlation), may name tasks long gone
    std::unordered_map<std::int64_t, OpenStack<NamedOp>> ops_by_name_;
    std::size_t named_since_cleaning_ = 0;
    std::size_t cleaning_interval_ = 4096;
    std::int64_t dequeue_count_ = 0;
    std::int64_t frame_count_ = 0;
    QueueTasks completed_;
};

}  // namespace npuwh

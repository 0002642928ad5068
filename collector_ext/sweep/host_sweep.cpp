#include "sweep/host_sweep.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace npuwh {
namespace {

constexpr const char* kWhere = "HostSweep.feed";

// std heaps keep the greatest on top; we want the first to end there
constexpr auto kEndsLater = [](const auto& a, const auto& b) {
    return a.end > b.end || (a.end == b.end && a.order > b.order);
};

}  // namespace

HostSweep::HostSweep(const ColumnView& step_ids, const ColumnView& step_starts, const ColumnView& step_ends,
                     FirstIds first_ids, bool has_queue)
    : steps_("HostSweep", step_ids, step_starts, step_ends), next_ids_(first_ids), has_queue_(has_queue) {
    for (const std::int64_t id : {first_ids.op, first_ids.python, first_ids.api, first_ids.queue}) {
        if (id < 0 || id > kLatest / 2) {  // room to count up from it
            throw std::invalid_argument("HostSweep: first id " + std::to_string(id) + " is not between 0 and 2^62");
        }
    }
}

void HostSweep::check(const ColumnView& kind, const ColumnView& start, const ColumnView& end, const ColumnView& thread,
                      const ColumnView& name, const ColumnView& key, const ColumnView& module) const {
    if (is_finished_) {
        throw std::logic_error("HostSweep.feed: the sweep is finished");
    }
    const std::size_t rows = kind.size();
    require_rows(kWhere, "start", start, rows);
    require_rows(kWhere, "end", end, rows);
    require_rows(kWhere, "thread", thread, rows);
    require_rows(kWhere, "name", name, rows);
    require_rows(kWhere, "key", key, rows);
    require_rows(kWhere, "module", module, rows);
    require_sorted(kWhere, start, end, last_start_);
    std::int64_t previous_start = last_start_;
    std::int64_t previous_end = last_end_;
    for (std::size_t row = 0; row < rows; ++row) {
        if (kind[row] < 0 || kind[row] >= kHostKinds) {
            reject_row(kWhere, row, "has kind " + std::to_string(kind[row]) + "; kinds are 0 to 5");
        }
        if (start[row] == previous_start && end[row] > previous_end) {
            reject_row(kWhere, row, "starts with the row before it but ends later; feed the longer of equal starts first");
        }
        previous_start = start[row];
        previous_end = end[row];
    }
}

HostLinks HostSweep::feed(const ColumnView& kind, const ColumnView& start, const ColumnView& end, const ColumnView& thread,
                          const ColumnView& name, const ColumnView& key, const ColumnView& module) {
    check(kind, start, end, thread, name, key, module);
    const std::size_t rows = kind.size();
    const Column none(rows, kNone);
    HostLinks links{none, none, Column(rows), Column(rows), none, Column(rows), none, none, Column(rows),
                    Column(rows), none, none, none, none, none, none, none, none, none};
    Thread* state = nullptr;
    for (std::size_t out = 0; out < rows; ++out) {
        if (state == nullptr || thread[out] != thread[out - 1]) {
            state = &threads_[thread[out]];
        }
        const std::int64_t step = steps_.find(start[out]);
        const std::int64_t step_id = step == kNone ? kNone : steps_.id(static_cast<std::size_t>(step));
        const bool ends_in_step = step != kNone && end[out] <= steps_.end(static_cast<std::size_t>(step));
        links.step[out] = step_id;
        links.inside[out] = ends_in_step ? step_id : kNone;

        const Row row{start[out], end[out], thread[out], name[out], key[out], module[out], step_id};
        const auto row_kind = static_cast<HostKind>(kind[out]);
        if (row_kind != HostKind::allocation) {
            links.lane[out] = state->lanes[static_cast<std::size_t>(kind[out])].place(row.start, row.end);
        }
        switch (row_kind) {
            case HostKind::op:
                add_op(*state, row, links, out);
                break;
            case HostKind::python:
                add_python_call(*state, row, links, out);
                break;
            case HostKind::enqueue:
                add_enqueue(*state, row, links, out);
                break;
            case HostKind::dequeue:
                add_dequeue(*state, row, links, out);
                break;
            case HostKind::api:
                add_api(*state, row, links, out);
                break;
            case HostKind::allocation:
                links.op[out] = op_of_allocation(row);
                break;
        }
    }
    if (rows > 0) {
        last_start_ = start[rows - 1];
        last_end_ = end[rows - 1];
        expire_lone_dequeues(last_start_);
    }
    return links;
}

// Finds the parent of `slice` on `stack` and puts the slice on top.  Returns the parent, without id if there is none; a slice that
// knows nothing itself knows what its parent does.
HostSweep::OpenSlice HostSweep::nest(OpenStack<OpenSlice>& stack, OpenSlice& slice, HostLinks& links, std::size_t out) {
    const auto drop = [this](const OpenSlice& dropped) { chains_.release(dropped.chain); };
    const OpenSlice* open = stack.enclosing(slice.end, drop);
    const OpenSlice parent = open == nullptr ? OpenSlice{} : *open;
    if (open != nullptr) {
        slice.depth = parent.depth + 1;
        links.parent[out] = parent.id;
        if (slice.known.id == kNone) {
            slice.known = parent.known;
        }
    }
    links.id[out] = slice.id;
    links.depth[out] = slice.depth;
    stack.push(slice, drop);
    return parent;
}

void HostSweep::add_op(Thread& thread, const Row& row, HostLinks& links, std::size_t out) {
    const auto drop = [this](const OpenSlice& dropped) { chains_.release(dropped.chain); };
    OpenSlice slice{row.end, next_ids_.op++, row.name, row.key, row.module};
    if (row.key == 1) {
        slice.known = {slice.id, row.name, row.module};
    }
    const OpenSlice* open = thread.ops.enclosing(row.end, drop);
    slice.chain = chains_.make({slice.id, row.name}, open == nullptr ? OpChains::kNoNode : open->chain);
    links.outer_module[out] = nest(thread.ops, slice, links, out).module;
    const bool is_known = slice.known.id != kNone;
    links.framework[out] = is_known ? slice.known.id : slice.id;
    links.framework_name[out] = is_known ? slice.known.name : row.name;
    links.module[out] = row.module != kNone ? row.module : slice.known.module;

    thread.python_calls.close_before(row.start, drop);
    if (const OpenSlice* frame = thread.python_calls.reaching(row.end)) {
        links.frame[out] = frame->known.id;
        links.frame_name[out] = frame->known.name;
    }
    remember_name(row, slice.id);
}

void HostSweep::add_python_call(Thread& thread, const Row& row, HostLinks& links, std::size_t out) {
    OpenSlice slice{row.end, next_ids_.python++, row.name, row.key};
    if (row.key == 1) {
        slice.known = {frame_count_++, row.name, kNone};
    }
    const OpenSlice parent = nest(thread.python_calls, slice, links, out);
    links.frame[out] = parent.known.id;
    links.frame_name[out] = parent.known.name;
}

void HostSweep::add_enqueue(Thread& thread, const Row& row, HostLinks& links, std::size_t out) {
    const OpenSlice* open = innermost_op(thread, row.start);
    const std::int64_t op = open == nullptr ? kNone : open->id;
    const OpChains::Node chain = open == nullptr ? OpChains::kNoNode : open->chain;
    const std::int64_t python = innermost_frame(thread, row.start);
    links.op[out] = op;

    const auto found = waiting_.find(row.key);
    if (found != waiting_.end() && !found->second.has_enqueue && found->second.dequeue_end >= row.start) {
        // its dequeue came first and is still open
        QueueTask task = found->second;
        waiting_.erase(found);
        task.op = op;
        task.step = row.step;
        task.enqueue_start = row.start;
        task.enqueue_end = row.end;
        task.enqueue_thread = row.thread;
        task.enqueue_name = row.name;
        task.python = python;
        for (OpenDequeue& dequeue : threads_[task.dequeue_thread].dequeues) {
            if (dequeue.id == task.id) {
                dequeue.op = op;
                dequeue.python = python;
                dequeue.chain = chains_.share(chain);
            }
        }
        links.id[out] = links.queue[out] = task.id;
        complete(task);
        return;
    }
    if (found != waiting_.end()) {  // the number is used again: what waited under it stays without its other half
        chains_.release(found->second.chain);
        complete(found->second);
        waiting_.erase(found);
    }
    QueueTask task{next_ids_.queue++, row.key, op,    row.step, row.start, row.end, row.thread, row.name,
                   kNone,             kNone,   kNone, kNone,    true,      python,  chains_.share(chain)};
    links.id[out] = links.queue[out] = task.id;
    waiting_.emplace(row.key, task);
}

void HostSweep::add_dequeue(Thread& thread, const Row& row, HostLinks& links, std::size_t out) {
    if (!thread.has_dequeues) {
        thread.has_dequeues = true;
        dequeue_threads_.push_back(&thread);
    }
    drop_closed_dequeues(thread, row.start);
    expire_lone_dequeues(row.start);

    const auto found = waiting_.find(row.key);
    QueueTask task;
    if (found != waiting_.end() && found->second.has_enqueue) {
        task = found->second;
        waiting_.erase(found);
    } else {
        if (found != waiting_.end()) {
            complete(found->second);
            waiting_.erase(found);
        }
        task = {next_ids_.queue++, row.key, kNone, row.step, kNone, kNone, kNone, kNone,
                kNone,             kNone,   kNone, kNone,    false, kNone, OpChains::kNoNode};
    }
    task.dequeue_start = row.start;
    task.dequeue_end = row.end;
    task.dequeue_thread = row.thread;
    task.dequeue_name = row.name;
    links.id[out] = links.queue[out] = task.id;
    links.op[out] = task.op;
    thread.dequeues.push_back({row.end, dequeue_count_++, task.id, row.key, task.op, task.python, task.chain});
    std::push_heap(thread.dequeues.begin(), thread.dequeues.end(), kEndsLater);
    if (task.has_enqueue) {
        complete(task);
    } else {
        waiting_.emplace(row.key, task);
        lone_dequeues_.emplace_back(row.end, row.key);
        std::push_heap(lone_dequeues_.begin(), lone_dequeues_.end(), std::greater<>());
    }
}

void HostSweep::add_api(Thread& thread, const Row& row, HostLinks& links, std::size_t out) {
    OpenSlice slice{row.end, next_ids_.api++, row.name, row.key};
    const OpenSlice parent = nest(thread.api_calls, slice, links, out);
    links.outer_name[out] = parent.name;
    links.outer_key[out] = parent.key;
    drop_closed_dequeues(thread, row.start);
    if (!thread.dequeues.empty()) {
        const OpenDequeue& dequeue = thread.dequeues.front();
        links.queue[out] = dequeue.id;
        links.number[out] = dequeue.correlation;
        links.op[out] = dequeue.op;
        links.python[out] = dequeue.python;
        links.rule[out] = static_cast<std::int64_t>(dequeue.op == kNone ? ApiRule::none : ApiRule::queue);
        return;
    }
    links.python[out] = innermost_frame(thread, row.start);
    if (const OpenSlice* open = innermost_op(thread, row.start)) {
        links.op[out] = open->id;
        links.rule[out] = static_cast<std::int64_t>(has_queue_ ? ApiRule::host_beside_queue : ApiRule::host);
    }
}

std::int64_t HostSweep::op_of_allocation(const Row& row) {
    const auto named = ops_by_name_.find(row.name);
    if (named != ops_by_name_.end()) {
        named->second.close_before(row.start, [](const NamedOp&) {});
        if (const NamedOp* open = named->second.top()) {
            return open->id;
        }
    }
    std::int64_t latest = kNone;
    std::int64_t op = kNone;
    for (Thread* thread : dequeue_threads_) {
        drop_closed_dequeues(*thread, row.start);
        for (const OpenDequeue& dequeue : thread->dequeues) {
            if (op != kNone && dequeue.order < latest) {
                continue;
            }
            for (OpChains::Node node = dequeue.chain; node != OpChains::kNoNode; node = chains_.parent(node)) {
                if (chains_.op(node).name == row.name) {
                    latest = dequeue.order;
                    op = chains_.op(node).id;
                    break;
                }
            }
        }
    }
    return op;
}

const HostSweep::OpenSlice* HostSweep::innermost_op(Thread& thread, std::int64_t time) {
    thread.ops.close_before(time, [this](const OpenSlice& dropped) { chains_.release(dropped.chain); });
    return thread.ops.top();
}

std::int64_t HostSweep::innermost_frame(Thread& thread, std::int64_t time) {
    thread.python_calls.close_before(time, [](const OpenSlice&) {});
    const OpenSlice* open = thread.python_calls.top();
    return open == nullptr ? kNone : open->id;
}

void HostSweep::drop_closed_dequeues(Thread& thread, std::int64_t time) {
    std::vector<OpenDequeue>& open = thread.dequeues;
    while (!open.empty() && open.front().end < time) {
        chains_.release(open.front().chain);
        std::pop_heap(open.begin(), open.end(), kEndsLater);
        open.pop_back();
    }
}

// Dequeues that ended without meeting an enqueue leave with half a task.
void HostSweep::expire_lone_dequeues(std::int64_t time) {
    while (!lone_dequeues_.empty() && lone_dequeues_.front().first < time) {
        const auto [end, correlation] = lone_dequeues_.front();
        std::pop_heap(lone_dequeues_.begin(), lone_dequeues_.end(), std::greater<>());
        lone_dequeues_.pop_back();
        const auto found = waiting_.find(correlation);
        if (found != waiting_.end() && !found->second.has_enqueue && found->second.dequeue_end == end) {
            complete(found->second);
            waiting_.erase(found);
        }
    }
}

void HostSweep::remember_name(const Row& row, std::int64_t id) {
    ops_by_name_[row.name].push({row.end, id}, [](const NamedOp&) {});
    if (++named_since_cleaning_ >= cleaning_interval_) {
        forget_closed_names(row.start);
    }
}

// Names that are never asked for would keep their closed ops; cleaning now and then costs O(1) an op.
void HostSweep::forget_closed_names(std::int64_t time) {
    std::size_t kept = 0;
    for (auto named = ops_by_name_.begin(); named != ops_by_name_.end();) {
        named->second.close_before(time, [](const NamedOp&) {});
        kept += named->second.size();
        named = named->second.top() == nullptr ? ops_by_name_.erase(named) : std::next(named);
    }
    named_since_cleaning_ = 0;
    cleaning_interval_ = std::max<std::size_t>(4096, 2 * kept);
}

void HostSweep::complete(const QueueTask& task) {
    completed_.id.push_back(task.id);
    completed_.correlation.push_back(task.correlation);
    completed_.op.push_back(task.op);
    completed_.step.push_back(task.step);
    completed_.enqueue_start.push_back(task.enqueue_start);
    completed_.enqueue_end.push_back(task.enqueue_end);
    completed_.enqueue_thread.push_back(task.enqueue_thread);
    completed_.enqueue_name.push_back(task.enqueue_name);
    completed_.dequeue_start.push_back(task.dequeue_start);
    completed_.dequeue_end.push_back(task.dequeue_end);
    completed_.dequeue_thread.push_back(task.dequeue_thread);
    completed_.dequeue_name.push_back(task.dequeue_name);
}

QueueTasks HostSweep::take_queue_tasks() {
    QueueTasks taken = std::move(completed_);
    completed_ = {};
    return taken;
}

QueueTasks HostSweep::finish() {
    is_finished_ = true;
    std::vector<QueueTask> rest;
    for (const auto& waiting : waiting_) {
        rest.push_back(waiting.second);
    }
    waiting_.clear();
    std::sort(rest.begin(), rest.end(), [](const QueueTask& a, const QueueTask& b) { return a.id < b.id; });
    for (const QueueTask& task : rest) {
        complete(task);
    }
    return take_queue_tasks();
}

std::size_t HostSweep::kept_count() const {
    std::size_t count = chains_.live_count() + waiting_.size() + lone_dequeues_.size();
    for (const auto& thread : threads_) {
        count += thread.second.ops.size() + thread.second.python_calls.size() + thread.second.api_calls.size() +
                 thread.second.dequeues.size();
    }
    for (const auto& named : ops_by_name_) {
        count += named.second.size();
    }
    return count;
}

}  // namespace npuwh

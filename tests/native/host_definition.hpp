// What a HostSweep has to find, by its rules as they stand, slowly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sweep/host_sweep.hpp"

namespace host_definition {

using npuwh::Column;
using npuwh::HostSweep;

constexpr std::int64_t kOp = 0, kPython = 1, kEnqueue = 2, kDequeue = 3, kApi = 4, kAllocation = 5;
constexpr HostSweep::FirstIds kFirst{100, 200, 300, 400};

struct Event {
    std::int64_t kind, start, end, thread, name, key;
    std::int64_t module = -1;
};
struct Step {
    std::int64_t id, start, end;
};

// Columns of a row: id, parent, depth, lane, op, rule, queue, step, inside, number, python, framework, framework name, frame,
// frame name, module, module, name and key of the parent.
using Row = Column;
constexpr std::size_t kColumns = 19;
// Twelve columns of a queue task, in the order of QueueTasks.
using Task = Column;

struct Result {
    std::vector<Row> rows;
    std::vector<Task> tasks;  // by id
};

// The rules of host_sweep.hpp, each found by looking at all earlier events.
class Definition {
public:
    Definition(const std::vector<Event>& events, const std::vector<Step>& steps, bool has_queue)
        : events_(events), steps_(steps), has_queue_(has_queue) {
        for (std::size_t at = 0; at < events.size(); ++at) {
            add(at);
        }
        for (Task& task : tasks_) {
            result_.tasks.push_back(task);
        }
    }
    const Result& result() const { return result_; }

private:
    static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

    void add(std::size_t at) {
        const Event& event = events_[at];
        Row row(kColumns, -1);
        row[2] = row[3] = row[5] = 0;
        parents_.push_back(kNobody);
        task_of_.push_back(kNobody);
        if (event.kind == kOp || event.kind == kPython || event.kind == kApi) {
            const std::int64_t first = event.kind == kOp ? kFirst.op : event.kind == kPython ? kFirst.python : kFirst.api;
            row[0] = first + counts_[event.kind]++;
            const std::size_t parent = latest(at, [&](const Event& other) {
                return other.kind == event.kind && other.thread == event.thread && other.end >= event.end;
            });
            parents_[at] = parent;
            if (parent != kNobody) {
                row[1] = result_.rows[parent][0];
                row[2] = result_.rows[parent][2] + 1;
            }
        }
        frame_numbers_.push_back(event.kind == kPython && event.key == 1 ? frame_count_++ : -1);
        if (event.kind == kOp) {
            add_op(at, row);
        } else if (event.kind == kPython) {
            note_frame(parents_[at], row);
        } else if (event.kind == kApi && parents_[at] != kNobody) {
            row[17] = events_[parents_[at]].name;
            row[18] = events_[parents_[at]].key;
        }
        if (event.kind != kAllocation) {
            row[3] = lane(at);
        }
        if (event.kind == kEnqueue) {
            add_enqueue(at, row);
        } else if (event.kind == kDequeue) {
            add_dequeue(at, row);
        } else if (event.kind == kApi) {
            add_api(at, row);
        } else if (event.kind == kAllocation) {
            const std::size_t op = op_of_allocation(at);
            row[4] = op == kNobody ? -1 : result_.rows[op][0];
        }
        for (const Step& step : steps_) {
            if (step.start <= event.start && event.start < step.end) {
                row[7] = step.id;
                row[8] = event.end <= step.end ? step.id : -1;
                break;
            }
        }
        result_.rows.push_back(row);
    }

    std::size_t nearest_with_key(std::size_t at) const {
        while (at != kNobody && events_[at].key != 1) {
            at = parents_[at];
        }
        return at;
    }
    void add_op(std::size_t at, Row& row) {
        const std::size_t known = nearest_with_key(at);
        const std::size_t framework = known == kNobody ? at : known;
        row[11] = framework == at ? row[0] : result_.rows[framework][0];
        row[12] = events_[framework].name;
        row[15] = events_[at].module != -1 ? events_[at].module : events_[framework].module;
        row[16] = parents_[at] == kNobody ? -1 : events_[parents_[at]].module;
        note_frame(latest(at, [&](const Event& other) {
            return other.kind == kPython && other.thread == events_[at].thread && other.end >= events_[at].end;
        }), row);
    }
    void note_frame(std::size_t around, Row& row) const {
        const std::size_t frame = nearest_with_key(around);
        if (frame != kNobody) {
            row[13] = frame_numbers_[frame];
            row[14] = events_[frame].name;
        }
    }
    template <class Condition>
    std::size_t latest(std::size_t before, Condition condition) const {
        for (std::size_t at = before; at-- > 0;) {
            if (condition(events_[at])) {
                return at;
            }
        }
        return kNobody;
    }
    std::size_t innermost(std::int64_t kind, std::size_t at) const {
        return latest(at, [&](const Event& other) {
            return other.kind == kind && other.thread == events_[at].thread && other.end >= events_[at].start;
        });
    }
    std::size_t innermost_op(std::size_t at) const { return innermost(kOp, at); }
    std::int64_t frame(std::size_t at) const {
        const std::size_t found = innermost(kPython, at);
        return found == kNobody ? -1 : result_.rows[found][0];
    }
    std::int64_t step_of(const Event& event) const {
        for (const Step& step : steps_) {
            if (step.start <= event.start && event.start < step.end) {
                return step.id;
            }
        }
        return -1;
    }
    std::int64_t lane(std::size_t at) {
        auto& lanes = lanes_[{events_[at].thread, events_[at].kind}];
        std::size_t lane = 0;
        for (;; ++lane) {
            if (lane == lanes.size()) {
                lanes.emplace_back();
            }
            if (std::all_of(lanes[lane].begin(), lanes[lane].end(), [&](std::size_t other) {
                    return events_[other].end <= events_[at].start || events_[at].end <= events_[other].end;
                })) {
                break;
            }
        }
        lanes[lane].push_back(at);
        return static_cast<std::int64_t>(lane);
    }
    std::size_t new_task(std::int64_t correlation, std::int64_t step) {
        tasks_.push_back(Task(12, -1));
        tasks_.back()[0] = kFirst.queue + static_cast<std::int64_t>(tasks_.size()) - 1;
        tasks_.back()[1] = correlation;
        tasks_.back()[3] = step;
        ops_.push_back(kNobody);
        frames_.push_back(-1);
        return tasks_.size() - 1;
    }
    static void fill(Task& task, std::size_t from, const Event& event) {
        task[from] = event.start;
        task[from + 1] = event.end;
        task[from + 2] = event.thread;
        task[from + 3] = event.name;
    }
    void add_enqueue(std::size_t at, Row& row) {
        const Event& event = events_[at];
        const std::size_t op = innermost_op(at);
        std::size_t task = kNobody;
        const auto waiting = waiting_.find(event.key);
        if (waiting != waiting_.end() && events_[waiting->second].kind == kDequeue &&
            events_[waiting->second].end >= event.start) {
            task = task_of_[waiting->second];
            waiting_.erase(waiting);
            tasks_[task][3] = step_of(event);
        } else {
            task = new_task(event.key, step_of(event));
            waiting_[event.key] = at;
        }
        fill(tasks_[task], 4, event);
        ops_[task] = op;
        frames_[task] = frame(at);
        tasks_[task][2] = op == kNobody ? -1 : result_.rows[op][0];
        task_of_[at] = task;
        row[0] = row[6] = tasks_[task][0];
        row[4] = tasks_[task][2];
    }
    void add_dequeue(std::size_t at, Row& row) {
        const Event& event = events_[at];
        std::size_t task = kNobody;
        const auto waiting = waiting_.find(event.key);
        if (waiting != waiting_.end() && events_[waiting->second].kind == kEnqueue) {
            task = task_of_[waiting->second];
            waiting_.erase(waiting);
        } else {
            task = new_task(event.key, step_of(event));
            waiting_[event.key] = at;
        }
        fill(tasks_[task], 8, event);
        task_of_[at] = task;
        row[0] = row[6] = tasks_[task][0];
        row[4] = tasks_[task][2];
    }
    void add_api(std::size_t at, Row& row) {
        std::size_t dequeue = kNobody;
        for (std::size_t other = 0; other < at; ++other) {
            const bool is_open = events_[other].kind == kDequeue && events_[other].thread == events_[at].thread &&
                                 events_[other].end >= events_[at].start;
            if (is_open && (dequeue == kNobody || events_[other].end < events_[dequeue].end)) {
                dequeue = other;
            }
        }
        if (dequeue != kNobody) {
            const Task& task = tasks_[task_of_[dequeue]];
            row[6] = task[0];
            row[4] = task[2];
            row[5] = task[2] == -1 ? 0 : 1;
            row[9] = task[1];
            row[10] = frames_[task_of_[dequeue]];
            return;
        }
        row[10] = frame(at);
        const std::size_t op = innermost_op(at);
        if (op != kNobody) {
            row[4] = result_.rows[op][0];
            row[5] = has_queue_ ? 5 : 3;
        }
    }
    std::size_t op_of_allocation(std::size_t at) const {
        const Event& event = events_[at];
        const std::size_t open = latest(at, [&](const Event& other) {
            return other.kind == kOp && other.name == event.name && other.end >= event.start;
        });
        if (open != kNobody) {
            return open;
        }
        for (std::size_t other = at; other-- > 0;) {
            if (events_[other].kind != kDequeue || events_[other].end < event.start) {
                continue;
            }
            for (std::size_t op = ops_[task_of_[other]]; op != kNobody; op = parents_[op]) {
                if (events_[op].name == event.name) {
                    return op;
                }
            }
        }
        return kNobody;
    }

    const std::vector<Event>& events_;
    const std::vector<Step>& steps_;
    bool has_queue_;
    Result result_;
    std::map<std::int64_t, std::int64_t> counts_;
    std::vector<std::size_t> parents_;  // by event
    std::vector<std::int64_t> frame_numbers_;  // of frames with key 1, by event
    std::int64_t frame_count_ = 0;
    std::vector<std::size_t> task_of_;  // by event
    std::vector<Task> tasks_;
    std::vector<std::size_t> ops_;  // by task
    std::vector<std::int64_t> frames_;  // by task
    std::map<std::int64_t, std::size_t> waiting_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::vector<std::size_t>>> lanes_;
};

}  // namespace host_definition

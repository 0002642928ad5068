#include <algorithm>
#include <map>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "sweep/host_sweep.hpp"

using npuwh::Column;
using npuwh::HostLinks;
using npuwh::HostSweep;
using npuwh::QueueTasks;

namespace {

constexpr std::int64_t kOp = 0, kPython = 1, kEnqueue = 2, kDequeue = 3, kApi = 4, kAllocation = 5;
constexpr HostSweep::FirstIds kFirst{100, 200, 300, 400};

struct Event {
    std::int64_t kind, start, end, thread, name, key;
};
struct Step {
    std::int64_t id, start, end;
};

// Ten columns of a row: id, parent, depth, lane, op, rule, queue, step, inside, number.
using Row = Column;
// Twelve columns of a queue task, in the order of QueueTasks.
using Task = Column;

struct Result {
    std::vector<Row> rows;
    std::vector<Task> tasks;  // by id
};

void sort_events(std::vector<Event>& events) {
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
        return a.start < b.start || (a.start == b.start && a.end > b.end);
    });
}

HostSweep make_sweep(const std::vector<Step>& steps, bool has_queue) {
    Column ids, starts, ends;
    for (const Step& step : steps) {
        ids.push_back(step.id);
        starts.push_back(step.start);
        ends.push_back(step.end);
    }
    return HostSweep(ids, starts, ends, kFirst, has_queue);
}

void take(const QueueTasks& tasks, std::vector<Task>& out) {
    for (std::size_t n = 0; n < tasks.id.size(); ++n) {
        out.push_back({tasks.id[n], tasks.correlation[n], tasks.op[n], tasks.step[n], tasks.enqueue_start[n],
                       tasks.enqueue_end[n], tasks.enqueue_thread[n], tasks.enqueue_name[n], tasks.dequeue_start[n],
                       tasks.dequeue_end[n], tasks.dequeue_thread[n], tasks.dequeue_name[n]});
    }
}

Result run(const std::vector<Event>& events, const std::vector<Step>& steps, bool has_queue, check::Random* pieces) {
    HostSweep sweep = make_sweep(steps, has_queue);
    Result result;
    for (std::size_t from = 0; from < events.size();) {
        const std::size_t to = pieces == nullptr
                                   ? events.size()
                                   : std::min(events.size(), from + static_cast<std::size_t>(pieces->between(0, 5)));
        Column kind, start, end, thread, name, key;
        for (std::size_t n = from; n < to; ++n) {
            kind.push_back(events[n].kind);
            start.push_back(events[n].start);
            end.push_back(events[n].end);
            thread.push_back(events[n].thread);
            name.push_back(events[n].name);
            key.push_back(events[n].key);
        }
        const HostLinks links = sweep.feed(kind, start, end, thread, name, key);
        for (std::size_t n = 0; n < kind.size(); ++n) {
            result.rows.push_back({links.id[n], links.parent[n], links.depth[n], links.lane[n], links.op[n], links.rule[n],
                                   links.queue[n], links.step[n], links.inside[n], links.number[n]});
        }
        take(sweep.take_queue_tasks(), result.tasks);
        from = to;
    }
    take(sweep.finish(), result.tasks);
    std::sort(result.tasks.begin(), result.tasks.end());
    return result;
}

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
        Row row(10, -1);
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

    template <class Condition>
    std::size_t latest(std::size_t before, Condition condition) const {
        for (std::size_t at = before; at-- > 0;) {
            if (condition(events_[at])) {
                return at;
            }
        }
        return kNobody;
    }
    std::size_t innermost_op(std::size_t at) const {
        return latest(at, [&](const Event& other) {
            return other.kind == kOp && other.thread == events_[at].thread && other.end >= events_[at].start;
        });
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
            return;
        }
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
    std::vector<std::size_t> task_of_;  // by event
    std::vector<Task> tasks_;
    std::vector<std::size_t> ops_;  // by task
    std::map<std::int64_t, std::size_t> waiting_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::vector<std::size_t>>> lanes_;
};

std::vector<Event> random_events(check::Random& random) {
    std::vector<Event> events;
    const std::int64_t range = random.between(1, 150);
    const std::int64_t longest = random.between(0, 60);
    const std::int64_t keys = random.between(1, 30);
    for (std::int64_t count = random.between(0, 60); count > 0; --count) {
        const std::int64_t start = random.between(-20, range);
        const std::int64_t kind = random.between(0, 5);
        const std::int64_t end = kind == kAllocation ? start : start + random.between(0, longest);
        events.push_back({kind, start, end, random.between(0, 2), random.between(0, 4), random.between(0, keys)});
    }
    sort_events(events);
    return events;
}

std::vector<Step> random_steps(check::Random& random) {
    std::vector<Step> steps;
    for (std::int64_t count = random.between(0, 3); count > 0; --count) {
        const std::int64_t start = random.between(-20, 100);
        steps.push_back({10 + count, start, start + random.between(0, 80)});
    }
    return steps;
}

Column column(const std::vector<Row>& rows, std::size_t which) {
    Column values;
    for (const Row& row : rows) {
        values.push_back(row[which]);
    }
    return values;
}

}  // namespace

TEST(links_equal_their_definition) {
    check::Random random(11);
    for (int round = 0; round < 20000; ++round) {
        const auto events = random_events(random);
        const auto steps = random_steps(random);
        const bool has_queue = random.between(0, 1) == 1;
        const Result result = run(events, steps, has_queue, nullptr);
        const Definition definition(events, steps, has_queue);
        CHECK_EQUAL(result.rows, definition.result().rows);
        CHECK_EQUAL(result.tasks, definition.result().tasks);
    }
}

TEST(pieces_of_any_size_give_the_same_result) {
    check::Random random(12);
    for (int round = 0; round < 3000; ++round) {
        const auto events = random_events(random);
        const auto steps = random_steps(random);
        const Result whole = run(events, steps, true, nullptr);
        const Result pieces = run(events, steps, true, &random);
        CHECK_EQUAL(pieces.rows, whole.rows);
        CHECK_EQUAL(pieces.tasks, whole.tasks);
    }
}

TEST(a_launch_finds_its_op_through_the_queue) {
    // op 100 around op 101 with an enqueue in it; another thread dequeues later and calls the API
    const Result result = run({{kOp, 0, 50, 1, 7, 0},
                               {kOp, 5, 20, 1, 8, 0},
                               {kEnqueue, 10, 12, 1, 9, 33},
                               {kDequeue, 60, 90, 2, 9, 33},
                               {kApi, 65, 70, 2, 9, 0},
                               {kAllocation, 66, 66, 3, 7, 0},
                               {kAllocation, 66, 66, 3, 99, 0},
                               {kApi, 95, 96, 2, 9, 0}},
                              {{5, 0, 60}}, true, nullptr);
    CHECK_EQUAL(column(result.rows, 4), (Column{-1, -1, 101, 101, 101, 100, -1, -1}));  // op
    CHECK_EQUAL(column(result.rows, 5), (Column{0, 0, 0, 0, 1, 0, 0, 0}));              // rule
    CHECK_EQUAL(column(result.rows, 6), (Column{-1, -1, 400, 400, 400, -1, -1, -1}));   // queue
    CHECK_EQUAL(result.tasks, (std::vector<Task>{{400, 33, 101, 5, 10, 12, 1, 9, 60, 90, 2, 9}}));
}

TEST(an_api_beside_the_queue_takes_the_op_of_its_thread) {
    const std::vector<Event> events{{kOp, 0, 50, 1, 7, 0}, {kApi, 50, 60, 1, 9, 0}, {kApi, 51, 60, 1, 9, 0}};
    CHECK_EQUAL(column(run(events, {}, true, nullptr).rows, 5), (Column{0, 5, 0}));
    CHECK_EQUAL(column(run(events, {}, false, nullptr).rows, 5), (Column{0, 3, 0}));
}

TEST(parents_hold_their_children_wholly) {
    const Result result = run({{kOp, 0, 10, 1, 1, 0},     // 100
                               {kOp, 5, 15, 1, 1, 0},     // 101 only partly in 100
                               {kOp, 6, 10, 1, 1, 0},     // 102 in 101, the nearest that holds it
                               {kOp, 10, 10, 1, 1, 0},    // 103 of no length at the end of 102
                               {kOp, 15, 20, 1, 1, 0},    // 104 after 101
                               {kPython, 16, 17, 1, 1, 0}},
                              {}, true, nullptr);
    CHECK_EQUAL(column(result.rows, 1), (Column{-1, -1, 101, 102, -1, -1}));
    CHECK_EQUAL(column(result.rows, 2), (Column{0, 0, 1, 2, 0, 0}));
    CHECK_EQUAL(column(result.rows, 3), (Column{0, 1, 0, 0, 0, 0}));  // lane 0: 102 lies in 100 as well
}

TEST(a_slice_beyond_its_step_is_not_inside) {
    const Result result = run({{kOp, 0, 10, 1, 1, 0}, {kOp, 5, 11, 1, 1, 0}, {kOp, 10, 12, 1, 1, 0}}, {{3, 0, 10}}, true, nullptr);
    CHECK_EQUAL(column(result.rows, 7), (Column{3, 3, -1}));
    CHECK_EQUAL(column(result.rows, 8), (Column{3, -1, -1}));
}

TEST(names_that_are_never_asked_for_are_forgotten) {
    HostSweep sweep = make_sweep({}, true);
    Column kind, start, end, name;
    for (std::int64_t n = 0; n < 50'000; ++n) {
        kind.push_back(kOp);
        start.push_back(10 * n);
        end.push_back(10 * n + 5);
        name.push_back(n);  // each its own
    }
    sweep.feed(kind, start, end, kind, name, kind);
    CHECK(sweep.kept_count() < 20'000);
}

TEST(chains_of_overlaps_keep_only_what_is_open) {
    HostSweep sweep = make_sweep({}, true);
    Column kind, start, end;
    for (std::int64_t n = 0; n < 50'000; ++n) {
        kind.push_back(kOp);
        start.push_back(10 * n);
        end.push_back(10 * n + 15);  // each reaches into the next
    }
    sweep.feed(kind, start, end, kind, kind, kind);
    CHECK(sweep.kept_count() < 20);
}

TEST(bad_rows_are_named_and_change_nothing) {
    HostSweep sweep = make_sweep({}, true);
    const Column zero{0};
    sweep.feed(zero, Column{10}, Column{20}, zero, zero, zero);
    CHECK_REJECTS(sweep.feed(zero, Column{9}, Column{20}, zero, zero, zero), "row 0 starts at 9, before the start 10");
    CHECK_REJECTS(sweep.feed(zero, Column{10}, Column{21}, zero, zero, zero), "row 0 starts with the row before it but ends later");
    CHECK_REJECTS(sweep.feed(zero, Column{10}, Column{9}, zero, zero, zero), "row 0 ends at 9");
    CHECK_REJECTS(sweep.feed(Column{6}, Column{10}, Column{11}, zero, zero, zero), "row 0 has kind 6");
    CHECK_REJECTS(sweep.feed(zero, Column{10}, Column{11}, zero, zero, Column{}), "column key has 0 rows");
    CHECK_EQUAL(sweep.feed(zero, Column{10}, Column{20}, zero, zero, zero).parent, (Column{100}));
    CHECK_REJECTS(HostSweep(zero, zero, zero, {-1, 0, 0, 0}, true), "first id -1");
    sweep.finish();
    bool refused = false;
    try {
        sweep.feed(zero, Column{30}, Column{30}, zero, zero, zero);
    } catch (const std::logic_error&) {
        refused = true;
    }
    CHECK(refused);
}

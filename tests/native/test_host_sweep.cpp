#include <algorithm>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "host_definition.hpp"
#include "sweep/host_sweep.hpp"

using namespace host_definition;  // NOLINT: this is its test
using npuwh::HostLinks;
using npuwh::QueueTasks;

namespace {

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
        Column kind, start, end, thread, name, key, module;
        for (std::size_t n = from; n < to; ++n) {
            kind.push_back(events[n].kind);
            start.push_back(events[n].start);
            end.push_back(events[n].end);
            thread.push_back(events[n].thread);
            name.push_back(events[n].name);
            key.push_back(events[n].key);
            module.push_back(events[n].module);
        }
        const HostLinks links = sweep.feed(kind, start, end, thread, name, key, module);
        for (std::size_t n = 0; n < kind.size(); ++n) {
            result.rows.push_back({links.id[n], links.parent[n], links.depth[n], links.lane[n], links.op[n], links.rule[n],
                                   links.queue[n], links.step[n], links.inside[n], links.number[n], links.python[n], links.framework[n],
                                   links.framework_name[n], links.frame[n], links.frame_name[n], links.module[n],
                                   links.outer_module[n], links.outer_name[n], links.outer_key[n]});
        }
        take(sweep.take_queue_tasks(), result.tasks);
        from = to;
    }
    take(sweep.finish(), result.tasks);
    std::sort(result.tasks.begin(), result.tasks.end());
    return result;
}

std::vector<Event> random_events(check::Random& random) {
    std::vector<Event> events;
    const std::int64_t range = random.between(1, 150);
    const std::int64_t longest = random.between(0, 60);
    const std::int64_t keys = random.between(1, 30);
    for (std::int64_t count = random.between(0, 60); count > 0; --count) {
        const std::int64_t start = random.between(-20, range);
        const std::int64_t kind = random.between(0, 5);
        const std::int64_t end = kind == kAllocation ? start : start + random.between(0, longest);
        events.push_back({kind, start, end, random.between(0, 2), random.between(0, 4), random.between(0, keys),
                          random.between(-1, 2)});
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

TEST(what_is_known_of_what_lies_around) {
    const Result result = run({{kPython, 0, 100, 1, 50, 1},          // frame 0
                               {kPython, 1, 99, 1, 51, 0},           // no module
                               {kOp, 10, 90, 1, 7, 1, 4},            // 100, with a namespace and a module
                               {kOp, 20, 80, 1, 8, 0},               // 101
                               {kPython, 21, 79, 1, 52, 1},          // frame 1
                               {kOp, 30, 70, 1, 9, 0, 5},            // 102
                               {kOp, 31, 95, 2, 9, 0},               // 103, on another thread
                               {kApi, 40, 60, 1, 60, 6}, {kApi, 41, 59, 1, 61, 7}},
                              {}, true, nullptr);
    CHECK_EQUAL(column(result.rows, 11), (Column{-1, -1, 100, 100, -1, 100, 103, -1, -1}));  // framework
    CHECK_EQUAL(column(result.rows, 13), (Column{-1, 0, 0, 0, 0, 1, -1, -1, -1}));          // frame
    CHECK_EQUAL(column(result.rows, 14), (Column{-1, 50, 50, 50, 50, 52, -1, -1, -1}));
    CHECK_EQUAL(column(result.rows, 15), (Column{-1, -1, 4, 4, -1, 5, -1, -1, -1}));        // module
    CHECK_EQUAL(column(result.rows, 16), (Column{-1, -1, -1, 4, -1, -1, -1, -1, -1}));      // of the parent
    CHECK_EQUAL(column(result.rows, 17), (Column{-1, -1, -1, -1, -1, -1, -1, -1, 60}));
    CHECK_EQUAL(column(result.rows, 18), (Column{-1, -1, -1, -1, -1, -1, -1, -1, 6}));
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
    sweep.feed(kind, start, end, kind, name, kind, kind);
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
    sweep.feed(kind, start, end, kind, kind, kind, kind);
    CHECK(sweep.kept_count() < 20);
}

TEST(bad_rows_are_named_and_change_nothing) {
    HostSweep sweep = make_sweep({}, true);
    const Column zero{0};
    sweep.feed(zero, Column{10}, Column{20}, zero, zero, zero, zero);
    CHECK_REJECTS(sweep.feed(zero, Column{9}, Column{20}, zero, zero, zero, zero), "row 0 starts at 9, before the start 10");
    CHECK_REJECTS(sweep.feed(zero, Column{10}, Column{21}, zero, zero, zero, zero), "row 0 starts with the row before it but ends later");
    CHECK_REJECTS(sweep.feed(zero, Column{10}, Column{9}, zero, zero, zero, zero), "row 0 ends at 9");
    CHECK_REJECTS(sweep.feed(Column{6}, Column{10}, Column{11}, zero, zero, zero, zero), "row 0 has kind 6");
    CHECK_REJECTS(sweep.feed(zero, Column{10}, Column{11}, zero, zero, Column{}, zero), "column key has 0 rows");
    CHECK_EQUAL(sweep.feed(zero, Column{10}, Column{20}, zero, zero, zero, zero).parent, (Column{100}));
    CHECK_REJECTS(HostSweep(zero, zero, zero, {-1, 0, 0, 0}, true), "first id -1");
    sweep.finish();
    bool refused = false;
    try {
        sweep.feed(zero, Column{30}, Column{30}, zero, zero, zero, zero);
    } catch (const std::logic_error&) {
        refused = true;
    }
    CHECK(refused);
}

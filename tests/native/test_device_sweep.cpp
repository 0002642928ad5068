#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "sweep/device_sweep.hpp"

using npuwh::Column;
using npuwh::ColumnView;
using npuwh::DeviceSweep;

namespace {

struct Row {
    std::int64_t kind, start, end, device, track;
};
struct Steps {
    Column ids, text_starts, text_ends, task_starts, task_ends;
};
using Interval = std::pair<std::int64_t, std::int64_t>;
using Intervals = std::vector<Interval>;

bool is_communication(std::int64_t kind) { return kind == 2 || kind == 5; }
bool is_busy(std::int64_t kind) { return kind == 1 || is_communication(kind); }

Intervals united(Intervals intervals) {
    std::sort(intervals.begin(), intervals.end());
    Intervals result;
    for (const Interval& interval : intervals) {
        if (!result.empty() && interval.first <= result.back().second) {
            result.back().second = std::max(result.back().second, interval.second);
        } else {
            result.push_back(interval);
        }
    }
    return result;
}

std::int64_t length(const Intervals& intervals) {
    std::int64_t sum = 0;
    for (const Interval& interval : intervals) {
        sum += interval.second - interval.first;
    }
    return sum;
}

std::vector<Row> random_rows(check::Random& random) {
    std::vector<Row> rows;
    std::int64_t time = 0;
    for (std::int64_t count = random.between(0, 40); count > 0; --count) {
        time += random.between(0, 5);
        rows.push_back({random.between(0, 6), time, time + random.between(0, 12), random.between(0, 1), random.between(0, 2)});
    }
    return rows;
}

Steps random_steps(check::Random& random) {
    Steps steps;
    for (std::int64_t count = random.between(0, 4); count > 0; --count) {
        steps.ids.push_back(10 + count);
        steps.text_starts.push_back(random.between(-1, 80));
        steps.text_ends.push_back(steps.text_starts.back() + random.between(0, 60));
        steps.task_starts.push_back(random.between(-1, 80));
        steps.task_ends.push_back(steps.task_starts.back() + random.between(0, 60));
    }
    return steps;
}

struct Result {
    Column wait, step, task_step, lane;
    std::vector<Column> intervals;  // device, kind, start, end, step, copies, copy ns, in that order
    std::vector<Column> totals;
};

void append(Column& to, const Column& from) { to.insert(to.end(), from.begin(), from.end()); }

Result run(const std::vector<Row>& rows, const Steps& steps, check::Random* pieces) {
    DeviceSweep sweep(steps.ids, steps.text_starts, steps.text_ends, steps.task_starts, steps.task_ends);
    Result result;
    std::vector<Column> intervals;
    const auto keep = [&](const npuwh::BusyIntervals& taken) {
        for (std::size_t row = 0; row < taken.start.size(); ++row) {
            intervals.push_back({taken.device[row], taken.kind[row], taken.start[row], taken.end[row], taken.step[row],
                                 taken.copies[row], taken.copy_ns[row]});
        }
    };
    for (std::size_t from = 0; from < rows.size();) {
        const std::size_t to =
            pieces == nullptr ? rows.size() : std::min(rows.size(), from + static_cast<std::size_t>(pieces->between(0, 6)));
        Column kind, start, end, device, track;
        for (std::size_t row = from; row < to; ++row) {
            kind.push_back(rows[row].kind);
            start.push_back(rows[row].start);
            end.push_back(rows[row].end);
            device.push_back(rows[row].device);
            track.push_back(rows[row].track);
        }
        const auto links = sweep.feed(kind, start, end, device, track);
        append(result.wait, links.wait);
        append(result.step, links.step);
        append(result.task_step, links.task_step);
        append(result.lane, links.lane);
        keep(sweep.take_intervals());
        from = to;
    }
    keep(sweep.finish());
    std::stable_sort(intervals.begin(), intervals.end(), [](const Column& a, const Column& b) {
        return std::tie(a[0], a[1]) < std::tie(b[0], b[1]);  // the order within a kind is the sweep's own
    });
    result.intervals = intervals;
    const auto totals = sweep.step_totals();
    for (std::size_t row = 0; row < totals.step.size(); ++row) {
        result.totals.push_back({totals.step[row], totals.device[row], totals.computing[row], totals.communication[row],
                                 totals.not_overlapped[row], totals.free[row], totals.bubble[row], totals.first_start[row],
                                 totals.last_end[row]});
    }
    return result;
}

// analysis.db: unions over the operators that start in the window; free: the gaps between busy unions.
std::vector<Column> totals_by_definition(const std::vector<Row>& rows, const Steps& steps) {
    std::vector<Column> result;
    const std::size_t count = std::max<std::size_t>(steps.ids.size(), 1);
    for (std::size_t step = 0; step < count; ++step) {
        for (std::int64_t device = 0; device < 2; ++device) {
            Intervals computing, communication, all;
            std::int64_t bubble = 0;
            for (const Row& row : rows) {
                const bool starts_in = steps.ids.empty() ||
                                       (steps.task_starts[step] <= row.start && row.start < steps.task_ends[step]);
                if (row.device != device || !is_busy(row.kind) || !starts_in) {
                    continue;
                }
                (is_communication(row.kind) ? communication : computing).emplace_back(row.start, row.end);
                all.emplace_back(row.start, row.end);
                bubble += row.kind == 5 ? row.end - row.start : 0;
            }
            if (all.empty()) {
                continue;
            }
            const Intervals busy = united(all);
            const std::int64_t communication_ns = length(united(communication));
            const std::int64_t computing_ns = length(united(computing));
            const std::int64_t both = computing_ns + communication_ns - length(busy);  // |A and B| = |A| + |B| - |A or B|
            result.push_back({steps.ids.empty() ? -1 : steps.ids[step], device, computing_ns, communication_ns,
                              communication_ns - both, busy.back().second - busy.front().first - length(busy), bubble,
                              busy.front().first, busy.back().second});
        }
    }
    return result;
}

}  // namespace

TEST(waits_and_steps_by_definition) {
    check::Random random(6);
    for (int round = 0; round < 3000; ++round) {
        const auto rows = random_rows(random);
        const auto steps = random_steps(random);
        const Result result = run(rows, steps, nullptr);
        std::map<std::int64_t, std::int64_t> previous_end;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            std::int64_t wait = -1;
            if (rows[row].kind != 0 && rows[row].kind != 3 && rows[row].kind != 6) {
                const auto previous = previous_end.find(rows[row].device);
                wait = previous == previous_end.end() ? 0 : std::max<std::int64_t>(0, rows[row].start - previous->second);
                previous_end[rows[row].device] = rows[row].end;
            }
            CHECK_EQUAL(result.wait[row], wait);
            const auto step_of = [&](const Column& starts, const Column& ends) -> std::int64_t {
                for (std::size_t step = 0; step < steps.ids.size(); ++step) {
                    if (starts[step] <= rows[row].start && rows[row].start < ends[step]) {
                        return steps.ids[step];
                    }
                }
                return -1;
            };
            CHECK_EQUAL(result.step[row], step_of(steps.text_starts, steps.text_ends));
            CHECK_EQUAL(result.task_step[row], step_of(steps.task_starts, steps.task_ends));
        }
    }
}

TEST(totals_by_definition_and_intervals_agree) {
    check::Random random(7);
    for (int round = 0; round < 5000; ++round) {
        const auto rows = random_rows(random);
        const auto steps = random_steps(random);
        const Result result = run(rows, steps, nullptr);
        CHECK_EQUAL(result.totals, totals_by_definition(rows, steps));
        if (steps.ids.empty()) {  // one row a device over everything: the sums of its intervals
            for (const Column& totals : result.totals) {
                std::int64_t sums[4] = {0, 0, 0, 0};
                for (const Column& interval : result.intervals) {
                    const bool is_inside = interval[2] >= totals[7] && interval[3] <= totals[8];  // widening tasks aside
                    if (interval[0] == totals[1] && is_inside) {
                        sums[interval[1]] += interval[3] - interval[2];
                    }
                }
                CHECK_EQUAL((Column{sums[0], sums[1], sums[2], sums[3]}),
                            (Column{totals[2], totals[3], totals[4], totals[5]}));
            }
        }
    }
}

TEST(intervals_of_a_kind_come_in_order_with_their_step) {
    check::Random random(8);
    for (int round = 0; round < 2000; ++round) {
        const auto steps = random_steps(random);
        const Result result = run(random_rows(random), steps, &random);
        for (std::size_t row = 0; row < result.intervals.size(); ++row) {
            const Column& interval = result.intervals[row];
            if (row > 0 && result.intervals[row - 1][0] == interval[0] && result.intervals[row - 1][1] == interval[1]) {
                CHECK(result.intervals[row - 1][3] <= interval[2]);
            }
            std::int64_t expected = -1;
            for (std::size_t step = steps.ids.size(); step-- > 0;) {
                if (steps.text_starts[step] <= interval[2] && interval[2] < steps.text_ends[step]) {
                    expected = steps.ids[step];
                }
            }
            CHECK_EQUAL(interval[4], expected);
        }
    }
}

TEST(copies_in_gaps_by_definition) {
    check::Random random(10);
    for (int round = 0; round < 5000; ++round) {
        const auto rows = random_rows(random);
        for (const Column& interval : run(rows, Steps{}, &random).intervals) {
            Intervals copies;
            std::int64_t count = 0;
            for (const Row& row : rows) {
                if (interval[1] == 3 && row.kind == 6 && row.device == interval[0] && row.start < row.end &&
                    row.start < interval[3] && row.end > interval[2]) {
                    ++count;
                    copies.emplace_back(std::max(row.start, interval[2]), std::min(row.end, interval[3]));
                }
            }
            CHECK_EQUAL((Column{interval[5], interval[6]}), count == 0 ? (Column{-1, -1}) : (Column{count, length(united(copies))}));
        }
    }
}

TEST(pieces_of_any_size_give_the_same_result) {
    check::Random random(9);
    for (int round = 0; round < 2000; ++round) {
        const auto rows = random_rows(random);
        const auto steps = random_steps(random);
        const Result whole = run(rows, steps, nullptr);
        const Result pieces = run(rows, steps, &random);
        CHECK_EQUAL(pieces.wait, whole.wait);
        CHECK_EQUAL(pieces.step, whole.step);
        CHECK_EQUAL(pieces.task_step, whole.task_step);
        CHECK_EQUAL(pieces.lane, whole.lane);
        CHECK_EQUAL(pieces.intervals, whole.intervals);
        CHECK_EQUAL(pieces.totals, whole.totals);
    }
}

TEST(other_tasks_widen_the_idle_range_unless_they_are_silent) {
    const Steps none;
    // copy 0-2, kernel 10-20, scheduling kernel 30-40, event 50-60, silent task 70-80
    const Result result = run({{6, 0, 2, 0, 0}, {1, 10, 20, 0, 0}, {4, 30, 40, 0, 0}, {0, 50, 60, 0, 0}, {3, 70, 80, 0, 0}},
                              none, nullptr);
    CHECK_EQUAL(result.intervals, (std::vector<Column>{{0, 0, 10, 20, -1, -1, -1}, {0, 3, 0, 10, -1, 1, 2}, {0, 3, 20, 60, -1, -1, -1}}));
    CHECK_EQUAL(result.wait, (Column{-1, 0, 10, -1, -1}));
}

TEST(lanes_are_a_track_s_own) {
    const Result result = run({{1, 0, 10, 0, 1}, {1, 5, 15, 0, 1}, {1, 6, 16, 0, 2}, {1, 7, 17, 1, 1}}, Steps{}, nullptr);
    CHECK_EQUAL(result.lane, (Column{0, 1, 0, 0}));
}

TEST(bad_rows_are_named_and_change_nothing) {
    DeviceSweep sweep(Column{}, Column{}, Column{}, Column{}, Column{});
    sweep.feed(Column{1}, Column{10}, Column{20}, Column{0}, Column{0});
    CHECK_REJECTS(sweep.feed(Column{1, 7}, Column{30, 31}, Column{40, 41}, Column{0, 0}, Column{0, 0}), "row 1 has kind 7");
    CHECK_REJECTS(sweep.feed(Column{1, 1}, Column{30, 29}, Column{40, 41}, Column{0, 0}, Column{0, 0}), "row 1 starts at 29");
    CHECK_REJECTS(sweep.feed(Column{1}, Column{9}, Column{40}, Column{0}, Column{0}), "row 0 starts at 9, before the start 10");
    CHECK_REJECTS(sweep.feed(Column{1}, Column{30}, Column{29}, Column{0}, Column{0}), "row 0 ends at 29");
    CHECK_REJECTS(sweep.feed(Column{1}, Column{30}, Column{31}, Column{0}, Column{}), "column track has 0 rows");
    CHECK_REJECTS(DeviceSweep(Column{1}, Column{1}, Column{}, Column{1}, Column{1}), "step ends has 0 rows");
    CHECK_EQUAL(sweep.feed(Column{1}, Column{25}, Column{30}, Column{0}, Column{0}).wait, (Column{5}));
    sweep.finish();
    bool refused = false;
    try {
        sweep.feed(Column{1}, Column{50}, Column{60}, Column{0}, Column{0});
    } catch (const std::logic_error&) {
        refused = true;
    }
    CHECK(refused);
}

TEST(huge_times_saturate) {
    const Result result =
        run({{1, npuwh::kEarliest, 0, 0, 0}, {5, npuwh::kEarliest, npuwh::kLatest, 0, 0}, {1, npuwh::kLatest, npuwh::kLatest, 0, 0}},
            Steps{}, nullptr);
    CHECK_EQUAL(result.wait, (Column{0, 0, 0}));
    CHECK_EQUAL(result.totals[0][6], npuwh::kLatest);
}

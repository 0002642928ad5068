#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sweep/intervals.hpp"

using npuwh::Busy;
using npuwh::Coverage;
using npuwh::kEarliest;
using npuwh::kLatest;
using npuwh::OpenStack;

namespace {

using Interval = std::pair<std::int64_t, std::int64_t>;
using Intervals = std::vector<Interval>;

std::string text(const Intervals& intervals) {
    std::string out;
    for (const Interval& interval : intervals) {
        out += "[" + std::to_string(interval.first) + "," + std::to_string(interval.second) + "]";
    }
    return out;
}

// The definitions, on sorted whole lists.
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

Intervals without(const Intervals& left, const Intervals& right) {
    Intervals result;
    for (const Interval& interval : left) {
        std::int64_t from = interval.first;
        for (const Interval& cut : right) {
            if (cut.second < from || cut.first > interval.second) {
                continue;
            }
            if (cut.first > from) {
                result.emplace_back(from, cut.first);
            }
            from = std::max(from, cut.second);
        }
        if (from < interval.second) {
            result.emplace_back(from, interval.second);
        }
    }
    return result;
}

struct Open {
    std::int64_t end;
    int number;
};

}  // namespace

TEST(differences_saturate) {
    CHECK_EQUAL(npuwh::saturating_difference(5, 3), 2);
    CHECK_EQUAL(npuwh::saturating_difference(kLatest, -1), kLatest);
    CHECK_EQUAL(npuwh::saturating_difference(kEarliest, 1), kEarliest);
    CHECK_EQUAL(npuwh::saturating_sum(kLatest, 1), kLatest);
    CHECK_EQUAL(npuwh::saturating_sum(kEarliest, -1), kEarliest);
}

TEST(open_stack_answers_as_a_list_of_all_slices) {
    check::Random random(4);
    for (int round = 0; round < 2000; ++round) {
        std::vector<std::pair<std::int64_t, Open>> all;  // start, slice
        OpenStack<Open> stack;
        const auto drop = [](const Open&) {};
        std::int64_t time = 0;
        for (int n = 0; n < 40; ++n) {
            time += random.between(0, 4);
            const std::int64_t end = time + random.between(0, 20);
            // the latest one still open, its very end included
            int latest = -1;
            std::size_t open = 0;
            for (const auto& slice : all) {
                if (slice.second.end >= time) {
                    latest = slice.second.number;
                    ++open;
                }
            }
            stack.close_before(time, drop);
            CHECK_EQUAL(stack.top() == nullptr ? -1 : stack.top()->number, latest);
            CHECK(stack.size() <= open);
            // the latest one that holds the new slice wholly
            int holder = -1;
            for (const auto& slice : all) {
                if (slice.second.end >= end) {
                    holder = slice.second.number;
                }
            }
            const Open* found = stack.enclosing(end, drop);
            CHECK_EQUAL(found == nullptr ? -1 : found->number, holder);
            stack.push({end, n}, drop);
            all.push_back({time, {end, n}});
        }
    }
}

TEST(every_dropped_slice_is_told) {
    OpenStack<Open> stack;
    int dropped = 0;
    const auto drop = [&](const Open&) { ++dropped; };
    stack.push({10, 0}, drop);
    stack.push({5, 1}, drop);
    stack.push({5, 2}, drop);
    CHECK_EQUAL(dropped, 1);
    stack.close_before(6, drop);
    CHECK_EQUAL(dropped, 2);
    stack.push({20, 3}, drop);
    CHECK_EQUAL(dropped, 3);
    CHECK_EQUAL(stack.size(), 1u);
}

TEST(coverage_equals_unions_and_differences_of_the_whole) {
    check::Random random(5);
    for (int round = 0; round < 20000; ++round) {
        Intervals sides[2];
        std::int64_t hull_start = kLatest;
        std::int64_t hull_end = kEarliest;
        std::map<Busy, Intervals> pieces;
        const auto sink = [&](Busy kind, std::int64_t start, std::int64_t end) { pieces[kind].emplace_back(start, end); };
        Coverage coverage;
        std::int64_t time = random.between(-5, 5);
        const std::int64_t step = random.between(0, 6);
        for (std::int64_t count = random.between(0, 25); count > 0; --count) {
            time += random.between(0, step);
            const std::int64_t end = time + random.between(0, random.between(0, 12));
            const auto what = static_cast<std::size_t>(random.between(0, 2));
            if (what == 2) {
                coverage.widen(time, end);
            } else {
                coverage.add(what == 1, time, end, sink);
                sides[what].emplace_back(time, end);
            }
            hull_start = std::min(hull_start, time);
            hull_end = std::max(hull_end, end);
        }
        coverage.close(sink);
        const Intervals computing = united(sides[0]);
        const Intervals communication = united(sides[1]);
        Intervals both = computing;
        both.insert(both.end(), communication.begin(), communication.end());
        CHECK_EQUAL(text(pieces[Busy::computing]), text(computing));
        CHECK_EQUAL(text(pieces[Busy::communication]), text(communication));
        CHECK_EQUAL(text(pieces[Busy::not_overlapped]), text(without(communication, computing)));
        const Intervals hull = hull_start < hull_end ? Intervals{{hull_start, hull_end}} : Intervals{};
        CHECK_EQUAL(text(pieces[Busy::free]), text(without(hull, united(both))));
    }
}

TEST(pieces_leave_as_soon_as_they_are_final) {
    std::size_t pieces = 0;
    const auto sink = [&](Busy, std::int64_t, std::int64_t) { ++pieces; };
    Coverage coverage;
    coverage.add(true, 0, 1'000'000, sink);  // one collective over everything
    for (std::int64_t n = 0; n < 1000; ++n) {
        coverage.add(false, n * 100, n * 100 + 50, sink);
    }
    CHECK(pieces >= 2 * 997);  // computing and what is not overlapped, but for the last few
}

TEST(coverage_at_the_ends_of_time) {
    Intervals free;
    const auto sink = [&](Busy kind, std::int64_t start, std::int64_t end) {
        if (kind == Busy::free) {
            free.emplace_back(start, end);
        }
    };
    Coverage coverage;
    coverage.add(false, kEarliest, kEarliest, sink);
    coverage.add(true, kLatest, kLatest, sink);
    coverage.close(sink);
    CHECK_EQUAL(text(free), text({{kEarliest, kLatest}}));
}

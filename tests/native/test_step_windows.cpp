#include <algorithm>
#include <stdexcept>

#include "check.hpp"
#include "sweep/step_windows.hpp"

using npuwh::Column;
using npuwh::StepWindows;

TEST(a_window_holds_its_start_and_not_its_end) {
    const StepWindows windows("test", Column{7, 8}, Column{0, 10}, Column{10, 20});
    CHECK_EQUAL(windows.find_id(-1), -1);
    CHECK_EQUAL(windows.find_id(0), 7);
    CHECK_EQUAL(windows.find_id(9), 7);
    CHECK_EQUAL(windows.find_id(10), 8);
    CHECK_EQUAL(windows.find_id(20), -1);
}

TEST(an_empty_window_holds_nothing) {
    const StepWindows windows("test", Column{7, 8}, Column{-1, 5}, Column{-1, 3});
    for (std::int64_t time = -3; time < 8; ++time) {
        CHECK_EQUAL(windows.find_id(time), -1);
    }
}

TEST(no_windows) { CHECK_EQUAL(StepWindows("test", Column{}, Column{}, Column{}).find_id(3), -1); }

TEST(unequal_columns_are_rejected) {
    CHECK_REJECTS(StepWindows("test", Column{1}, Column{}, Column{}), "test: column step starts has 0 rows");
}

TEST(first_window_in_the_order_given_wins_and_all_are_active) {
    check::Random random(3);
    for (int round = 0; round < 500; ++round) {
        Column ids, starts, ends;
        for (std::int64_t count = random.between(0, 8); count > 0; --count) {
            ids.push_back(100 + count);
            starts.push_back(random.between(0, 30));
            ends.push_back(starts.back() + random.between(-2, 15));
        }
        StepWindows windows("test", ids, starts, ends);
        const auto by_definition = [&](std::int64_t time) {
            std::vector<std::size_t> holding;
            for (std::size_t step = 0; step < ids.size(); ++step) {
                if (starts[step] <= time && time < ends[step]) {
                    holding.push_back(step);
                }
            }
            return holding;
        };
        for (std::int64_t n = 0; n < 50; ++n) {  // in any order
            const std::int64_t time = random.between(-3, 50);
            const auto holding = by_definition(time);
            CHECK_EQUAL(windows.find_id(time), holding.empty() ? -1 : ids[holding.front()]);
        }
        for (std::int64_t time = -3; time < 50; time += random.between(0, 3)) {
            auto active = windows.active_at(time);
            std::sort(active.begin(), active.end());
            CHECK_EQUAL(active, by_definition(time));
        }
    }
}

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "sweep/lane_sweep.hpp"

using npuwh::Column;
using npuwh::LaneSweep;
using npuwh::LaneTrack;

namespace {

struct Slice {
    std::int64_t start, end;
};

// The first lane where the slice crosses none that is there: each open one must hold it wholly.
std::vector<std::int64_t> lanes_by_definition(const std::vector<Slice>& slices) {
    std::vector<std::vector<Slice>> lanes;
    std::vector<std::int64_t> result;
    for (const Slice& slice : slices) {
        std::size_t lane = 0;
        for (;; ++lane) {
            if (lane == lanes.size()) {
                lanes.emplace_back();
            }
            const bool fits = std::all_of(lanes[lane].begin(), lanes[lane].end(), [&](const Slice& other) {
                return other.end <= slice.start || slice.end <= other.end;
            });
            if (fits) {
                break;
            }
        }
        lanes[lane].push_back(slice);
        result.push_back(static_cast<std::int64_t>(lane));
    }
    return result;
}

std::vector<Slice> random_slices(check::Random& random, std::int64_t count, std::int64_t range, std::int64_t longest) {
    std::vector<Slice> slices;
    for (std::int64_t n = 0; n < count; ++n) {
        const std::int64_t start = random.between(0, range);
        slices.push_back({start, start + random.between(0, longest)});
    }
    std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
        return a.start < b.start || (a.start == b.start && a.end > b.end);
    });
    return slices;
}

}  // namespace

TEST(slices_that_nest_stay_in_lane_0) {
    LaneTrack track;
    CHECK_EQUAL(track.place(0, 100), 0);
    CHECK_EQUAL(track.place(0, 50), 0);
    CHECK_EQUAL(track.place(10, 10), 0);
    CHECK_EQUAL(track.place(50, 100), 0);
    CHECK_EQUAL(track.place(100, 120), 0);
}

TEST(an_overlap_takes_the_first_lane_where_it_nests) {
    LaneTrack track;
    CHECK_EQUAL(track.place(0, 10), 0);
    CHECK_EQUAL(track.place(5, 15), 1);
    CHECK_EQUAL(track.place(6, 18), 2);
    CHECK_EQUAL(track.place(7, 12), 1);
    CHECK_EQUAL(track.place(10, 20), 0);
    CHECK_EQUAL(track.place(12, 13), 0);
}

TEST(a_slice_of_no_length_fits_anywhere) {
    LaneTrack track;
    CHECK_EQUAL(track.place(0, 10), 0);
    CHECK_EQUAL(track.place(5, 15), 1);
    CHECK_EQUAL(track.place(10, 10), 0);
    CHECK_EQUAL(track.place(15, 15), 0);
}

TEST(lanes_equal_their_definition) {
    check::Random random(1);
    for (int round = 0; round < 3000; ++round) {
        const std::int64_t longest = random.between(0, 60);
        const auto slices = random_slices(random, random.between(0, 60), random.between(0, 100), longest);
        LaneTrack track;
        std::vector<std::int64_t> lanes;
        for (const Slice& slice : slices) {
            lanes.push_back(track.place(slice.start, slice.end));
        }
        CHECK_EQUAL(lanes, lanes_by_definition(slices));
    }
}

TEST(a_hundred_thousand_open_slices_are_no_burden) {
    LaneTrack track;
    for (std::int64_t n = 0; n < 100'000; ++n) {
        CHECK_EQUAL(track.place(n, n + 1'000'000), n);
    }
    CHECK_EQUAL(track.place(2'000'000, 2'000'001), 0);
}

TEST(pieces_of_any_size_give_the_same_lanes) {
    check::Random random(2);
    for (int round = 0; round < 300; ++round) {
        const auto slices = random_slices(random, random.between(0, 50), 80, 20);
        Column track, start, end;
        for (const Slice& slice : slices) {
            track.push_back(random.between(0, 2));
            start.push_back(slice.start);
            end.push_back(slice.end);
        }
        const Column whole = LaneSweep().feed(track, start, end);
        LaneSweep sweep;
        Column joined;
        for (std::size_t from = 0; from < track.size();) {
            const std::size_t to = std::min(track.size(), from + static_cast<std::size_t>(random.between(0, 7)));
            const auto part = [&](const Column& column) { return npuwh::ColumnView(column.data() + from, to - from); };
            const Column lanes = sweep.feed(part(track), part(start), part(end));
            joined.insert(joined.end(), lanes.begin(), lanes.end());
            from = to;
        }
        CHECK_EQUAL(joined, whole);
    }
}

TEST(bad_rows_are_named_and_change_nothing) {
    LaneSweep sweep;
    sweep.feed(Column{1, 2}, Column{5, 1}, Column{9, 2});
    CHECK_REJECTS(sweep.feed(Column{1}, Column{5}, Column{}), "column end has 0 rows");
    CHECK_REJECTS(sweep.feed(Column{2, 1}, Column{3, 4}, Column{3, 9}), "row 1 starts at 4, before the start 5");
    CHECK_REJECTS(sweep.feed(Column{2, 1}, Column{3, 9}, Column{3, 8}), "row 1 ends at 8, before its start 9");
    CHECK_EQUAL(sweep.feed(Column{2, 1}, Column{2, 6}, Column{9, 12}), (Column{0, 1}));
}

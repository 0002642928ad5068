#include "links/link_table.hpp"

#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "check.hpp"

using namespace npuwh;

namespace {

// A table over a file that is gone when the test ends.
struct Table {
    Table(std::size_t columns, std::size_t memory)
        : file(std::tmpfile()), table(std::make_shared<sqlite_file::SpillFile>(fileno(file)), columns, memory) {}
    ~Table() { std::fclose(file); }
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    std::FILE* file;
    LinkTable table;
};

enum class Order { ascending, nearly, random, descending };

std::int64_t key_of(check::Random& random, Order order, std::int64_t row, std::int64_t rows) {
    switch (order) {
        case Order::ascending:
            return 3 * row;
        case Order::nearly:
            return 3 * row + random.between(-5000, 5000);
        case Order::random:
            return random.between(-rows, rows);
        case Order::descending:
            return -row;
    }
    return 0;
}

void check_like_map(Order order, std::int64_t rows, std::size_t memory) {
    check::Random random(static_cast<std::uint64_t>(rows) + memory);
    Table links(3, memory);
    std::map<std::int64_t, std::vector<std::int64_t>> expected;
    for (std::int64_t row = 0; row < rows;) {
        Column key;
        std::vector<Column> values(3);
        for (std::int64_t more = random.between(0, 5000); more > 0 && row < rows; --more, ++row) {
            key.push_back(key_of(random, order, row, rows));
            const std::vector<std::int64_t> stored = {row, static_cast<std::int64_t>(random.bits()), random.between(0, 1)};
            for (std::size_t column = 0; column < 3; ++column) {
                values[column].push_back(stored[column]);
            }
            if (key.back() != kNone) {
                expected.emplace(key.back(), stored);  // the first stays
            }
        }
        links.table.add(key, {values[0], values[1], values[2]});
    }
    Column wanted;
    for (std::int64_t row = 0; row < rows; row += 1 + rows / 20000) {
        wanted.push_back(key_of(random, order, row, rows));
        wanted.push_back(random.between(-rows, rows));
    }
    for (const auto& [key, stored] : expected) {
        wanted.push_back(key);
    }
    for (std::size_t first = 0; first < wanted.size(); first += 7777) {
        const std::size_t count = std::min<std::size_t>(7777, wanted.size() - first);
        const std::vector<Column> found = links.table.find(ColumnView(wanted.data() + first, count));
        CHECK_EQUAL(found.size(), 3U);
        for (std::size_t place = 0; place < count; ++place) {
            const auto known = expected.find(wanted[first + place]);
            for (std::size_t column = 0; column < 3; ++column) {
                CHECK_EQUAL(found[column][place], known == expected.end() ? kNone : known->second[column]);
            }
        }
    }
    if (memory >= 1 << 20) {  // below that the smallest buffers count
        CHECK(links.table.memory() <= memory + static_cast<std::size_t>(rows) / 1024 * 64 + 4096);
    }
}

}  // namespace

TEST(links_are_those_of_a_map) {
    for (const Order order : {Order::ascending, Order::nearly, Order::random, Order::descending}) {
        for (const std::int64_t rows : {0, 1, 1024, 1025, 60'000}) {
            for (const std::size_t memory : {std::size_t{0}, std::size_t{1} << 18, std::size_t{1} << 24}) {
                check_like_map(order, rows, memory);
            }
        }
    }
}

TEST(links_merge_more_runs_than_at_once) {
    check_like_map(Order::random, 300'000, 0);  // 146 runs of 2048
    check_like_map(Order::nearly, 300'000, 0);
}

TEST(links_keep_extreme_numbers) {
    const std::int64_t low = std::numeric_limits<std::int64_t>::min();
    const std::int64_t high = std::numeric_limits<std::int64_t>::max();
    Table links(1, 0);
    links.table.add(Column{high, low, 0}, {Column{low, high, 0}});
    const std::vector<Column> found = links.table.find(Column{low, high, 0, 1});
    CHECK_EQUAL(found[0], (Column{high, low, 0, kNone}));
}

TEST(links_without_columns_or_rows) {
    Table links(0, 0);
    links.table.add(Column{4}, {});
    CHECK(links.table.find(Column{4}).empty());
    Table empty(2, 0);
    const std::vector<Column> found = empty.table.find(Column{4});
    CHECK_EQUAL(found[1], Column{kNone});
}

TEST(links_take_what_they_hold_whatever_they_may) {
    Table links(1, std::size_t{1} << 34);
    Column rows(5000);
    std::iota(rows.begin(), rows.end(), 0);
    links.table.add(rows, {rows});
    CHECK_EQUAL(links.table.find(Column{7, 5000})[0], (Column{7, kNone}));
    CHECK(links.table.memory() < std::size_t{1} << 20);
}

TEST(links_refuse_what_does_not_fit) {
    Table links(2, 0);
    CHECK_REJECTS(links.table.add(Column{1}, {Column{1}}), "got 1 columns, not 2");
    CHECK_REJECTS(links.table.add(Column{1}, {Column{1}, Column{1, 2}}), "column 1 has 2 rows");
    links.table.find(Column{1});
    bool is_refused = false;
    try {
        links.table.add(Column{1}, {Column{1}, Column{1}});
    } catch (const std::logic_error&) {
        is_refused = true;
    }
    CHECK(is_refused);
}

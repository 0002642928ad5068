#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "check.hpp"
#include "sort/key_order.hpp"
#include "sort/row_sorter.hpp"
#include "sort/sorted_reader.hpp"

using namespace npuwh;
using namespace npuwh::sort;

namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// A row: keys first, then values; nothing is a null.
using Row = std::vector<std::optional<std::int64_t>>;

// A folder that must be empty again at the end.
class Scratch {
public:
    Scratch() : path_((std::filesystem::temp_directory_path() / "npuwh-test-XXXXXX").string()) { CHECK(mkdtemp(path_.data()) != nullptr); }
    ~Scratch() { std::filesystem::remove(path_); }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

std::vector<SortColumn> schema_of(std::size_t columns) {
    std::vector<SortColumn> schema;
    for (std::size_t column = 0; column < columns; ++column) {
        schema.push_back({"c" + std::to_string(column), ColumnType::int64, column > 1});
    }
    return schema;
}

void add(RowSorter& sorter, const std::vector<Row>& rows, std::size_t first, std::size_t count) {
    if (count == 0) {
        return;
    }
    const std::size_t width = rows[first].size();
    const std::size_t shift = first % 8;  // the bits need not begin with a byte
    std::vector<std::vector<std::int64_t>> values(width, std::vector<std::int64_t>(count));
    std::vector<std::vector<std::uint8_t>> validity(width, std::vector<std::uint8_t>((count + shift + 7) / 8));
    std::vector<WordColumn> columns;
    for (std::size_t column = 0; column < width; ++column) {
        bool has_nulls = false;
        for (std::size_t row = 0; row < count; ++row) {
            const std::optional<std::int64_t>& value = rows[first + row][column];
            values[column][row] = value.value_or(77);
            const unsigned bit = value ? 1U << ((row + shift) % 8) : 0;
            validity[column][(row + shift) / 8] = static_cast<std::uint8_t>(validity[column][(row + shift) / 8] | bit);
            has_nulls = has_nulls || !value;
        }
        columns.push_back({values[column].data(), has_nulls ? validity[column].data() : nullptr, has_nulls ? shift : 0});
    }
    sorter.append(schema_of(width), columns, count);
}

std::vector<Row> rows_of(const RecordBatch& batch) {
    std::vector<Row> rows(batch.rows());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (std::size_t column = 0; column < batch.columns(); ++column) {
            rows[row].push_back(batch.column(column).is_null(row) ? std::nullopt : std::optional(batch.column(column).value(row)));
        }
    }
    return rows;
}

std::vector<Row> read(const std::shared_ptr<RowSorter>& sorter, std::size_t batch_rows) {
    SortedReader reader(sorter, {}, {});
    std::vector<Row> rows;
    while (const SharedBatch batch = reader.next(batch_rows)) {
        CHECK(batch->rows() <= batch_rows);
        const std::vector<Row> some = rows_of(*batch);
        rows.insert(rows.end(), some.begin(), some.end());
    }
    return rows;
}

std::vector<Row> sorted(std::vector<Row> rows, const std::vector<bool>& falls) {
    std::stable_sort(rows.begin(), rows.end(), [&](const Row& one, const Row& other) {
        for (std::size_t key = 0; key < falls.size(); ++key) {
            if (one[key] != other[key]) {
                return falls[key] ? *other[key] < *one[key] : *one[key] < *other[key];
            }
        }
        return false;
    });
    return rows;
}

std::vector<SortKey> names_of(const std::vector<bool>& falls) {
    std::vector<SortKey> names;
    for (std::size_t key = 0; key < falls.size(); ++key) {
        names.emplace_back("c" + std::to_string(key), falls[key]);
    }
    return names;
}

enum class Shape { sorted, nested, several, falling, random, few, extreme };

// Rows of two keys and two values; the last column tells rows apart.
std::vector<Row> make_rows(check::Random& random, Shape shape, std::size_t count) {
    std::vector<Row> rows;
    for (std::size_t row = 0; row < count; ++row) {
        const auto place = static_cast<std::int64_t>(row);
        std::int64_t one = place / 2;
        std::int64_t two = random.between(-3, 3);
        switch (shape) {
            case Shape::sorted:
                two = place;
                break;
            case Shape::nested:  // what began long ago ends now
                one = row % 1000 == 999 ? place - 990 : place;
                break;
            case Shape::several:
                one = place * 7 % 5 * static_cast<std::int64_t>(count) + place;
                break;
            case Shape::falling:
                one = -place;
                break;
            case Shape::random:
                one = random.between(0, static_cast<std::int64_t>(count));
                break;
            case Shape::few:
                one = random.between(0, 3);
                break;
            case Shape::extreme:
                one = random.between(0, 3) == 0 ? kLeast : random.between(0, 1) == 0 ? kMost : static_cast<std::int64_t>(random.bits());
                two = random.between(0, 3) == 0 ? kLeast : static_cast<std::int64_t>(random.bits());
                break;
        }
        std::optional<std::int64_t> value;
        if (random.between(0, 3) != 0) {
            value = random.between(0, 9) == 0 ? static_cast<std::int64_t>(random.bits()) : random.between(0, 1'000'000);
        }
        rows.push_back({one, two, value, place});
    }
    return rows;
}

void check_order(check::Random& random, Shape shape, std::size_t count, const std::vector<bool>& falls, std::size_t limit, std::int64_t batch) {
    const Scratch scratch;
    const auto folder = std::make_shared<SpillFolder>(scratch.path(), limit);
    const auto sorter = RowSorter::make(names_of(falls), folder);
    const auto other = RowSorter::make(names_of(falls), folder);
    const std::vector<Row> rows = make_rows(random, shape, count);
    for (std::size_t row = 0; row < rows.size();) {
        const std::size_t some = std::min<std::size_t>(static_cast<std::size_t>(random.between(0, batch)), rows.size() - row);
        add(*sorter, rows, row, some);
        add(*other, rows, row, some);
        CHECK(folder->held() <= limit);
        row += some;
    }
    CHECK_EQUAL(sorter->rows(), rows.size());
    const std::vector<Row> expected = sorted(rows, falls);
    CHECK(read(sorter, 1 + static_cast<std::size_t>(random.between(0, 9000))) == expected);
    other->spill();
    CHECK(read(other, 4096) == expected);
    CHECK(read(other, 100) == expected);
}

}  // namespace

TEST(rows_come_out_as_a_stable_sort_puts_them) {
    check::Random random(1);
    for (const Shape shape : {Shape::sorted, Shape::nested, Shape::several, Shape::falling, Shape::random, Shape::few, Shape::extreme}) {
        for (const std::vector<bool>& falls : std::vector<std::vector<bool>>{{}, {false}, {true}, {false, true}, {true, false}}) {
            check_order(random, shape, static_cast<std::size_t>(random.between(0, 300)), falls, 1U << 20, 40);
            check_order(random, shape, 9000, falls, 30'000, 700);
        }
    }
}

TEST(many_blocks_and_runs_are_sorted_too) {
    check::Random random(2);
    for (const Shape shape : {Shape::nested, Shape::random, Shape::extreme, Shape::falling}) {
        check_order(random, shape, 300'000, {false, true}, std::size_t{2} << 20, 20'000);
    }
}

TEST(more_runs_than_are_merged_at_once) {
    check::Random random(3);
    check_order(random, Shape::random, 60'000, {false}, 4'000, 300);  // a run every few hundred rows
    check_order(random, Shape::few, 60'000, {false}, 4'000, 300);
}

TEST(input_nearly_in_order_makes_few_runs) {
    check::Random random(4);
    const auto folder = std::make_shared<SpillFolder>(".", std::size_t{64} << 20);
    for (const auto& [shape, most] : {std::pair(Shape::sorted, 1), std::pair(Shape::nested, 2), std::pair(Shape::few, 64)}) {
        const auto sorter = RowSorter::make({{"c0", false}, {"c1", false}}, folder);
        const std::vector<Row> rows = make_rows(random, shape, 500'000);
        for (std::size_t row = 0; row < rows.size(); row += 10'000) {
            add(*sorter, rows, row, 10'000);
        }
        CHECK(sorter->finish().size() <= static_cast<std::size_t>(most));
    }
}

TEST(equal_keys_come_together) {
    check::Random random(5);
    for (int round = 0; round < 30; ++round) {
        const auto folder = std::make_shared<SpillFolder>("/tmp", 20'000);
        const auto sorter = RowSorter::make({{"c0", round % 2 == 0}, {"c1", false}}, folder);
        const std::vector<Row> rows = make_rows(random, round % 3 == 0 ? Shape::few : Shape::random, static_cast<std::size_t>(random.between(1, 3000)));
        for (std::size_t row = 0; row < rows.size(); row += 100) {
            add(*sorter, rows, row, std::min<std::size_t>(100, rows.size() - row));
        }
        SortedReader reader(sorter, {"c3", "c0"}, {"c0"});
        const std::vector<Row> expected = sorted(rows, {round % 2 == 0, false});
        std::size_t row = 0;
        std::optional<std::int64_t> last;
        while (const SharedBatch batch = reader.next(7)) {
            CHECK_EQUAL(batch->columns(), 2U);
            CHECK(row == 0 || last != batch->column(1).value(0));
            for (std::size_t place = 0; place < batch->rows(); ++place, ++row) {
                CHECK_EQUAL(batch->column(0).value(place), *expected[row][3]);
            }
            last = batch->column(1).value(batch->rows() - 1);
        }
        CHECK_EQUAL(row, rows.size());
    }
}

TEST(rows_that_cannot_be_taken_are_refused) {
    const auto folder = std::make_shared<SpillFolder>("/tmp", 1U << 20);
    const auto sorter = RowSorter::make({{"c0", false}}, folder);
    const auto nameless = RowSorter::make({{"time", false}}, folder);
    const std::vector<Row> rows = {{1, 2}, {3, 4}};
    CHECK_REJECTS(add(*nameless, rows, 0, 2), "no int64 column time");
    add(*sorter, rows, 0, 2);
    CHECK_REJECTS(add(*sorter, {{1, 2, 3}}, 0, 1), "not those of the first rows");
    CHECK_REJECTS(add(*sorter, {{std::nullopt, 2}}, 0, 1), "has a null in row 0");
    CHECK_REJECTS(SortedReader(sorter, {"c9"}, {}), "no column c9");
    CHECK_REJECTS(SortedReader(sorter, {}, {"c1"}), "c1 is not the next");
    CHECK_EQUAL(read(sorter, 10).size(), 2U);
    CHECK_REJECTS(add(*sorter, rows, 0, 2), "read already");
    CHECK_EQUAL(read(RowSorter::make({{"c0", false}}, folder), 10).size(), 0U);
}

TEST(a_disk_that_takes_no_more_is_an_error) {
    check::Random random(6);
    const std::vector<Row> rows = make_rows(random, Shape::random, 5000);
    const auto no_place = std::make_shared<SpillFolder>("/nowhere/at/all", 1000);
    bool is_refused = false;
    try {
        add(*RowSorter::make({{"c0", false}}, no_place), rows, 0, rows.size());
    } catch (const std::system_error& error) {
        is_refused = error.code() == std::errc::no_such_file_or_directory;
    }
    CHECK(is_refused);

    const Scratch scratch;
    const auto folder = std::make_shared<SpillFolder>(scratch.path(), 1000);
    const auto sorter = RowSorter::make({{"c0", false}}, folder);
    rlimit before{};
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{2000, before.rlim_max};
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    is_refused = false;
    try {
        add(*sorter, rows, 0, rows.size());
    } catch (const std::system_error& error) {
        is_refused = error.code() == std::errc::file_too_large;
    }
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(is_refused);
    CHECK(read(sorter, 1000) == sorted(rows, {false}));  // nothing is lost
}

TEST(sorters_of_several_threads_share_the_memory) {
    const Scratch scratch;
    const auto folder = std::make_shared<SpillFolder>(scratch.path(), 200'000);
    check::Random random(7);
    const std::vector<Row> rows = make_rows(random, Shape::random, 40'000);
    const std::vector<Row> expected = sorted(rows, {false, false});
    const auto early = RowSorter::make({{"c0", false}, {"c1", false}}, folder);
    add(*early, rows, 0, rows.size());
    std::vector<std::shared_ptr<RowSorter>> sorters;
    for (int number = 0; number < 3; ++number) {
        sorters.push_back(RowSorter::make({{"c0", false}, {"c1", false}}, folder));
    }
    std::vector<int> good(4);
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number < 3; ++number) {
        threads.emplace_back([&, number] {
            for (std::size_t row = 0; row < rows.size(); row += 500) {
                add(*sorters[number], rows, row, 500);
            }
            good[number] = read(sorters[number], 3000) == expected;
        });
    }
    threads.emplace_back([&] {
        good[3] = 1;
        for (int round = 0; round < 5; ++round) {
            good[3] = good[3] && read(early, 1000) == expected;
        }
    });
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK_EQUAL(good, std::vector<int>(4, 1));
}

TEST(packed_columns_give_back_what_was_packed) {
    check::Random random(8);
    for (int round = 0; round < 200; ++round) {
        const auto rows = static_cast<std::size_t>(random.between(1, 100));
        const unsigned bits = static_cast<unsigned>(random.between(0, 64));
        std::vector<std::int64_t> values;
        for (std::size_t row = 0; row < rows; ++row) {
            values.push_back(bits == 0 ? -5 : static_cast<std::int64_t>(random.bits() >> (64 - bits)) - 100);
        }
        const auto first = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(rows) - 1));
        const SharedColumns packed = PackedColumns::pack({{values.data(), nullptr, 0}}, first, rows - first);
        std::vector<std::int64_t> found(rows - first);
        packed->copy_values(0, 0, rows - first, found.data());
        CHECK_EQUAL(found, std::vector<std::int64_t>(values.begin() + static_cast<std::ptrdiff_t>(first), values.end()));
    }
}

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "sqlite_file/database_writer.hpp"
#include "sqlite_file/errors.hpp"
#include "sqlite_file/record.hpp"
#include "sqlite_file/string_ids.hpp"
#include "sqlite_file/tokens.hpp"

using namespace npuwh::sqlite_file;

namespace {

// A file that is gone when it is closed.
class File {
public:
    File() : file_(std::tmpfile()) {}
    ~File() { std::fclose(file_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    int handle() const { return fileno(file_); }
    std::vector<std::uint8_t> bytes() const {
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(lseek(handle(), 0, SEEK_END)));
        CHECK(pread(handle(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
        return bytes;
    }

private:
    std::FILE* file_;
};

const std::vector<std::int64_t> kEdges = {0, 1, -1, 2, 127, 128, -128, -129, 32767, 8388608, 2147483648, 140737488355327, 140737488355328,
                                          std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};

using Key = std::vector<std::pair<bool, std::int64_t>>;  // is not NULL, value; the rowid is last

// Feeds random keys into a sorter and compares what comes out with std::sort.
void check_integer_sorter(std::mt19937_64& random, bool spills, bool shuffled_rowids, std::uint64_t span) {
    File file;
    SpillFile spill(file.handle());
    IntegerSorter sorter({0, kRowid, 1}, spill);
    std::vector<Key> expected;
    CellBlock block(2);
    std::int64_t next = 5;
    for (int round = 0; round < 90; ++round) {
        const std::size_t rows = 1 + random() % block.capacity();
        block.begin(rows);
        std::vector<std::int64_t> rowids;
        for (std::size_t row = 0; row < rows; ++row) {
            rowids.push_back(shuffled_rowids ? static_cast<std::int64_t>(random() >> 8) : next++);
            Key key;
            for (std::size_t column = 0; column < 2; ++column) {
                const bool is_null = random() % 9 == 0 && column == 1;
                const std::int64_t value = random() % 7 == 0 && span > 100 ? kEdges[random() % kEdges.size()]
                                                                           : static_cast<std::int64_t>(random() % span);
                block.set_number(row, column, is_null ? std::uint8_t{kNull} : integer_serial(value),
                                 is_null ? 0 : static_cast<std::uint64_t>(value));
                key.push_back({!is_null, is_null ? 0 : value});
            }
            key.insert(key.begin() + 1, {true, rowids.back()});
            key.push_back({true, rowids.back()});
            expected.push_back(key);
        }
        sorter.append(block, rowids.data());
        if (spills && random() % 2 == 0) {
            sorter.spill();
            CHECK_EQUAL(sorter.memory(), 0U);
        }
    }
    std::sort(expected.begin(), expected.end());
    const auto keys = sorter.finish();
    std::vector<IntegerKey> taken(expected.size() + 10);
    std::size_t count = 0;
    while (const std::size_t more = keys->take(taken.data() + count, std::min<std::size_t>(17, taken.size() - count))) {
        count += more;
    }
    CHECK_EQUAL(count, expected.size());
    for (std::size_t place = 0; place < count; ++place) {
        Key key;
        for (std::size_t column = 0; column < 3; ++column) {
            const bool is_null = (taken[place].nulls >> column & 1) != 0;
            key.push_back({!is_null, is_null ? 0 : unbiased(taken[place].words[column])});
        }
        key.push_back({true, unbiased(taken[place].rowid)});
        CHECK(key == expected[place]);
    }
}

}  // namespace

TEST(varints_read_back) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 20000; ++round) {
        const std::uint64_t value = round < 130 ? static_cast<std::uint64_t>(round) : random() >> random() % 64;
        std::uint8_t bytes[kMaxVarint];
        const std::uint8_t* end = put_varint(bytes, value);
        std::uint64_t read = 0;
        CHECK(get_varint(bytes, read) == end);
        CHECK_EQUAL(read, value);
        CHECK_EQUAL(static_cast<std::size_t>(end - bytes), varint_size(value));
    }
}

TEST(records_read_back) {
    std::mt19937_64 random(2);
    const std::string text(700, 'x');
    for (int round = 0; round < 2000; ++round) {
        std::vector<Cell> cells;
        for (std::size_t column = random() % 200; column > 0; --column) {
            switch (random() % 4) {
                case 0: cells.push_back({}); break;
                case 1: cells.push_back(integer_cell(random() % 2 == 0 ? kEdges[random() % kEdges.size()]
                                                                       : static_cast<std::int64_t>(random() >> random() % 64))); break;
                case 2: cells.push_back(real_cell(static_cast<double>(random()) / 3)); break;
                default: cells.push_back(bytes_cell(random() % 2 == 0 ? kText : kBlob, text.data(), random() % text.size()));
            }
        }
        std::vector<std::uint8_t> record = {7};
        append_record(record, cells.data(), cells.size());
        CHECK_EQUAL(record.size(), record_size(cells.data(), cells.size()).total + 1);
        RecordReader reader(record.data() + 1);
        for (const Cell& cell : cells) {
            CHECK_EQUAL(compare_cells(reader.next(), cell), 0);
        }
        CHECK(reader.done());
    }
}

TEST(values_of_all_kinds_are_ordered) {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<Cell> ascending = {
        {}, real_cell(-infinity), integer_cell(std::numeric_limits<std::int64_t>::min()), real_cell(-9.2e18), integer_cell(-1),
        real_cell(-0.5), integer_cell(0), real_cell(0.5), integer_cell(1), real_cell(1.5), integer_cell(9007199254740992),
        integer_cell(9007199254740993), real_cell(9007199254740994.0), integer_cell(std::numeric_limits<std::int64_t>::max()),
        real_cell(9223372036854775808.0), real_cell(infinity), bytes_cell(kText, "", 0), bytes_cell(kText, "a", 1),
        bytes_cell(kText, "a\0", 2), bytes_cell(kText, "ab", 2), bytes_cell(kText, "b", 1), bytes_cell(kBlob, "", 0), bytes_cell(kBlob, "a", 1)};
    for (std::size_t one = 0; one < ascending.size(); ++one) {
        for (std::size_t other = 0; other < ascending.size(); ++other) {
            const int order = compare_cells(ascending[one], ascending[other]);
            CHECK_EQUAL(order < 0, one < other);
            CHECK_EQUAL(order > 0, one > other);
            if (one < other) {
                CHECK(order_prefix(ascending[one]) <= order_prefix(ascending[other]));
            }
        }
    }
    CHECK_EQUAL(compare_cells(real_cell(-0.0), integer_cell(0)), 0);
    CHECK_EQUAL(order_prefix(real_cell(-0.0)), order_prefix(integer_cell(0)));
}

TEST(integers_are_sorted) {
    std::mt19937_64 random(3);
    for (const std::uint64_t span : {1ULL, 10ULL, 100000ULL, 1ULL << 40, 1ULL << 62}) {
        for (const bool spills : {false, true}) {
            check_integer_sorter(random, spills, false, span);
            check_integer_sorter(random, spills, true, span);
        }
    }
}

TEST(strings_have_numbers) {
    StringIds ids;
    std::vector<std::string> words;
    for (int number = 0; number < 5000; ++number) {
        words.push_back(std::string(static_cast<std::size_t>(number % 40), 'a') + std::to_string(number));
    }
    const auto id = [&](const std::string& word) { return ids.id(reinterpret_cast<const std::uint8_t*>(word.data()), word.size()); };
    for (std::size_t place = 0; place < words.size(); ++place) {
        CHECK(id(words[place]) == std::make_pair(static_cast<std::int64_t>(place + 1), true));
        CHECK(id(words[place / 2]) == std::make_pair(static_cast<std::int64_t>(place / 2 + 1), false));
    }
    ids.rewind(100);
    CHECK(id(words[99]) == std::make_pair(std::int64_t{100}, false));
    CHECK(id(words[4000]) == std::make_pair(std::int64_t{101}, true));
}

TEST(the_hash_is_siphash) {
    std::vector<std::uint8_t> bytes;  // key 00 .. 0f, message 00 .. 0e; by a second program that has the authors' 2-4 right
    for (std::uint8_t byte = 0; byte < 15; ++byte) {
        bytes.push_back(byte);
    }
    const auto hash = sip_hash(0x0706050403020100, 0x0f0e0d0c0b0a0908, bytes.data(), bytes.size());
    CHECK_EQUAL(hash.first, 0x6c52bdb205557ec1U);
    CHECK_EQUAL(hash.second, 0x9017e1eeccd2129U);
}

TEST(a_file_is_written_and_taken_back) {
    File file;
    File spill;
    const std::vector<std::string> statements = {"CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT)", "CREATE INDEX i ON t (a, b)",
                                                 "CREATE TABLE u (a INTEGER) STRICT", "CREATE INDEX j ON u (a)", "CREATE VIEW v AS SELECT 1"};
    WriterOptions options;
    options.page_size = 512;
    options.memory = 1000;
    options.unordered = {"u"};
    std::vector<std::int64_t> numbers;
    std::vector<std::int32_t> starts = {0};
    std::string texts;
    for (std::int64_t number = 0; number < 3000; ++number) {
        numbers.push_back(number * 7919 % 3001);
        texts += std::string(static_cast<std::size_t>(number % 50 == 0 ? 3000 : number % 9), 'y');
        starts.push_back(static_cast<std::int32_t>(texts.size()));
    }
    ColumnSource text;
    text.kind = ColumnSource::Kind::text32;
    text.length = static_cast<std::int64_t>(numbers.size());
    text.values = starts.data();
    text.bytes = reinterpret_cast<const std::uint8_t*>(texts.data());
    const ColumnSource integers = ColumnSource::of_int64(numbers.data(), numbers.size());
    DatabaseWriter writer(file.handle(), spill.handle(), statements, options, nullptr);
    writer.append("t", {{"a", integers}, {"b", text}});
    writer.mark();
    for (int round = 0; round < 3; ++round) {
        writer.append("t", {{"a", integers}, {"b", text}});
        writer.append("u", {{"a", integers}});
        writer.rewind();
    }
    writer.release();
    writer.append("u", {{"a", integers}});
    writer.finish();
    const std::vector<std::uint8_t> bytes = file.bytes();
    CHECK_EQUAL(bytes.size() % 512, 0U);
    CHECK_EQUAL(std::memcmp(bytes.data(), "SQLite format 3", 16), 0);
    bool is_refused = false;
    try {
        writer.append("u", {{"a", integers}});
    } catch (const std::logic_error&) {
        is_refused = true;
    }
    CHECK(is_refused);
}

TEST(statements_are_read_or_refused) {
    const Layout layout = read_statements({"CREATE TABLE \"a \"\"b\"\"\" (x INT, [y z] TEXT, PRIMARY KEY (x, [y z])) STRICT;"});
    CHECK_EQUAL(layout.tables[0].name, std::string("a \"b\""));
    CHECK_EQUAL(layout.indexes[0].name, std::string("sqlite_autoindex_a \"b\"_1"));
    CHECK(layout.tables[0].columns[1].is_required);
    const std::string statement = "CREATE TABLE t (a INTEGER PRIMARY KEY, b VARCHAR(9) NOT NULL UNIQUE) STRICT -- end";
    for (std::size_t size = 0; size < statement.size(); ++size) {  // no prefix may read beyond its end
        try {
            read_statements({statement.substr(0, size)});
        } catch (const std::invalid_argument&) {
        }
    }
    CHECK_REJECTS(read_statements({"CREATE TABLE t (a) WITHOUT ROWID"}), "WITHOUT ROWID");
}

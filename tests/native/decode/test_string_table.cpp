#include <map>
#include <set>

#include "check.hpp"
#include "decode/framework/stack_table.hpp"
#include "decode/string_table.hpp"
#include "decode/utf8_repair.hpp"

using npuwh::ByteNumbers;
using npuwh::SharedBatch;
using npuwh::StackTable;
using npuwh::StringTable;

namespace {

std::map<std::int64_t, std::string> take_all(StringTable& table) {
    std::map<std::int64_t, std::string> texts;
    while (const SharedBatch batch = table.take()) {
        for (std::size_t row = 0; row < batch->rows(); ++row) {
            CHECK(texts.emplace(batch->column(0).value(row), batch->column(1).text(row)).second);
        }
    }
    return texts;
}

}  // namespace

TEST(equal_texts_have_one_number_and_are_handed_out_once) {
    StringTable table(100);
    CHECK_EQUAL(table.intern("a").id, 100);
    CHECK_EQUAL(table.intern("").id, 101);
    CHECK_EQUAL(table.intern("a").id, 100);
    CHECK_EQUAL(table.intern(std::string_view("a\0b", 3)).id, 102);
    CHECK((take_all(table) == std::map<std::int64_t, std::string>{{100, "a"}, {101, ""}, {102, std::string("a\0b", 3)}}));
    CHECK(table.take() == nullptr);
    CHECK_EQUAL(table.intern("").id, 101);
    CHECK(table.take() == nullptr);
    CHECK_EQUAL(table.intern("c").id, 103);
    CHECK_EQUAL(take_all(table).size(), 1U);
}

TEST(many_texts_of_all_lengths_keep_their_numbers) {
    StringTable table;
    std::map<std::string, std::int64_t> known;
    check::Random random(5);
    for (int round = 0; round < 20000; ++round) {
        const std::string text(static_cast<std::size_t>(random.between(0, 40)), static_cast<char>('a' + random.between(0, 20)));
        const auto found = known.emplace(text, table.next_id());
        CHECK_EQUAL(table.intern(text).id, found.first->second);
    }
    const auto texts = take_all(table);
    CHECK_EQUAL(texts.size(), known.size());
    for (const auto& entry : known) {
        CHECK(texts.at(entry.second) == entry.first);
    }
}

TEST(a_full_cache_forgets_but_never_mixes_up) {
    StringTable table(0, ByteNumbers::Limits{100, 4000});
    std::vector<std::pair<std::int64_t, std::string>> given;
    for (int round = 0; round < 5000; ++round) {
        const std::string text = "text " + std::to_string(round % 157);
        given.emplace_back(table.intern(text).id, text);
    }
    const auto texts = take_all(table);
    for (const auto& pair : given) {
        CHECK_EQUAL(texts.at(pair.first), pair.second);
    }
    CHECK(texts.size() > 157);
}

TEST(the_cache_stays_within_its_limits) {
    ByteNumbers numbers(ByteNumbers::Limits{1000, 100000});
    for (int round = 0; round < 20000; ++round) {
        const std::string text(static_cast<std::size_t>(round % 300), static_cast<char>(round % 100));
        if (numbers.find(text) == nullptr) {
            numbers.add(text, round);
        }
        CHECK(numbers.entries() <= 1000 && numbers.bytes() <= 100000);
    }
    const std::string giant(1 << 20, 'x');
    CHECK(numbers.find(giant) == nullptr);
    numbers.add(giant, 1);
    CHECK(numbers.find(giant) == nullptr);
}

TEST(pending_texts_beyond_the_limit_come_in_several_batches) {
    StringTable table;
    const std::string large(5 << 20, 'x');
    for (int round = 0; round < 4; ++round) {
        CHECK_EQUAL(table.is_full(), round >= 2);
        table.intern(large + std::to_string(round));
    }
    int batches = 0;
    while (table.take()) {
        ++batches;
    }
    CHECK_EQUAL(batches, 2);
    CHECK(!table.is_full());
}

TEST(what_is_not_utf8_is_repaired_and_said_every_time) {
    StringTable table;
    CHECK(!table.intern("ok \xE4\xBD\xA0").was_repaired);
    const StringTable::Interned first = table.intern("bad \xFF");
    CHECK(first.was_repaired);
    CHECK(table.intern("bad \xFF").was_repaired);
    CHECK_EQUAL(table.intern("bad \xFF").id, first.id);
    const auto texts = take_all(table);
    CHECK_EQUAL(texts.at(first.id), "bad \xEF\xBF\xBD");
}

TEST(utf8_as_the_unicode_standard_has_it) {
    const std::string mark = "\xEF\xBF\xBD";
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", ""},
        {"plain ascii, longer than eight bytes", "plain ascii, longer than eight bytes"},
        {"\xC2\xA2\xE0\xA4\xB9\xF0\x90\x8D\x88", "\xC2\xA2\xE0\xA4\xB9\xF0\x90\x8D\x88"},
        {"\xF4\x8F\xBF\xBF", "\xF4\x8F\xBF\xBF"},
        {"\x80", mark},
        {"\xC0\xAF", mark + mark},
        {"\xE0\x80\xBF", mark + mark + mark},
        {"\xED\xA0\x80", mark + mark + mark},
        {"\xF4\x90\x80\x80", mark + mark + mark + mark},
        {"\xE2\x82", mark},
        {"\xF0\x9F\x98" "a", mark + "a"},
        {"a\xE2\x82" "b\xE2\x82\xAC", "a" + mark + "b\xE2\x82\xAC"},
    };
    for (const auto& entry : cases) {
        CHECK_EQUAL(npuwh::repair_utf8(entry.first), entry.second);
        CHECK_EQUAL(npuwh::is_utf8(entry.first), entry.first == entry.second);
        CHECK(npuwh::is_utf8(entry.second));
        // the same far from the beginning, where eight bytes are looked at together
        CHECK_EQUAL(npuwh::repair_utf8("0123456789" + entry.first + "0123456789"), "0123456789" + entry.second + "0123456789");
    }
}

TEST(stacks_are_split_once_and_their_frames_shared) {
    StringTable strings;
    StackTable stacks(100);
    CHECK_EQUAL(stacks.number("a.py(1): f;b.py(2): g", strings).id, 0);
    CHECK_EQUAL(stacks.number("c.py(3): h;b.py(2): g", strings).id, 1);
    CHECK_EQUAL(stacks.number("a.py(1): f;b.py(2): g", strings).id, 0);
    const auto texts = take_all(strings);
    CHECK_EQUAL(texts.size(), 3U);
    const SharedBatch frames = stacks.take();
    CHECK_EQUAL(frames->rows(), 4U);
    std::vector<std::string> rows;
    for (std::size_t row = 0; row < 4; ++row) {
        rows.push_back(std::to_string(frames->column(0).value(row)) + " " + std::to_string(frames->column(1).value(row)) + " " +
                       texts.at(frames->column(2).value(row)));
    }
    CHECK_EQUAL(rows, (std::vector<std::string>{"0 0 a.py(1): f", "0 1 b.py(2): g", "1 0 c.py(3): h", "1 1 b.py(2): g"}));
    CHECK(stacks.take() == nullptr);
}

TEST(a_stack_without_end_is_cut_and_said) {
    StringTable strings;
    StackTable stacks(100);
    const std::string deep(static_cast<std::size_t>(StackTable::kDeepest) * 2, ';');
    CHECK(stacks.number(deep, strings).is_cut);
    CHECK(stacks.is_full());
    CHECK_EQUAL(static_cast<std::int64_t>(stacks.take()->rows()), StackTable::kDeepest);
    const std::string as_deep_as_may_be(static_cast<std::size_t>(StackTable::kDeepest) - 1, ';');
    CHECK(!stacks.number(as_deep_as_may_be, strings).is_cut);
}

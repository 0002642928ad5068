#include <set>
#include <string>
#include <vector>

#include "check.hpp"
#include "core/crc32.hpp"
#include "core/input_texts.hpp"
#include "core/op_forms.hpp"
#include "core/string_table.hpp"
#include "core/thread_log.hpp"

using namespace npuwh::core;

TEST(a_text_has_one_number_and_comes_out_once) {
    StringTable table;
    CHECK_EQUAL(table.number_of(""), kNoText);
    const uint32_t add = table.number_of("aten::add");
    CHECK_EQUAL(table.number_of("aten::mul"), add + 1);
    CHECK_EQUAL(table.number_of("aten::add"), add);
    auto fresh = table.take_new();
    CHECK_EQUAL(fresh.size(), size_t{2});
    CHECK_EQUAL(std::string(fresh[0].text), std::string("aten::add"));
    CHECK(table.take_new().empty());
}

TEST(an_endless_text_is_cut_and_says_so) {
    StringTable table;
    table.number_of(std::string(StringTable::kLongestText + 100, 'x'));
    const auto fresh = table.take_new();
    CHECK_EQUAL(fresh[0].text.size(), StringTable::kLongestText + 3);
    CHECK_EQUAL(std::string(fresh[0].text.substr(StringTable::kLongestText)), std::string("..."));
}

TEST(a_thread_asks_for_a_name_once) {
    NameCache cache;
    uint32_t asked = 0;
    const auto number_of = [&](std::string_view) { return ++asked; };
    for (int round = 0; round < 3; ++round) {
        for (uint32_t name = 0; name < 2000; ++name) {
            CHECK_EQUAL(cache.number("op" + std::to_string(name), number_of), name + 1);
        }
    }
    CHECK_EQUAL(asked, 2000u);
    cache.clear();
    CHECK_EQUAL(cache.number("op0", number_of), 2001u);
}

TEST(inputs_are_written_as_the_vendor_writes_them) {
    // (2, 3) float, a scalar, a tensor without sizes, nothing
    std::string description;
    const auto push = [&](auto number) { description.append(reinterpret_cast<const char*>(&number), sizeof number); };
    push(input_code::kTensor);
    push(uint8_t{6});
    push(uint8_t{2});
    push(int64_t{2});
    push(int64_t{3});
    push(input_code::kScalar);
    push(input_code::kTensor);
    push(uint8_t{4});
    push(uint8_t{0});
    push(input_code::kNone);
    StringTable strings;
    InputTexts texts;
    const auto numbers = texts.of(description, strings);
    const auto fresh = strings.take_new();
    CHECK_EQUAL(std::string(fresh[numbers.dtypes - 1].text), std::string("float;Scalar;long int;None"));
    CHECK_EQUAL(std::string(fresh[numbers.shapes - 1].text), std::string("2,3;;;"));
    CHECK_EQUAL(texts.of(description, strings).shapes, numbers.shapes);
    CHECK(strings.take_new().empty());
    CHECK_EQUAL(texts.of({}, strings).shapes, kNoText);
}

TEST(what_operators_have_in_common_is_told_once) {
    OpForms forms;
    OpForm form;
    form.stack = 7;
    const OpForms::Number first = forms.number_of(form);
    CHECK(first.is_new);
    CHECK(!forms.number_of(form).is_new);
    // more than any cache of recent ones holds, each with a number of its own
    std::set<uint32_t> numbers{first.number};
    for (uint32_t thread = 1; thread <= 3000; ++thread) {
        form.end_thread = thread;
        const OpForms::Number found = forms.number_of(form);
        CHECK(found.is_new);
        numbers.insert(found.number);
    }
    CHECK_EQUAL(numbers.size(), size_t{3001});
    form.end_thread = 0;
    CHECK_EQUAL(forms.number_of(form).number, first.number);
    form.is_async = 1;
    CHECK(forms.number_of(form).is_new);
}

TEST(check_sums_are_those_of_zlib) {
    CHECK_EQUAL(crc32("", 0), 0u);
    CHECK_EQUAL(crc32("123456789", 9), 0xCBF43926u);  // the check value that all descriptions of it give
    CHECK_EQUAL(crc32("The quick brown fox jumps over the lazy dog", 43), 0x414FA339u);
}

TEST(a_description_cut_short_is_no_text) {
    StringTable strings;
    InputTexts texts;
    const char cut[] = {1, 6, 2, 5, 0, 0};
    CHECK_EQUAL(texts.of({cut, sizeof cut}, strings).shapes, kNoText);
}

#include <string>

#include "check.hpp"
#include "text/field_text.hpp"

namespace {

std::string csv(std::string_view text) {
    npuwh::TextBuffer out;
    npuwh::append_csv_field(out, text);
    return std::string(out.view());
}
std::string json(std::string_view text) {
    npuwh::TextBuffer out;
    npuwh::append_json_string(out, text);
    return std::string(out.view());
}

}  // namespace

TEST(csv_fields_are_quoted_only_where_needed) {
    CHECK_EQUAL(csv(""), "");
    CHECK_EQUAL(csv(" a b\t"), " a b\t");
    CHECK_EQUAL(csv("1,2"), "\"1,2\"");
    CHECK_EQUAL(csv("\"32,3\";"), "\"\"\"32,3\"\";\"");
    CHECK_EQUAL(csv("a\nb"), "\"a\nb\"");
    CHECK_EQUAL(csv("\r"), "\"\r\"");
    CHECK_EQUAL(csv("\""), "\"\"\"\"");
}

TEST(json_strings_escape_what_they_must) {
    CHECK_EQUAL(json(""), "\"\"");
    CHECK_EQUAL(json("a\"b\\c/"), "\"a\\\"b\\\\c/\"");
    CHECK_EQUAL(json(std::string_view("\0\x1f\n\r\t\x7f", 6)), "\"\\u0000\\u001f\\n\\r\\t\x7f\"");
    CHECK_EQUAL(json("\xc3\xa9"), "\"\xc3\xa9\"");
}

TEST(formulas_and_numbers) {
    for (const char* text : {"=1", "+1", "-1", "@x", "\tx", "\rx"}) {
        CHECK(npuwh::is_formula(text));
    }
    for (const char* text : {"", "1-1", "a=b", " =1", "\n"}) {
        CHECK(!npuwh::is_formula(text));
    }
    for (const char* text : {"1", "-1.5e-05", "+.5", "-5.", "-1E+9", "007"}) {
        CHECK(npuwh::is_plain_number(text));
    }
    for (const char* text : {"", "-", ".", "-.", "-1.5)", "-1+2", "1e", "-1e-", "1.2.3", "--1", "e5", "-1 "}) {
        CHECK(!npuwh::is_plain_number(text));
    }
}

TEST(surrogates_are_replaced) {
    CHECK_EQUAL(npuwh::without_surrogates("a\xed\xa0\x80z\xed\xbf\xbf"), "a\xef\xbf\xbdz\xef\xbf\xbd");
    CHECK_EQUAL(npuwh::without_surrogates("\xed\x9f\xbf"), "\xed\x9f\xbf");  // U+D7FF is none
    CHECK_EQUAL(npuwh::without_surrogates("\xed"), "\xed");
}

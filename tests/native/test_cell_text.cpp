#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "check.hpp"
#include "text/cell_text.hpp"

using npuwh::CellKind;

namespace {

constexpr CellKind kAll[] = {CellKind::text,   CellKind::integer, CellKind::stamp, CellKind::floating, CellKind::fixed3,
                             CellKind::fixed6, CellKind::trim3,   CellKind::json,  CellKind::ns_us};

template <class Value>
std::string csv(Value value) {  // all kinds, joined by spaces
    std::string out;
    for (const CellKind kind : kAll) {
        out += out.empty() ? "" : " ";
        npuwh::append_csv_cell(out, kind, value);
    }
    return out;
}
template <class Value>
std::string json(Value value) {
    std::string out;
    for (const CellKind kind : kAll) {
        out += out.empty() ? "" : " ";
        npuwh::append_json_cell(out, kind, value);
    }
    return out;
}

}  // namespace

TEST(kinds_have_names) {
    CHECK(npuwh::cell_kind("trim3") == CellKind::trim3);
    CHECK_REJECTS(npuwh::cell_kind("date"), "no kind 'date'; kinds are text, int, stamp, float,");
}

TEST(integers_in_every_kind) {
    CHECK_EQUAL(csv(std::int64_t{1500}), "1500 1500 1.500\t 1500 1500.000 1500.000000 1500 1500 1.500");
    CHECK_EQUAL(json(std::int64_t{1500}), "\"1500\" 1500 \"1.500\" 1500 1500.000 1500.000000 1500 1500 1.500");
}

TEST(floats_in_every_kind) {
    CHECK_EQUAL(csv(4.5), "4.5 4.5 4.5 4.5 4.500 4.500000 4.5 4.5 4.5");
    CHECK_EQUAL(json(4.5), "\"4.5\" 4.5 \"4.5\" 4.5 4.500 4.500000 4.5 4.5 4.5");
    CHECK_EQUAL(json(std::nan("")), "null null null null null null null null null");
    CHECK(npuwh::takes_float(CellKind::trim3) && !npuwh::takes_float(CellKind::stamp) && !npuwh::takes_float(CellKind::ns_us));
}

TEST(text_in_every_kind) {
    using namespace std::string_view_literals;
    CHECK_EQUAL(csv("N/A"sv), "N/A N/A N/A\t N/A N/A N/A N/A N/A N/A");
    CHECK_EQUAL(csv("-1"sv), "-1 -1 -1\t -1 -1 -1 -1 -1 -1");
    CHECK_EQUAL(csv("-1+1"sv), "'-1+1 '-1+1 '-1+1\t '-1+1 '-1+1 '-1+1 '-1+1 -1+1 '-1+1");
    CHECK_EQUAL(csv("=1"sv), "'=1 '=1 '=1\t '=1 '=1 '=1 '=1 =1 '=1");
    CHECK_EQUAL(csv("-\""sv), "\"'-\"\"\" \"'-\"\"\" \"'-\"\"\t\" \"'-\"\"\" \"'-\"\"\" \"'-\"\"\" \"'-\"\"\" \"-\"\"\" \"'-\"\"\"");
    CHECK_EQUAL(json("[1]"sv), "\"[1]\" \"[1]\" \"[1]\" \"[1]\" \"[1]\" \"[1]\" \"[1]\" [1] \"[1]\"");
}

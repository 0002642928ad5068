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
    npuwh::TextBuffer out;
    for (const CellKind kind : kAll) {
        out += out.empty() ? "" : " ";
        npuwh::append_csv_cell(out, kind, value);
    }
    return std::string(out.view());
}
template <class Value>
std::string json(Value value) {
    npuwh::TextBuffer out;
    for (const CellKind kind : kAll) {
        out += out.empty() ? "" : " ";
        npuwh::append_json_cell(out, kind, value);
    }
    return std::string(out.view());
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

TEST(halves_are_rounded_away_from_zero) {
    npuwh::TextBuffer out;
    for (const double value : {0.0005, 2.0005, 0.0625, -0.0625, 12.3456, 4.0, -0.0001, 123456789012.3456, 8999999999999.999, 1e300}) {
        out += out.empty() ? "" : " ";
        npuwh::append_csv_cell(out, CellKind::round3, value);
    }
    CHECK_EQUAL(std::string(out.view()), "0.001 2.001 0.063 -0.063 12.346 4.0 0.0 123456789012.346 8999999999999.998 1e+300");
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

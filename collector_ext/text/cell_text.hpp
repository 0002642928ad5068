// Cells of a table as CSV fields and JSON values: what a column's kind makes of a value.  Every function appends to `out`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/text_buffer.hpp"

namespace npuwh {

enum class CellKind {
    text,
    integer,   // "int"
    stamp,     // "us.nnn" as text; an integer is ns.  CSV puts a tab behind it, so that spreadsheets keep its digits
    floating,  // "float": as Python prints it
    fixed3,    // %.3f
    fixed6,    // %f
    trim3,     // %.3f without trailing zeros
    round3,    // rounded to three decimals, halves away from zero, then as Python prints it
    json,      // JSON as it is
    ns_us,     // integer ns as us with three decimals
};

// The kind of that name; throws std::invalid_argument.
CellKind cell_kind(std::string_view name);

// Whether a column of that kind can hold a floating number: not where it would be a time.
bool takes_float(CellKind kind);

// Text that a spreadsheet would run as a formula gets a ' before it; a number by itself is none.  An integer keeps its own form
// in every numeric kind but fixed3 and fixed6.
void append_csv_cell(TextBuffer& out, CellKind kind, std::string_view text);
void append_csv_cell(TextBuffer& out, CellKind kind, double value);
void append_csv_cell(TextBuffer& out, CellKind kind, std::int64_t value);

// Text in a numeric kind is a string; numbers in `text` and `stamp` are strings; what is not finite is null.
void append_json_cell(TextBuffer& out, CellKind kind, std::string_view text);
void append_json_cell(TextBuffer& out, CellKind kind, double value);
void append_json_cell(TextBuffer& out, CellKind kind, std::int64_t value);

}  // namespace npuwh

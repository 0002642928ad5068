// Text fields of CSV and JSON.  Every function appends to `out`; `text` is UTF-8.
#pragma once

#include <string>
#include <string_view>

#include "text/text_buffer.hpp"

namespace npuwh {

// One field as Python's csv writer with minimal quoting and "\r\n" line ends: quoted if it holds a comma, quote, CR or LF.
// `before` and `after` become part of the field; they must hold none of these.
void append_csv_field(TextBuffer& out, std::string_view text, std::string_view before = {}, std::string_view after = {});

// Would a spreadsheet run this text as a formula?  It starts with = + - @, tab or CR.
bool is_formula(std::string_view text);
// Is all of it one number, and so harmless although it starts with a sign?
bool is_plain_number(std::string_view text);

// A JSON string with its quotes.
void append_json_string(TextBuffer& out, std::string_view text);

// Puts U+FFFD in place of every encoded surrogate (ED A0..BF xx), which UTF-8 does not allow.
std::string without_surrogates(std::string_view text);

}  // namespace npuwh

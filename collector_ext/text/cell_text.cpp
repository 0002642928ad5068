#include "text/cell_text.hpp"

#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "text/field_text.hpp"
#include "text/number_text.hpp"

namespace npuwh {
namespace {

constexpr std::array<std::pair<std::string_view, CellKind>, 10> kNames{{{"text", CellKind::text},
                                                                      {"int", CellKind::integer},
                                                                      {"stamp", CellKind::stamp},
                                                                      {"float", CellKind::floating},
                                                                      {"fixed3", CellKind::fixed3},
                                                                      {"fixed6", CellKind::fixed6},
                                                                      {"trim3", CellKind::trim3},
                                                                      {"round3", CellKind::round3},
                                                                      {"json", CellKind::json},
                                                                      {"ns_us", CellKind::ns_us}}};

void append_number(TextBuffer& out, CellKind kind, double value) {
    switch (kind) {
        case CellKind::fixed3:
            append_fixed(out, value, 3);
            break;
        case CellKind::fixed6:
            append_fixed(out, value, 6);
            break;
        case CellKind::trim3:
            append_trimmed(out, value);
            break;
        case CellKind::round3:
            append_rounded(out, value);
            break;
        default:
            append_repr(out, value);
    }
}

void append_number(TextBuffer& out, CellKind kind, std::int64_t value) {
    switch (kind) {
        case CellKind::fixed3:
            append_integer(out, value);
            out += ".000";
            break;
        case CellKind::fixed6:
            append_integer(out, value);
            out += ".000000";
            break;
        case CellKind::stamp:
        case CellKind::ns_us:
            append_microseconds(out, value);
            break;
        default:
            append_integer(out, value);
    }
}

bool needs_guard(CellKind kind, std::string_view text) {
    return kind != CellKind::json && is_formula(text) && !is_plain_number(text);
}

bool is_json_string(CellKind kind) { return kind == CellKind::text || kind == CellKind::stamp; }

}  // namespace

CellKind cell_kind(std::string_view name) {
    std::string known;
    for (const auto& [known_name, kind] : kNames) {
        if (known_name == name) {
            return kind;
        }
        known += (known.empty() ? "" : ", ") + std::string(known_name);
    }
    throw std::invalid_argument("RowWriter: no kind '" + std::string(name) + "'; kinds are " + known);
}

bool takes_float(CellKind kind) { return kind != CellKind::ns_us && kind != CellKind::stamp; }

void append_csv_cell(TextBuffer& out, CellKind kind, std::string_view text) {
    append_csv_field(out, text, needs_guard(kind, text) ? "'" : "", kind == CellKind::stamp ? "\t" : "");
}

void append_csv_cell(TextBuffer& out, CellKind kind, double value) { append_number(out, kind, value); }

void append_csv_cell(TextBuffer& out, CellKind kind, std::int64_t value) {
    append_number(out, kind, value);
    if (kind == CellKind::stamp) {
        out += '\t';
    }
}

void append_json_cell(TextBuffer& out, CellKind kind, std::string_view text) {
    if (kind == CellKind::json) {
        out += text;
    } else {
        append_json_string(out, text);
    }
}

void append_json_cell(TextBuffer& out, CellKind kind, double value) {
    if (!std::isfinite(value)) {
        out += "null";
        return;
    }
    const char* const quote = is_json_string(kind) ? "\"" : "";
    out += quote;
    append_number(out, kind, value);
    out += quote;
}

void append_json_cell(TextBuffer& out, CellKind kind, std::int64_t value) {
    if (kind == CellKind::integer) {
        append_integer(out, value);
        return;
    }
    const char* const quote = is_json_string(kind) ? "\"" : "";
    out += quote;
    append_number(out, kind, value);
    out += quote;
}

}  // namespace npuwh

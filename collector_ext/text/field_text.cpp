#include "text/field_text.hpp"

#include <array>
#include <cstddef>

namespace npuwh {
namespace {

using ByteSet = std::array<bool, 256>;

ByteSet bytes_in(std::string_view chars) {
    ByteSet set{};
    for (const char c : chars) {
        set[static_cast<unsigned char>(c)] = true;
    }
    return set;
}

ByteSet bytes_escaped_in_json() {
    ByteSet set = bytes_in("\"\\");
    for (std::size_t c = 0; c < 0x20; ++c) {
        set[c] = true;
    }
    return set;
}

const ByteSet kQuotedInCsv = bytes_in(",\"\r\n");
const ByteSet kStartsFormula = bytes_in("=+-@\t\r");
const ByteSet kEscapedInJson = bytes_escaped_in_json();

std::size_t find_first(std::string_view text, const ByteSet& set, std::size_t from = 0) {
    while (from < text.size() && !set[static_cast<unsigned char>(text[from])]) {
        ++from;
    }
    return from;
}

}  // namespace

void append_csv_field(TextBuffer& out, std::string_view text, std::string_view before, std::string_view after) {
    if (find_first(text, kQuotedInCsv) == text.size()) {
        out += before;
        out += text;
        out += after;
        return;
    }
    out += '"';
    out += before;
    for (const char c : text) {
        if (c == '"') {
            out += '"';
        }
        out += c;
    }
    out += after;
    out += '"';
}

bool is_formula(std::string_view text) { return !text.empty() && kStartsFormula[static_cast<unsigned char>(text[0])]; }

bool is_plain_number(std::string_view text) {
    const auto digits_end = [text](std::size_t from) {
        while (from < text.size() && text[from] >= '0' && text[from] <= '9') {
            ++from;
        }
        return from;
    };
    const auto sign_end = [text](std::size_t from) {
        return from < text.size() && (text[from] == '+' || text[from] == '-') ? from + 1 : from;
    };
    const std::size_t first = sign_end(0);
    std::size_t end = digits_end(first);
    std::size_t digits = end - first;
    if (end < text.size() && text[end] == '.') {
        const std::size_t fraction = end + 1;
        end = digits_end(fraction);
        digits += end - fraction;
    }
    if (digits == 0) {
        return false;
    }
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
        const std::size_t exponent = sign_end(end + 1);
        end = digits_end(exponent);
        if (end == exponent) {
            return false;
        }
    }
    return end == text.size();
}

void append_json_string(TextBuffer& out, std::string_view text) {
    constexpr const char* kHex = "0123456789abcdef";
    out += '"';
    for (std::size_t from = 0;;) {
        const std::size_t special = find_first(text, kEscapedInJson, from);
        out += text.substr(from, special - from);
        if (special == text.size()) {
            break;
        }
        const auto c = static_cast<unsigned char>(text[special]);
        switch (c) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\r':
                out += "\\r";
                break;
            case '\t':
                out += "\\t";
                break;
            default:
                out += "\\u00";
                out += kHex[c >> 4];
                out += kHex[c & 15];
        }
        from = special + 1;
    }
    out += '"';
}

std::string without_surrogates(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool is_surrogate = at + 2 < text.size() && static_cast<unsigned char>(text[at]) == 0xED &&
                                  static_cast<unsigned char>(text[at + 1]) >= 0xA0;
        if (is_surrogate) {
            out += "\xEF\xBF\xBD";
            at += 2;
        } else {
            out += text[at];
        }
    }
    return out;
}

}  // namespace npuwh

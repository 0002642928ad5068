#include "decode/prof/line_decoders.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <system_error>

#include "decode/prof/prof_faults.hpp"

namespace npuwh::prof {
namespace {

constexpr std::size_t kStep = std::size_t{64} << 10;

// The whole text as a decimal number.
template <class Number>
std::optional<Number> whole_number(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional<Number>(number) : std::nullopt;
}

// A decimal number; one of up to 15 digits to the last bit, for then both parts of the quotient are exact.
std::optional<double> decimal(std::string_view text) {
    const bool is_negative = !text.empty() && text.front() == '-';
    text.remove_prefix(is_negative ? 1 : 0);
    const std::size_t point = std::min(text.find('.'), text.size());
    std::uint64_t digits = 0;
    double scale = 1;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (at == point) {
            continue;
        }
        if (text[at] < '0' || text[at] > '9') {
            return std::nullopt;
        }
        const bool is_fraction = at > point;
        if (digits > (UINT64_MAX - 9) / 10) {  // more than a double can hold: only the size of the number matters
            scale /= is_fraction ? 1 : 10;
            continue;
        }
        digits = digits * 10 + static_cast<std::uint64_t>(text[at] - '0');
        scale *= is_fraction ? 10 : 1;
    }
    if (text.empty() || text == ".") {
        return std::nullopt;
    }
    const double value = static_cast<double>(digits) / scale;
    return is_negative ? -value : value;
}

// Words between blanks; at most as many as fit, and the true number.
template <std::size_t N>
std::size_t split(std::string_view line, std::array<std::string_view, N>& words) {
    std::size_t count = 0;
    std::size_t at = 0;
    while (at < line.size()) {
        const std::size_t begin = line.find_first_not_of(" \t\r", at);
        if (begin == std::string_view::npos) {
            break;
        }
        at = std::min(line.find_first_of(" \t\r", begin), line.size());
        if (count < N) {
            words[count] = line.substr(begin, at - begin);
        }
        ++count;
    }
    return count;
}

std::vector<ColumnSpec> table_schema(const StreamFormat& format) {
    std::vector<ColumnSpec> schema;
    for (const char* const column : format.columns) {
        if (column != nullptr) {
            schema.push_back({column, schema.empty() ? ColumnType::int64 : ColumnType::float64, false});
        }
    }
    return schema;
}

}  // namespace

// --- lines ---------------------------------------------------------------------------------------

LineDecoder::LineDecoder(const ProfInput& input, const char* kind, std::vector<ColumnSpec> schema)
    : ProfDecoder(input), kind_name_(kind), schema_(std::move(schema)) {}

bool LineDecoder::work() {
    auto batch = std::make_shared<RecordBatch>(schema_);
    bool is_over = false;
    while (!is_over) {
        ByteWindow window = stream().look(1);
        if (window.size() == 0) {
            break;
        }
        std::size_t searched = 0;
        const void* end = nullptr;
        for (;;) {
            end = std::memchr(window.data() + searched, '\n', window.size() - searched);
            searched = window.size();
            if (end != nullptr || searched > kLongest || stream().bytes_left() == searched) {
                break;
            }
            window = stream().look(searched + kStep);
            if (window.size() == searched) {
                break;  // a file turned out short
            }
        }
        const std::size_t length = end != nullptr ? static_cast<std::size_t>(static_cast<const std::uint8_t*>(end) - window.data()) : searched;
        const std::size_t size = length + (end != nullptr ? 1 : 0);
        if (is_in_long_line_ || length > kLongest) {
            stream().reject(size, fault::kLongLine, is_in_long_line_ ? 0 : 1);
            is_in_long_line_ = end == nullptr;
            continue;
        }
        const std::size_t rows = batch->rows();
        const Verdict verdict = take_line(window.part(0, length).text(), *batch);
        if (verdict == Verdict::bad) {
            stream().reject(size, fault::kBadLine);
            continue;
        }
        if (end == nullptr) {
            stream().note(fault::kOpenLine);
        }
        stream().accept(size, batch->rows() - rows);
        is_over = is_full(batch->rows());
    }
    hand_over(kind_name_, std::move(batch));
    return is_over;
}

// --- dictionaries --------------------------------------------------------------------------------

HashDecoder::HashDecoder(const ProfInput& input)
    : LineDecoder(input, "hash", {{"hash"}, {"value"}}) {}

LineDecoder::Verdict HashDecoder::take_line(std::string_view line, RecordBatch& batch) {
    const std::size_t colon = line.find(':');
    const auto hash = colon == std::string_view::npos ? std::nullopt : whole_number<std::uint64_t>(line.substr(0, colon));
    if (!hash) {
        return Verdict::bad;
    }
    const StringTable::Interned value = strings().intern(line.substr(colon + 1));
    if (value.was_repaired) {
        stream().note(fault::kBadUtf8);
    }
    batch.column(0).add_unsigned(*hash);
    batch.column(1).add(value.id);
    return Verdict::row;
}

TypeDecoder::TypeDecoder(const ProfInput& input)
    : LineDecoder(input, "type_name", {{"level"}, {"type"}, {"name"}}) {}

LineDecoder::Verdict TypeDecoder::take_line(std::string_view line, RecordBatch& batch) {
    const std::size_t colon = line.find(':');
    const std::size_t under = line.substr(0, colon).find('_');
    if (colon == std::string_view::npos || under == std::string_view::npos) {
        return Verdict::bad;
    }
    const auto level = whole_number<std::uint32_t>(line.substr(0, under));
    const auto type = whole_number<std::uint64_t>(line.substr(under + 1, colon - under - 1));
    if (!level || !type) {
        return Verdict::bad;
    }
    const StringTable::Interned name = strings().intern(line.substr(colon + 1));
    if (name.was_repaired) {
        stream().note(fault::kBadUtf8);
    }
    batch.column(0).add(*level);
    batch.column(1).add_unsigned(*type);
    batch.column(2).add(name.id);
    return Verdict::row;
}

// --- tables --------------------------------------------------------------------------------------

TableDecoder::TableDecoder(const ProfInput& input, const StreamFormat& format)
    : LineDecoder(input, format.name, table_schema(format)),
      columns_(table_schema(format).size()),
      is_last_optional_(std::string_view(format.columns[columns_ - 1]) == "function") {}

LineDecoder::Verdict TableDecoder::take_line(std::string_view line, RecordBatch& batch) {
    std::array<std::string_view, 16> words;
    const std::size_t count = split(line, words);
    if (count == 0) {
        return Verdict::no_row;
    }
    // the time may be written with colons: they separate nothing
    std::string time_text(words[0]);
    time_text.erase(std::remove(time_text.begin(), time_text.end(), ':'), time_text.end());
    const auto time = whole_number<std::int64_t>(std::string_view(time_text).substr(0, time_text.find('.')));
    if (!time) {
        const bool is_header = words[0].find_first_of("0123456789") == std::string_view::npos;
        return is_header ? Verdict::no_row : Verdict::bad;
    }
    if (count != columns_ && !(is_last_optional_ && count + 1 == columns_)) {
        return Verdict::bad;
    }
    std::array<double, 16> values{};
    for (std::size_t column = 1; column < count; ++column) {
        const auto value = decimal(words[column]);
        if (!value) {
            return Verdict::bad;
        }
        values[column] = *value;
    }
    batch.column(0).add(*time);
    for (std::size_t column = 1; column < columns_; ++column) {
        batch.column(column).add_real(values[column]);
    }
    return Verdict::row;
}

}  // namespace npuwh::prof

// Streams of lines of text: the dictionaries (cann-files.md 3) and tables of counters (5.7).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decode/prof/prof_decoder.hpp"

namespace npuwh::prof {

// A line, a row of one kind.
class LineDecoder : public ProfDecoder {
public:
    static constexpr std::size_t kLongest = std::size_t{1} << 20;

    LineDecoder(const ProfInput& input, const char* kind, std::vector<ColumnSpec> schema);

protected:
    enum class Verdict { row, no_row, bad };

    bool work() override;
    // Adds the line's row to `batch`, or nothing.  Texts that were not UTF-8 are to be noted.
    virtual Verdict take_line(std::string_view line, RecordBatch& batch) = 0;

private:
    const char* kind_name_;
    std::vector<ColumnSpec> schema_;
    bool is_in_long_line_ = false;
};

// `<decimal u64>:<text>` -> "hash": hash, value (id of the string table)
class HashDecoder final : public LineDecoder {
public:
    explicit HashDecoder(const ProfInput& input);

protected:
    Verdict take_line(std::string_view line, RecordBatch& batch) override;
};

// `<level>_<type>:<name>` -> "type_name": level, type, name (id of the string table)
class TypeDecoder final : public LineDecoder {
public:
    explicit TypeDecoder(const ProfInput& input);

protected:
    Verdict take_line(std::string_view line, RecordBatch& batch) override;
};

// Blank separated numbers, the first a time -> time (int64, fractions dropped) and a float64 column each; the last may be missing and is
// 0 then.  Lines that do not begin with a number are headers.  The kind is the stream's name.
class TableDecoder final : public LineDecoder {
public:
    TableDecoder(const ProfInput& input, const StreamFormat& format);

protected:
    Verdict take_line(std::string_view line, RecordBatch& batch) override;

private:
    std::size_t columns_;
    bool is_last_optional_;
};

}  // namespace npuwh::prof

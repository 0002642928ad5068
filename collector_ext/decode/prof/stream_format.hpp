// Every PROF stream that can be decoded: how its records are found and what they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "decode/fault.hpp"
#include "decode/prof/layout.hpp"

namespace npuwh::prof {

enum class Reader : std::uint8_t {
    records,   // of one size, a layout each
    api,       // api_event: as records, events joined into intervals
    tensors,   // tensor_info: as records, parts of an operator joined
    tasks,     // stars_soc: starts and ends joined into tasks
    variable,  // capture_op_info of varying size
    hashes,    // lines `hash:text`
    types,     // lines `level_type:name`
    table,     // lines of blank separated numbers
};

// What tells a record from other bytes.
enum class Marker : std::uint8_t {
    none,
    host,         // u16 0x5A5A at 0, a level at 2
    stars,        // u16 0x6BD3 at 2
    maybe_stars,  // the same, but the vendor's parser does not ask for it
};

// Which layout a record has, or what is wrong with it.
struct Selected {
    std::size_t layout = 0;
    const FaultKind* fault = nullptr;
};

// How the files of a PROF directory came about, where the form of records depends on it.
struct Collection {
    std::string platform_version = "5";  // info.json
    std::string version = "1.0";         // info.json: collection format
    bool is_sampled = false;             // sample.json: ai_core_profiling_mode is "sample-based"
    bool is_expanded = false;            // expand_stream_spec has status 1
};

struct StreamFormat {
    const char* name;
    Reader reader;
    Marker marker = Marker::none;
    std::uint16_t record_size = 0;  // of the smallest record where they vary
    std::array<const RecordLayout*, 10> layouts{};
    Selected (*select)(const std::uint8_t* record) = nullptr;  // null: all have the first layout
    // Whether the bytes look like a record; used only to find out where the first one begins.
    bool (*is_plausible)(const std::uint8_t* record) = nullptr;
    std::array<const char*, 16> columns{};  // of a table of lines

    std::size_t layout_count() const;
};

// Form of the stream for this collection.  `fault`: why its content cannot be read, if so (then `format` has no reader).
struct FormatFound {
    const StreamFormat* format = nullptr;  // null: no such stream
    const FaultKind* fault = nullptr;
};
FormatFound find_format(std::string_view stream, const Collection& collection);

// The n-th stream, null after the last; a name may come up more than once.
const StreamFormat* format_at(std::size_t index);

bool has_host_magic(const std::uint8_t* record);
// The magic number and what can be a level: they are multiples of 500 (cann-files.md 3).
bool is_host_record(const std::uint8_t* record);
bool has_stars_magic(const std::uint8_t* record);
// The low 6 bits of the head of a stars record.
std::uint16_t stars_function(const std::uint8_t* record);

}  // namespace npuwh::prof

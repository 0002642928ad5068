// The type-length-value records of the FRAMEWORK files (framework-files.md 2.2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "decode/slice_stream.hpp"

namespace npuwh {

namespace fault {
inline constexpr FaultKind kWrongType{"wrong_type", "a record of another type than its file's; it was read all the same"};
inline constexpr FaultKind kShortRecord{"short_record", "a record too short for its fixed fields"};
inline constexpr FaultKind kNestedCut{"nested_cut", "the texts of a record do not fill it; those before the damage were kept"};
inline constexpr FaultKind kUnknownTag{"unknown_tag", "a text with a tag that the format does not define; it was skipped"};
inline constexpr FaultKind kUnknownValue{"unknown_value", "a field holds a number that the format does not define; it was kept"};
}  // namespace fault

// What tells the records of one file.
struct TlvShape {
    std::uint16_t type;        // of its records
    std::size_t fixed_bytes;   // the value begins with that many
    std::uint32_t known_tags;  // bit n: nested tag n may follow; 0: none ever does
};

// A record in the window: valid until the stream moves on.
class TlvRecord {
public:
    static constexpr std::size_t kTags = 16;  // numbers of known tags lie below

    template <class T>
    std::int64_t field(std::size_t offset) const {
        return load_int64<T>(value_ + offset);
    }
    bool has(unsigned tag) const { return (present_ >> tag & 1U) != 0; }
    // The nested text; of a repeated tag the last.
    std::string_view text(unsigned tag) const { return texts_[tag]; }

private:
    friend class TlvRecords;
    const std::uint8_t* value_ = nullptr;
    std::uint32_t present_ = 0;
    std::array<std::string_view, kTags> texts_;
};

// Goes from record to record.  Where the reference reader follows a damaged length to the end of the file, this one looks for the next
// place where a record fits into its bytes exactly; nothing but the damaged bytes is lost.
//
//     while (records.next(record)) {
//         ...
//         records.accept();  // or reject(kMyFault)
//     }
class TlvRecords {
public:
    static constexpr std::size_t kHeader = 6;
    // Longer values are taken for damage.  The longest real ones hold all parameters of an optimizer, some 550 bytes each.
    static constexpr std::size_t kLongestValue = SliceStream::kLongestLook - 2 * kHeader;
    // A longer value is not looked for after damage.
    static constexpr std::size_t kLongestFound = std::size_t{1} << 20;
    // Writers make at most nine; with the limit a crafted file cannot make us walk the same bytes again and again.
    static constexpr unsigned kMostNested = 64;

    TlvRecords(SliceStream& stream, const TlvShape& shape) : stream_(stream), shape_(shape) {}

    bool next(TlvRecord& record);
    void accept() { stream_.accept(record_bytes_); }
    void reject(const FaultKind& kind) { stream_.reject(record_bytes_, kind); }

private:
    enum class Fit { exact, loose, none };

    Fit fit(const ByteWindow& window, TlvRecord& record);
    bool is_exact(const ByteWindow& record) const;
    bool may_begin(const ByteWindow& window, std::size_t offset) const;
    void find_next(const FaultKind& kind_at_end);
    std::size_t find_in_window(std::size_t from);

    SliceStream& stream_;
    TlvShape shape_;
    std::size_t record_bytes_ = 0;
    unsigned unknown_tags_ = 0;
};

}  // namespace npuwh

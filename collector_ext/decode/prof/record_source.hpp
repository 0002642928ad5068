// The records of a stream of fixed size, wherever the first of them begins.
#pragma once

#include <cstdint>
#include <optional>

#include "decode/fixed_records.hpp"
#include "decode/prof/stream_format.hpp"
#include "decode/slice_stream.hpp"

namespace npuwh::prof {

// With a magic number records are found by it.  Without one they follow each other from the first on, and if the files together hold a
// part of a record beside whole ones, that part is either the rest of one whose beginning the ring dropped, or the beginning of one
// that was not finished.  Which of the two is told by what the records look like in either case; failing that by the number of the
// first slice: a ring that has not dropped slice 0 has dropped nothing (cann-files.md 1.1).
class RecordSource {
public:
    RecordSource(SliceStream& stream, const StreamFormat& format);

    std::size_t size() const { return format_.record_size; }

    // The next record, or null at the end; it must be accepted or rejected.  Skips (as damaged) what has no magic number.
    const std::uint8_t* next() { return records_.next(); }

private:
    struct IsRecord {
        bool (*has_magic)(const std::uint8_t*);  // null: anything is a record
        bool operator()(const std::uint8_t* record) const { return has_magic == nullptr || has_magic(record); }
    };

    static IsRecord marker_of(SliceStream& stream, const StreamFormat& format);
    static void align(SliceStream& stream, const StreamFormat& format);

    const StreamFormat& format_;
    FixedRecords<IsRecord> records_;
};

}  // namespace npuwh::prof

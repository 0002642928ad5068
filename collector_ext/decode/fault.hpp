// What can be wrong with a stream of records.
#pragma once

namespace npuwh {

// A kind of fault.  Kinds are `inline constexpr` objects, told apart by their address; a decoder declares its own beside its code.
struct FaultKind {
    const char* code;  // stable, snake_case: stored in the `issue` table
    const char* text;  // for people: what it means for the data
};

namespace fault {

inline constexpr FaultKind kFileMissing{"file_missing", "the file could not be opened"};
inline constexpr FaultKind kFileNotRegular{"file_not_regular", "not a regular file; nothing of it was read"};
inline constexpr FaultKind kFileShrunk{"file_shrunk", "the file became shorter while it was read"};
inline constexpr FaultKind kFileGrew{"file_grew", "the file became longer while it was read; the new bytes were not read"};
inline constexpr FaultKind kReadError{"read_error", "the system could not read the file on"};
inline constexpr FaultKind kFrontPartial{"front_partial", "begins in the middle of a record, whose first part was dropped by the ring"};
inline constexpr FaultKind kTruncatedTail{"truncated_tail", "the last record is cut off"};
inline constexpr FaultKind kDamagedRecord{"damaged_record", "bytes that are no record; reading went on at the next one"};
inline constexpr FaultKind kBadUtf8{"bad_utf8", "a text is not UTF-8; U+FFFD stands for what could not be read"};

}  // namespace fault
}  // namespace npuwh

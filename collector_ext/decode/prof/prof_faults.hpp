// What can be wrong with a PROF stream beyond what can be wrong with any.
#pragma once

#include "decode/fault.hpp"

namespace npuwh::fault {

inline constexpr FaultKind kUnknownType{"unknown_type", "records of a type that is not specified; they were skipped"};
inline constexpr FaultKind kUnknownLevel{"unknown_level", "records of a level that is not specified; they were skipped"};
inline constexpr FaultKind kBadCount{"bad_count", "says it has more elements than fit into the record; it was skipped"};
inline constexpr FaultKind kBadSize{"bad_size", "says a size that its content contradicts; it was skipped"};
inline constexpr FaultKind kNoStart{"no_start", "API calls without a start time; they were skipped"};
inline constexpr FaultKind kLoneStart{"start_without_end", "tasks whose end was not recorded"};
inline constexpr FaultKind kLoneEnd{"end_without_start", "tasks whose start was not recorded"};
inline constexpr FaultKind kTooManyOpen{"too_many_open", "so many tasks were open at once that the oldest were given up"};
inline constexpr FaultKind kLoneEvent{"event_without_partner", "halves of intervals whose other half was not recorded"};
inline constexpr FaultKind kUnknownTensorKind{"unknown_tensor_kind", "tensors that are neither input nor output; left out of the lists"};
inline constexpr FaultKind kUnsupportedChip{"unsupported_chip", "this stream's records are not specified for this chip"};
inline constexpr FaultKind kUnsupportedForm{"unsupported_form", "this stream's records are not specified for this collection format or mode"};
inline constexpr FaultKind kNoLayout{"no_layout", "the content of this stream is not specified"};
inline constexpr FaultKind kMissingSlice{"missing_slice", "slices before this one are missing; nothing was joined across the gap"};
inline constexpr FaultKind kBadLine{"bad_line", "lines that are not of the stream's form; they were skipped"};
inline constexpr FaultKind kLongLine{"long_line", "lines of more than a mebibyte; they were skipped"};
inline constexpr FaultKind kOpenLine{"open_line", "the last line has no end: its text may be cut off"};

}  // namespace npuwh::fault

// The tensor strings of torch.op_range and torch.param_tensor_info (framework-files.md 2.3).
#pragma once

#include <cstdint>
#include <string_view>

#include "decode/fault.hpp"

namespace npuwh {

namespace fault {
inline constexpr FaultKind kBadTensor{"bad_tensor", "a description of a tensor that has not the eight fields it should have; it was skipped"};
}  // namespace fault

struct TensorText {
    std::int64_t address = 0;
    std::int64_t storage = 0;
    bool has_storage = false;
    std::string_view dtype;
    std::int64_t element_bytes = 0;
    std::string_view sizes;    // "2,3"; empty: a number
    std::string_view strides;
    std::int64_t device_type = 0;
    std::int64_t device_no = 0;
};

// False if the text has not eight fields, or a number is none.
bool parse_tensor(std::string_view text, TensorText& tensor);

}  // namespace npuwh

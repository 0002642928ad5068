// Numbers of processes and threads.
#pragma once

#include <cstdint>

#include "decode/byte_window.hpp"

namespace npuwh {

// Linux gives no larger ones (PID_MAX_LIMIT), so they tell a record without any mark of its own from bytes that are none.
inline bool is_thread_number(const std::uint8_t* field) {
    const auto number = load_le<std::uint64_t>(field);
    return number > 0 && number <= (std::uint64_t{1} << 22);
}

}  // namespace npuwh

// The cyclic redundancy check of zlib and Ethernet, so that any reader has it at hand (Python: zlib.crc32).
#pragma once

#include <cstddef>
#include <cstdint>

namespace npuwh::core {

uint32_t crc32(const void* bytes, size_t size) noexcept;

}  // namespace npuwh::core

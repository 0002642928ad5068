// Numbers as the SQLite file format writes them ("Database File Format", sections 1.6 and 2.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace npuwh::sqlite_file {

constexpr std::size_t kMaxVarint = 9;

inline std::size_t varint_size(std::uint64_t value) {
    std::size_t size = 1;
    while (value >= 128 && size < kMaxVarint) {
        value >>= 7;
        ++size;
    }
    return size;
}

// Returns the end of what it wrote.
inline std::uint8_t* put_varint(std::uint8_t* out, std::uint64_t value) {
    if (value < 128) {
        *out = static_cast<std::uint8_t>(value);
        return out + 1;
    }
    const std::size_t size = varint_size(value);
    std::size_t place = size;
    if (size == kMaxVarint) {  // the ninth byte holds eight bits
        out[--place] = static_cast<std::uint8_t>(value);
        value >>= 8;
    } else {
        out[--place] = static_cast<std::uint8_t>(value & 127);
        value >>= 7;
    }
    while (place > 0) {
        out[--place] = static_cast<std::uint8_t>((value & 127) | 128);
        value >>= 7;
    }
    return out + size;
}

inline const std::uint8_t* get_varint(const std::uint8_t* in, std::uint64_t& value) {
    value = 0;
    for (std::size_t place = 0; place + 1 < kMaxVarint; ++place) {
        value = value << 7 | (*in & 127U);
        if ((*in++ & 128U) == 0) {
            return in;
        }
    }
    value = value << 8 | *in;
    return in + 1;
}

inline std::uint64_t big_endian(std::uint64_t value) { return __builtin_bswap64(value); }

inline void put_word(std::uint8_t* out, std::uint64_t value) {
    value = big_endian(value);
    std::memcpy(out, &value, sizeof value);
}

inline void put_u32(std::uint8_t* out, std::uint32_t value) {
    value = __builtin_bswap32(value);
    std::memcpy(out, &value, sizeof value);
}

inline void put_u16(std::uint8_t* out, std::size_t value) {
    out[0] = static_cast<std::uint8_t>(value >> 8);
    out[1] = static_cast<std::uint8_t>(value);
}

// Serial types of a record.  Text and blobs: the code here plus twice the length.
enum Serial : std::uint8_t {
    kNull = 0,
    kInt48 = 5,
    kInt64 = 6,
    kReal = 7,
    kZero = 8,
    kOne = 9,
    kBlob = 12,
    kText = 13,
};

// Bytes of the body by serial type, for numbers.
constexpr std::uint8_t kBodySize[10] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};

inline std::uint8_t integer_serial(std::int64_t value) {
    static constexpr std::uint8_t by_bits[64] = {
        1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4,
        5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6};
    const auto bits = static_cast<std::uint64_t>(value);
    if (bits < 2) {
        return static_cast<std::uint8_t>(kZero + bits);
    }
    const std::uint64_t magnitude = value < 0 ? ~bits : bits;
    return by_bits[64 - __builtin_clzll(magnitude | 1U)];
}

// The order of int64 as that of uint64.
inline std::uint64_t biased(std::int64_t value) { return static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63); }
inline std::int64_t unbiased(std::uint64_t word) { return static_cast<std::int64_t>(word ^ (std::uint64_t{1} << 63)); }

}  // namespace npuwh::sqlite_file

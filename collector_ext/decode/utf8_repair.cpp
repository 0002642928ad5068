#include "decode/utf8_repair.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace npuwh {
namespace {

struct Sequence {
    std::size_t bytes;  // of the character, or of the part that is no character
    bool is_valid;
};

// Unicode standard, table 3-7: after some lead bytes the second byte is limited, so that no surrogate, no overlong form and
// nothing beyond U+10FFFF passes.
Sequence sequence_at(const std::uint8_t* at, std::size_t left) {
    const std::uint8_t lead = at[0];
    if (lead < 0x80) {
        return {1, true};
    }
    std::size_t more = 0;
    std::uint8_t low = 0x80;
    std::uint8_t high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) {
        more = 1;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        more = 2;
        low = lead == 0xE0 ? 0xA0 : low;
        high = lead == 0xED ? 0x9F : high;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        more = 3;
        low = lead == 0xF0 ? 0x90 : low;
        high = lead == 0xF4 ? 0x8F : high;
    } else {
        return {1, false};
    }
    for (std::size_t byte = 1; byte <= more; ++byte) {
        if (byte >= left || at[byte] < low || at[byte] > high) {
            return {byte, false};
        }
        low = 0x80;
        high = 0xBF;
    }
    return {more + 1, true};
}

std::size_t ascii_prefix(const std::uint8_t* at, std::size_t left) {
    std::size_t count = 0;
    for (std::uint64_t word = 0; left - count >= sizeof word; count += sizeof word) {
        std::memcpy(&word, at + count, sizeof word);
        if ((word & 0x8080808080808080U) != 0) {
            break;
        }
    }
    while (count < left && at[count] < 0x80) {
        ++count;
    }
    return count;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
    const auto* at = reinterpret_cast<const std::uint8_t*>(bytes.data());
    std::size_t left = bytes.size();
    while (left > 0) {
        std::size_t step = ascii_prefix(at, left);
        if (step == 0) {
            const Sequence sequence = sequence_at(at, left);
            if (!sequence.is_valid) {
                return false;
            }
            step = sequence.bytes;
        }
        at += step;
        left -= step;
    }
    return true;
}

std::string repair_utf8(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size() + 8);
    const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    for (std::size_t at = 0; at < bytes.size();) {
        const Sequence sequence = sequence_at(data + at, bytes.size() - at);
        if (sequence.is_valid) {
            out.append(bytes.substr(at, sequence.bytes));
        } else {
            out += "\xEF\xBF\xBD";
        }
        at += sequence.bytes;
    }
    return out;
}

}  // namespace npuwh

// Stream and task of a device record, which share the bits of two words (cann-files.md 5.1, chip v4.1).
#pragma once

#include <cstdint>

namespace npuwh::prof {

struct DeviceIds {
    std::uint16_t stream;
    std::uint16_t task;
};

constexpr std::uint16_t kEventRecordSqe = 4;
constexpr std::uint16_t kPlaceHolderSqe = 3;
constexpr std::uint16_t kNoSqe = 0xFFFF;  // the record does not say

// `is_expanded`: expand_stream_spec has status 1.
constexpr DeviceIds device_ids(std::uint16_t stream, std::uint16_t task, bool is_expanded, std::uint16_t sqe_type = kNoSqe) {
    const auto word = [](int bits) { return static_cast<std::uint16_t>(bits); };
    if (is_expanded) {
        if (sqe_type == kPlaceHolderSqe || sqe_type == kEventRecordSqe || (stream & 0x8000) == 0) {
            return {word(stream & 0x7FFF), task};
        }
        return {word(task & 0x7FFF), word((task & 0x8000) | (stream & 0x7FFF))};
    }
    if ((stream & 0x1000) != 0) {
        return {word(stream % 2048), word((task & 0x1FFF) | (stream & 0xE000))};
    }
    if ((stream & 0x2000) != 0) {
        return {word((task & 0x0FFF) % 2048), word((stream & 0x0FFF) | (task & 0xF000))};
    }
    return {word(stream % 2048), task};
}

}  // namespace npuwh::prof

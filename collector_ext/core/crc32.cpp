#include "core/crc32.hpp"

#include <array>
#include <cstring>

namespace npuwh::core {

namespace {

// "Slicing by 16" (Kounavis and Berry): table n has what a byte does to the sum n bytes later, so that 16 bytes are
// looked up beside each other instead of one after the other.
constexpr size_t kSlices = 16;
using Tables = std::array<std::array<uint32_t, 256>, kSlices>;

constexpr Tables make_tables() {
    Tables tables{};
    for (uint32_t byte = 0; byte < 256; ++byte) {
        uint32_t sum = byte;
        for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xEDB88320u : 0u);
        tables[0][byte] = sum;
    }
    for (size_t slice = 1; slice < kSlices; ++slice) {
        for (size_t byte = 0; byte < 256; ++byte) {
            const uint32_t before = tables[slice - 1][byte];
            tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xFF];
        }
    }
    return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

uint32_t crc32(const void* bytes, size_t size) noexcept {
    const auto* at = static_cast<const unsigned char*>(bytes);
    uint32_t sum = 0xFFFFFFFFu;
    for (; size >= kSlices; size -= kSlices, at += kSlices) {
        std::array<uint32_t, kSlices / 4> words;
        std::memcpy(words.data(), at, kSlices);  // little-endian machines only
        words[0] ^= sum;
        sum = 0;
        for (size_t word = 0; word < words.size(); ++word) {
            const size_t last = kSlices - 1 - 4 * word;
            sum ^= kTables[last][words[word] & 0xFF] ^ kTables[last - 1][words[word] >> 8 & 0xFF] ^
                   kTables[last - 2][words[word] >> 16 & 0xFF] ^ kTables[last - 3][words[word] >> 24];
        }
    }
    for (; size != 0; --size, ++at) sum = (sum >> 8) ^ kTables[0][(sum ^ *at) & 0xFF];
    return ~sum;
}

}  // namespace npuwh::core

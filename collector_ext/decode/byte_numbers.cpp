#include "decode/byte_numbers.hpp"

#include <cstring>
#include <random>

namespace npuwh {
namespace {

// Drawn once a process: a crafted file cannot aim at one chain of the table.
std::uint64_t seed() {
    static const std::uint64_t value = [] {
        std::random_device device;
        return (std::uint64_t{device()} << 32) | device();
    }();
    return value;
}

std::uint64_t word(const char* at) {
    std::uint64_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
}

// Both halves of a 128-bit product: every bit of either factor reaches every bit of the result.
std::uint64_t mix(std::uint64_t left, std::uint64_t right) {
    const unsigned __int128 product = static_cast<unsigned __int128>(left) * right;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

constexpr std::uint64_t kOdd1 = 0x9E3779B97F4A7C15U;
constexpr std::uint64_t kOdd2 = 0xD6E8FEB86659FD93U;
constexpr std::uint64_t kOdd3 = 0xA0761D6478BD642FU;

}  // namespace

std::uint64_t ByteNumbers::hash_of(std::string_view bytes) const {
    static const std::uint64_t start = seed();
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    std::uint64_t hash = start ^ mix(left ^ kOdd1, kOdd2);
    for (; left > 16; at += 16, left -= 16) {
        hash = mix(word(at) ^ kOdd1, word(at + 8) ^ hash);
    }
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
    if (left >= 8) {
        head = word(at);
        tail = word(at + left - 8);
    } else if (left > 0) {
        std::memcpy(&head, at, left);
    }
    return mix(mix(head ^ kOdd2, tail ^ hash), kOdd3 ^ hash);
}

void ByteNumbers::add(std::string_view bytes, std::int64_t number) {
    if (bytes.size() > kLongest) {
        return;
    }
    if (entries_ >= limits_.entries || bytes_ + bytes.size() > limits_.bytes) {
        forget();
    }
    if (entries_ + 1 > slots_.size() / 4 * 3) {
        grow();
    }
    std::size_t slot = last_hash_ & mask();
    while (slots_[slot].data != nullptr) {
        slot = (slot + 1) & mask();
    }
    slots_[slot] = {last_hash_, keep(bytes), bytes.size(), number};
    ++entries_;
    bytes_ += bytes.size();
}

void ByteNumbers::forget() {
    slots_.assign(kFirstSlots, Entry{});
    slots_.shrink_to_fit();
    chunks_.clear();
    chunk_used_ = kChunk;
    entries_ = 0;
    bytes_ = 0;
}

void ByteNumbers::grow() {
    std::vector<Entry> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Entry& entry : old) {
        if (entry.data != nullptr) {
            std::size_t slot = entry.hash & mask();
            while (slots_[slot].data != nullptr) {
                slot = (slot + 1) & mask();
            }
            slots_[slot] = entry;
        }
    }
}

const char* ByteNumbers::keep(std::string_view bytes) {
    if (chunk_used_ + bytes.size() > kChunk || chunks_.empty()) {
        chunks_.emplace_back(new char[kChunk]);
        chunk_used_ = 0;
    }
    char* const to = chunks_.back().get() + chunk_used_;
    if (!bytes.empty()) {
        std::memcpy(to, bytes.data(), bytes.size());
    }
    chunk_used_ += bytes.size();
    return to;
}

}  // namespace npuwh

#include "sqlite_file/string_ids.hpp"

#include <cstring>
#include <random>

namespace npuwh::sqlite_file {
namespace {

constexpr std::size_t kFewestSlots = 1024;

std::uint64_t random_word() {
    std::random_device source;
    return std::uint64_t{source()} << 32 | source();
}

std::uint64_t rotated(std::uint64_t word, unsigned bits) { return word << bits | word >> (64 - bits); }

struct SipState {
    std::uint64_t v0, v1, v2, v3;

    void round() {
        v0 += v1;
        v1 = rotated(v1, 13) ^ v0;
        v0 = rotated(v0, 32);
        v2 += v3;
        v3 = rotated(v3, 16) ^ v2;
        v0 += v3;
        v3 = rotated(v3, 21) ^ v0;
        v2 += v1;
        v1 = rotated(v1, 17) ^ v2;
        v2 = rotated(v2, 32);
    }

    void take(std::uint64_t word) {
        v3 ^= word;
        round();
        v0 ^= word;
    }

    std::uint64_t result() {
        for (int number = 0; number < 3; ++number) {
            round();
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }
};

}  // namespace

std::pair<std::uint64_t, std::uint64_t> sip_hash(std::uint64_t key, std::uint64_t other_key, const std::uint8_t* bytes,
                                                 std::size_t size) {
    SipState state{key ^ 0x736f6d6570736575, other_key ^ 0x646f72616e646f6d ^ 0xee, key ^ 0x6c7967656e657261,
                   other_key ^ 0x7465646279746573};
    std::uint64_t word = 0;
    std::size_t place = 0;
    for (; place + sizeof word <= size; place += sizeof word) {
        std::memcpy(&word, bytes + place, sizeof word);  // little-endian, as the algorithm defines it
        state.take(word);
    }
    word = 0;
    if (place < size) {
        std::memcpy(&word, bytes + place, size - place);
    }
    state.take(word | std::uint64_t{size} << 56);
    state.v2 ^= 0xee;
    const std::uint64_t first = state.result();
    state.v1 ^= 0xdd;
    return {first, state.result()};
}

StringIds::StringIds() : StringIds(random_word(), random_word()) {}
StringIds::StringIds(std::uint64_t key, std::uint64_t other_key) : key_(key), other_key_(other_key), slots_(kFewestSlots) {}

// That of the hash, or the free one for it.
StringIds::Slot& StringIds::slot_of(std::uint64_t hash, std::uint64_t other) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = hash & mask;
    while (slots_[place].id != 0 && (slots_[place].hash != hash || slots_[place].other != other)) {
        place = (place + 1) & mask;
    }
    return slots_[place];
}

void StringIds::take(Slot& slot, const Slot& value) {
    slot = value;
    if (++used_ * 3 > slots_.size() * 2) {
        grow(slots_.size() * 2);
    }
}

std::pair<std::int64_t, bool> StringIds::id(const std::uint8_t* bytes, std::size_t size) {
    const auto [hash, other] = sip_hash(key_, other_key_, bytes, size);
    Slot& slot = slot_of(hash, other);
    if (slot.id != 0) {
        return {slot.id, false};
    }
    take(slot, {hash, other, ++last_});
    return {last_, true};
}

void StringIds::remember(const std::uint8_t* bytes, std::size_t size, std::int64_t id) {
    const auto [hash, other] = sip_hash(key_, other_key_, bytes, size);
    Slot& slot = slot_of(hash, other);
    if (slot.id == 0) {
        last_ = last_ > id ? last_ : id;
        take(slot, {hash, other, id});
    }
}

void StringIds::rewind(std::int64_t last) {
    last_ = last;
    grow(slots_.size());
}

// Moves what is not forgotten to a table of that many slots.
void StringIds::grow(std::size_t slots) {
    const std::vector<Slot> before = std::move(slots_);
    slots_ = std::vector<Slot>(slots);
    used_ = 0;
    for (const Slot& slot : before) {
        if (slot.id != 0 && slot.id <= last_) {
            put(slot);
        }
    }
}

void StringIds::put(const Slot& slot) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = slot.hash & mask;
    while (slots_[place].id != 0) {
        place = (place + 1) & mask;
    }
    slots_[place] = slot;
    ++used_;
}

}  // namespace npuwh::sqlite_file

// Numbers of strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace npuwh::sqlite_file {

// Knows strings by 128 bits of SipHash-1-3 under a random key and holds 24 bytes for each, not its text.  That two of a billion
// strings share their bits has a chance below 1 in 10^20, whoever chose them.
class StringIds {
public:
    StringIds();
    StringIds(std::uint64_t key, std::uint64_t other_key);

    // The number of the string, and whether it is new: then it has the number after the largest.
    std::pair<std::int64_t, bool> id(const std::uint8_t* bytes, std::size_t size);

    // Gives the string a number, unless it has one.
    void remember(const std::uint8_t* bytes, std::size_t size, std::int64_t id);

    std::int64_t last() const { return last_; }
    std::size_t memory() const { return slots_.size() * sizeof(Slot); }

    // Forgets strings with larger numbers.
    void rewind(std::int64_t last);

private:
    struct Slot {
        std::uint64_t hash = 0;
        std::uint64_t other = 0;
        std::int64_t id = 0;  // 0: free
    };

    Slot& slot_of(std::uint64_t hash, std::uint64_t other);
    void take(Slot& slot, const Slot& value);
    void put(const Slot& slot);
    void grow(std::size_t slots);

    std::uint64_t key_;
    std::uint64_t other_key_;
    std::vector<Slot> slots_;
    std::size_t used_ = 0;
    std::int64_t last_ = 0;
};

// 128 bits of SipHash-1-3 (Aumasson, Bernstein; the variant that Python hashes its own strings with).
std::pair<std::uint64_t, std::uint64_t> sip_hash(std::uint64_t key, std::uint64_t other_key, const std::uint8_t* bytes, std::size_t size);

}  // namespace npuwh::sqlite_file

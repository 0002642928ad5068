// Numbers for strings of bytes: a hash table that forgets everything rather than grow without bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace npuwh {

class ByteNumbers {
public:
    struct Limits {
        std::size_t entries = std::size_t{1} << 18;
        std::size_t bytes = std::size_t{24} << 20;
    };
    struct Entry {
        std::uint64_t hash = 0;
        const char* data = nullptr;  // null: free
        std::size_t size = 0;
        std::int64_t number = 0;  // the caller's; low bit and all are his
    };

    explicit ByteNumbers(Limits limits) : limits_(limits), slots_(kFirstSlots) {}

    // The entry of these bytes, or null.  Valid until the next call of `add`.
    const Entry* find(std::string_view bytes) {
        last_hash_ = hash_of(bytes);
        for (std::size_t slot = last_hash_ & mask();; slot = (slot + 1) & mask()) {
            const Entry& entry = slots_[slot];
            if (entry.data == nullptr) {
                return nullptr;
            }
            if (entry.hash == last_hash_ && std::string_view(entry.data, entry.size) == bytes) {
                return &entry;
            }
        }
    }

    // Remembers the bytes, which the last call of `find` did not find.  When a limit is reached, all others are forgotten; bytes too
    // long to be worth remembering are not.
    void add(std::string_view bytes, std::int64_t number);

    std::size_t entries() const { return entries_; }
    std::size_t bytes() const { return bytes_; }

private:
    static constexpr std::size_t kFirstSlots = 1024;
    static constexpr std::size_t kChunk = std::size_t{256} << 10;
    static constexpr std::size_t kLongest = std::size_t{64} << 10;

    std::size_t mask() const { return slots_.size() - 1; }
    std::uint64_t hash_of(std::string_view bytes) const;
    void forget();
    void grow();
    const char* keep(std::string_view bytes);

    Limits limits_;
    std::vector<Entry> slots_;  // a power of two, at most three quarters in use
    std::size_t entries_ = 0;
    std::size_t bytes_ = 0;
    std::uint64_t last_hash_ = 0;
    std::vector<std::unique_ptr<char[]>> chunks_;
    std::size_t chunk_used_ = kChunk;
};

}  // namespace npuwh

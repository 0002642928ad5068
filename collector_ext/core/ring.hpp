// A bounded queue of bytes between one producer thread and the dumper: records of any length, each whole or not at all.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace npuwh::core {

// Every record begins with this; `size` counts all its bytes, header and payload, a multiple of 8.
struct RecordHeader {
    uint32_t size;
    uint16_t kind;
    uint16_t depth;  // open records of its kind around it on its thread
};
static_assert(sizeof(RecordHeader) == 8);

constexpr uint16_t kPaddingKind = 0xFFFF;  // fills the end of the ring where a record does not fit

// What a full ring lost, until the next record that fits; ticks of the first and the last lost record.
struct Loss {
    int64_t first = 0;
    int64_t last = 0;
    uint64_t count = 0;
};

// Capacity is a power of two.  Producer: reserve, fill, publish.  Consumer: peek, release.  Neither ever waits.
class Ring {
   public:
    explicit Ring(size_t capacity_bytes) : mask_(capacity_bytes - 1) {
        // pages are touched as they are used, so that a quiet thread costs nothing
        void* memory =
            mmap(nullptr, capacity_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        bytes_ = static_cast<std::byte*>(memory);
    }
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring() { munmap(bytes_, mask_ + 1); }

    size_t capacity() const noexcept { return mask_ + 1; }

    // Room for `size` bytes (a multiple of 8) in one piece, or nullptr if the ring is full.
    std::byte* reserve(uint32_t size) noexcept {
        uint64_t at = written_.load(std::memory_order_relaxed);
        const uint64_t to_end = capacity() - (at & mask_);
        const uint64_t needed = size <= to_end ? size : to_end + size;
        if (__builtin_expect(at + needed - known_read_ > capacity(), 0)) {
            known_read_ = read_.load(std::memory_order_acquire);
            if (at + needed - known_read_ > capacity()) return nullptr;
        }
        if (__builtin_expect(size > to_end, 0)) {
            const RecordHeader padding{static_cast<uint32_t>(to_end), kPaddingKind, 0};
            std::memcpy(bytes_ + (at & mask_), &padding, sizeof padding);
            at += to_end;
            written_.store(at, std::memory_order_release);
        }
        return bytes_ + (at & mask_);
    }

    // Make what was reserved last visible to the consumer.
    void publish(uint32_t size) noexcept {
        written_.store(written_.load(std::memory_order_relaxed) + size, std::memory_order_release);
    }

    // The bytes that are ready, up to the end of the ring, in whole records.
    struct Span {
        const std::byte* data;
        size_t size;
    };
    Span peek() const noexcept {
        const uint64_t from = read_.load(std::memory_order_relaxed);
        const uint64_t ready = written_.load(std::memory_order_acquire) - from;
        const uint64_t to_end = capacity() - (from & mask_);
        return {bytes_ + (from & mask_), static_cast<size_t>(ready < to_end ? ready : to_end)};
    }

    void release(size_t size) noexcept {
        read_.store(read_.load(std::memory_order_relaxed) + size, std::memory_order_release);
    }

    // Consumer: has the system give the pages that the producer comes to next, which costs it more than a record does.
    // Where the system cannot, the producer meets them itself.
    void make_room() noexcept {
#if defined(MADV_POPULATE_WRITE)
        if (touched_ == capacity()) return;
        const uint64_t written = written_.load(std::memory_order_relaxed);
        const uint64_t wanted = std::min<uint64_t>(written + std::min<uint64_t>(written, kMostAhead), capacity());
        if (touched_ >= wanted) return;  // a quiet thread has no more pages than it fills
        const size_t whole = std::min((static_cast<size_t>(wanted) + kPages - 1) & ~(kPages - 1), capacity());
        touched_ = madvise(bytes_ + touched_, whole - touched_, MADV_POPULATE_WRITE) == 0 ? whole : capacity();
#endif
    }

    // Bytes that wait; for monitors, so approximate while both sides work.
    size_t waiting() const noexcept {
        const uint64_t read = read_.load(std::memory_order_relaxed);
        return static_cast<size_t>(written_.load(std::memory_order_relaxed) - read);
    }

   private:
    static constexpr size_t kMostAhead = size_t{256} << 10;  // ms of a busy thread
    static constexpr size_t kPages = size_t{64} << 10;  // at once; a multiple of every page size

    std::byte* bytes_;
    const uint64_t mask_;
    // the two sides' words lie in cache lines of their own
    alignas(64) std::atomic<uint64_t> written_{0};
    uint64_t known_read_ = 0;  // the producer's last look at `read_`
    alignas(64) std::atomic<uint64_t> read_{0};
    size_t touched_ = 0;  // the consumer's: bytes from the ring's begin that have their pages
};

}  // namespace npuwh::core

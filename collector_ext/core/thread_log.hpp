// What one thread records into: its rings, its open depth, and the names it has met.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/records.hpp"
#include "core/ring.hpp"
#include "core/ticks.hpp"

namespace npuwh::core {

struct ThreadFacts {
    uint32_t number;  // from 1, in the order threads met the recording
    int64_t pid;
    int64_t tid;
    std::string name;
};

// Only its own thread writes it (the rings' consumer side is the dumper's); the counters are read by monitors.
class ThreadLog {
   public:
    ThreadLog(ThreadFacts about, size_t ring_bytes) : facts(std::move(about)), events(ring_bytes), frames(ring_bytes) {}

    const ThreadFacts facts;

    Ring events;
    Ring frames;
    uint16_t op_depth = 0;
    uint32_t frame_depth = 0;

    std::atomic<bool> has_ended{false};  // the thread is gone: what waits is all there will be
    std::atomic<uint64_t> lost_events{0};
    std::atomic<uint64_t> lost_frames{0};
    bool is_listed = false;  // the dumper's: the thread stands in a chunk

    // Room for a record with `payload` bytes behind it; nullptr if the ring is full, which is counted.  The header is
    // filled in.  A loss is told of by a gap record before the next record that fits.
    template <typename Record>
    Record* begin(Kind kind, uint32_t payload, int64_t time) noexcept {
        if (__builtin_expect(event_loss_.count != 0, 0) && !tell_loss(event_loss_, 0)) {
            note(event_loss_, lost_events, time);
            return nullptr;
        }
        const uint32_t size = static_cast<uint32_t>(sizeof(Record)) + ((payload + 7u) & ~7u);
        std::byte* room = events.reserve(size);
        if (__builtin_expect(room == nullptr, 0)) {
            note(event_loss_, lost_events, time);
            return nullptr;
        }
        auto* record = reinterpret_cast<Record*>(room);
        record->header = {size, static_cast<uint16_t>(kind), 0};
        return record;
    }

    template <typename Record>
    void finish(const Record* record) noexcept {
        events.publish(record->header.size);
    }

    // A finished range with `shape_size` and `tensor_size` bytes of what its inputs were; of its header the depth counts.
    // False if the ring is full.
    bool op(const OpRecord& op, const void* shapes = nullptr, const void* tensors = nullptr) noexcept {
        const bool has_more = (op.forward_thread | op.stack | op.module | op.shape_size | op.tensor_size) != 0;
        if (__builtin_expect(!has_more && op.start_thread == facts.number && fits_plain(op), 1)) {
            auto* record = begin<PlainOpRecord>(Kind::kPlainOp, 0, op.end);
            if (__builtin_expect(record == nullptr, 0)) return false;
            record->header.depth = op.header.depth;
            record->start = op.start;
            record->duration = static_cast<uint32_t>(op.end - op.start);
            record->name = op.name;
            record->sequence = static_cast<int32_t>(op.sequence);
            record->scope = op.scope;
            record->is_async = op.is_async;
            record->flags = 0;
            finish(record);
            return true;
        }
        return whole_op(op, shapes, tensors);
    }

    // `depth` is that of the frame, 0 the outermost.
    void frame(int64_t time, uint32_t code, FrameEvent event, uint32_t depth) noexcept {
        const bool is_taken = __builtin_expect(frame_loss_.count == 0, 1) || end_frame_loss(time, event, depth);
        if (__builtin_expect(is_taken && push_frame(time, code, event, depth), 1)) return;
        if (frame_loss_.count == 0) stayed_open_ = depth;
        stayed_open_ = std::min(stayed_open_, depth);
        note(frame_loss_, lost_frames, time);
    }

    // At the end of the thread or of the recording: a loss that no later record told of.
    void tell_losses() noexcept {
        if (event_loss_.count != 0) tell_loss(event_loss_, 0);
        if (frame_loss_.count == 0) return;
        push_frame(frame_loss_.last, stayed_open_, FrameEvent::kLossEnd, stayed_open_);
        tell_loss(frame_loss_, 1);
    }

   private:
    __attribute__((noinline)) bool whole_op(const OpRecord& op, const void* shapes, const void* tensors) noexcept {
        auto* record = begin<OpRecord>(Kind::kOp, uint32_t{op.shape_size} + op.tensor_size, op.end);
        if (record == nullptr) return false;
        const RecordHeader header{record->header.size, record->header.kind, op.header.depth};
        *record = op;
        record->header = header;
        auto* payload = reinterpret_cast<std::byte*>(record + 1);
        if (op.shape_size != 0) std::memcpy(payload, shapes, op.shape_size);
        if (op.tensor_size != 0) std::memcpy(payload + op.shape_size, tensors, op.tensor_size);
        finish(record);
        return true;
    }

    bool push_frame(int64_t time, uint32_t code, FrameEvent event, uint32_t depth) noexcept {
        std::byte* room = frames.reserve(sizeof(FrameRecord));
        if (__builtin_expect(room == nullptr, 0)) return false;
        const FrameRecord record{time, code, depth << 8 | static_cast<uint32_t>(event)};
        std::memcpy(room, &record, sizeof record);
        frames.publish(sizeof record);
        return true;
    }

    // Before the first frame that may fit again.
    bool end_frame_loss(int64_t time, FrameEvent event, uint32_t depth) noexcept {
        const bool is_return = event == FrameEvent::kReturn || event == FrameEvent::kCReturn;
        if (frames.capacity() - frames.waiting() < 2 * sizeof(FrameRecord) || !tell_loss(frame_loss_, 1)) return false;
        return push_frame(time, stayed_open_, FrameEvent::kLossEnd, depth + is_return);
    }

    static void note(Loss& loss, std::atomic<uint64_t>& total, int64_t time) noexcept {
        if (loss.count == 0) loss.first = time;
        loss.last = time;
        ++loss.count;
        total.store(total.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    bool tell_loss(Loss& loss, uint32_t ring) noexcept {
        std::byte* room = events.reserve(sizeof(GapRecord));
        if (room == nullptr) return false;
        const GapRecord record{{sizeof(GapRecord), static_cast<uint16_t>(Kind::kGap), 0},
                               loss.first,
                               loss.last,
                               static_cast<int64_t>(loss.count),
                               ring,
                               0};
        std::memcpy(room, &record, sizeof record);
        events.publish(sizeof record);
        loss = {};
        return true;
    }

    Loss event_loss_;
    Loss frame_loss_;
    uint32_t stayed_open_ = 0;  // calls that were open all through the loss
};

// Numbers of texts that a thread has met, found without a lock; a text it meets for the first time costs one.
class NameCache {
   public:
    // `number_of` is asked for texts that are new to this thread.
    template <typename NumberOf>
    __attribute__((noinline)) uint32_t number(std::string_view text, NumberOf&& number_of) {
        const uint64_t hash = hash_of(text);
        for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
            const Entry& entry = entries_[at];
            if (entry.text == nullptr) break;
            if (entry.hash == hash && entry.text->size() == text.size() &&
                std::memcmp(entry.text->data(), text.data(), text.size()) == 0) {
                last_ = entry.text;
                return entry.number;
            }
        }
        const uint32_t found = number_of(text);
        insert(hash, text, found);
        return found;
    }

    // The same for a text that ends with a zero and mostly lies where it lay before: looked at once, not hashed.
    template <typename NumberOf>
    uint32_t number_at(const char* text, NumberOf&& number_of) {
        const auto address = reinterpret_cast<uintptr_t>(text);
        Place& place = places_[(address ^ address >> 8 ^ address >> 16) % kPlaces];
        if (place.at == text && std::strcmp(place.text->c_str(), text) == 0) return place.number;
        const std::string_view whole(text);
        const uint32_t found = number(whole, number_of);
        place = {text, last_, found};
        return found;
    }

    void clear() {
        places_.fill({});
        entries_.assign(kFirstSize, {});
        texts_.clear();
        mask_ = kFirstSize - 1;
    }

   private:
    static constexpr size_t kFirstSize = 256;
    static constexpr size_t kPlaces = 512;
    struct Place {
        const char* at = nullptr;
        const std::string* text = nullptr;
        uint32_t number = 0;
    };
    struct Entry {
        uint64_t hash = 0;
        const std::string* text = nullptr;
        uint32_t number = 0;
    };

    static uint64_t hash_of(std::string_view text) noexcept {
        // multiply-mix over words: the texts are our own process's, so nobody is out to make them collide
        uint64_t hash = 0x9E3779B97F4A7C15u ^ text.size();
        const char* data = text.data();
        size_t left = text.size();
        for (; left >= 8; left -= 8, data += 8) {
            uint64_t word;
            std::memcpy(&word, data, 8);
            hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
            hash ^= hash >> 32;
        }
        uint64_t word = 0;
        std::memcpy(&word, data, left);
        hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
        return hash ^ (hash >> 32);
    }

    void insert(uint64_t hash, std::string_view text, uint32_t number) {
        if ((texts_.size() + 1) * 2 > entries_.size()) grow();
        texts_.push_back(std::make_unique<std::string>(text));
        last_ = texts_.back().get();
        place({hash, texts_.back().get(), number});
    }

    void place(const Entry& entry) {
        size_t at = entry.hash & mask_;
        while (entries_[at].text != nullptr) at = (at + 1) & mask_;
        entries_[at] = entry;
    }

    void grow() {
        std::vector<Entry> old(entries_.size() * 2);
        old.swap(entries_);
        mask_ = entries_.size() - 1;
        for (const Entry& entry : old) {
            if (entry.text != nullptr) place(entry);
        }
    }

    std::array<Place, kPlaces> places_{};
    const std::string* last_ = nullptr;  // our copy of the text that was found last
    std::vector<Entry> entries_ = std::vector<Entry>(kFirstSize);
    std::vector<std::unique_ptr<std::string>> texts_;
    size_t mask_ = kFirstSize - 1;
};

}  // namespace npuwh::core

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "check.hpp"
#include "core/ring.hpp"
#include "core/thread_log.hpp"

using namespace npuwh::core;

namespace {

constexpr size_t kCapacity = 4096;

bool put(Ring& ring, uint32_t size, uint16_t kind) {
    std::byte* room = ring.reserve(size);
    if (room == nullptr) return false;
    const RecordHeader header{size, kind, 0};
    std::memcpy(room, &header, sizeof header);
    std::memset(room + sizeof header, kind & 0xFF, size - sizeof header);
    ring.publish(size);
    return true;
}

// Kinds of the records that wait, and whether each is whole.
std::vector<int> take_all(Ring& ring) {
    std::vector<int> kinds;
    for (Ring::Span span = ring.peek(); span.size != 0; span = ring.peek()) {
        for (size_t at = 0; at < span.size;) {
            RecordHeader header;
            std::memcpy(&header, span.data + at, sizeof header);
            if (header.kind != kPaddingKind) {
                for (size_t each = sizeof header; each < header.size; ++each) {
                    CHECK(span.data[at + each] == static_cast<std::byte>(header.kind & 0xFF));
                }
                kinds.push_back(header.kind);
            }
            at += header.size;
        }
        ring.release(span.size);
    }
    return kinds;
}

}  // namespace

TEST(records_that_meet_the_end_of_the_ring_stay_whole) {
    Ring ring(kCapacity);
    int next = 1;
    int expected = 1;
    for (int round = 0; round < 500; ++round) {
        const auto size = static_cast<uint32_t>(16 + 8 * (round % 37));
        while (put(ring, size, static_cast<uint16_t>(next))) ++next;
        for (const int kind : take_all(ring)) CHECK_EQUAL(kind, expected++);
    }
    CHECK_EQUAL(next, expected);
    CHECK(next > 5000);
}

TEST(a_full_ring_takes_nothing_and_what_it_has_stays) {
    Ring ring(kCapacity);
    int count = 0;
    while (put(ring, 64, 7)) ++count;
    CHECK_EQUAL(count, static_cast<int>(kCapacity / 64));
    CHECK(!put(ring, 8, 9));
    CHECK_EQUAL(take_all(ring), std::vector<int>(static_cast<size_t>(count), 7));
    CHECK(put(ring, 64, 9));
}

TEST(a_loss_is_told_before_the_next_record) {
    ThreadLog log({1, 2, 3, "t"}, kCapacity);
    int64_t time = 0;
    while (auto* record = log.begin<GcRecord>(Kind::kGc, 0, ++time)) log.finish(record);
    const int64_t first_lost = time;
    for (int more = 0; more < 4; ++more) CHECK(log.begin<GcRecord>(Kind::kGc, 0, ++time) == nullptr);
    CHECK_EQUAL(log.lost_events.load(), uint64_t{5});
    log.events.release(log.events.peek().size);
    auto* record = log.begin<GcRecord>(Kind::kGc, 0, ++time);
    CHECK(record != nullptr);
    log.finish(record);
    const Ring::Span span = log.events.peek();
    GapRecord gap;
    std::memcpy(&gap, span.data, sizeof gap);
    CHECK_EQUAL(gap.header.kind, static_cast<uint16_t>(Kind::kGap));
    CHECK_EQUAL(gap.count, int64_t{5});
    CHECK_EQUAL(gap.first, first_lost);
    CHECK_EQUAL(gap.last, first_lost + 4);
    CHECK_EQUAL(span.size, sizeof(GapRecord) + sizeof(GcRecord));
}

namespace {

std::vector<FrameRecord> frames_of(ThreadLog& log) {
    std::vector<FrameRecord> found;
    for (Ring::Span span = log.frames.peek(); span.size != 0; span = log.frames.peek()) {
        for (size_t at = 0; at < span.size; at += sizeof(FrameRecord)) {
            std::memcpy(&found.emplace_back(), span.data + at, sizeof(FrameRecord));
        }
        log.frames.release(span.size);
    }
    return found;
}

FrameEvent event_of(const FrameRecord& record) { return static_cast<FrameEvent>(record.depth_and_event & 0xFF); }
uint32_t depth_of(const FrameRecord& record) { return record.depth_and_event >> 8; }

// Fills the ring with calls; returns how many are open.
uint32_t fill(ThreadLog& log) {
    uint32_t depth = 0;
    for (; log.lost_frames == 0; ++depth) log.frame(depth, 7, FrameEvent::kCall, depth);
    return depth;
}

}  // namespace

TEST(behind_a_loss_of_frames_it_is_told_what_stayed_open) {
    ThreadLog log({1, 2, 3, "t"}, kCapacity);
    uint32_t depth = fill(log);  // the last call is lost: it is open, but nobody is told
    constexpr uint32_t kReturns = 5;
    constexpr uint32_t kCalls = 3;
    for (uint32_t each = 0; each < kReturns; ++each) log.frame(1000 + each, 0, FrameEvent::kReturn, --depth);
    const uint32_t stayed_open = depth;
    for (uint32_t each = 0; each < kCalls; ++each) log.frame(2000 + each, 8, FrameEvent::kCall, depth++);
    CHECK_EQUAL(log.lost_frames.load(), uint64_t{1 + kReturns + kCalls});
    CHECK_EQUAL(frames_of(log).size(), kCapacity / sizeof(FrameRecord));
    log.frame(3000, 9, FrameEvent::kCCall, depth);
    const auto found = frames_of(log);
    CHECK_EQUAL(found.size(), size_t{2});
    CHECK(event_of(found[0]) == FrameEvent::kLossEnd);
    CHECK_EQUAL(found[0].code, stayed_open);
    CHECK_EQUAL(depth_of(found[0]), depth);
    CHECK_EQUAL(found[0].time, int64_t{3000});
    CHECK(event_of(found[1]) == FrameEvent::kCCall);
    CHECK_EQUAL(depth_of(found[1]), depth);
    GapRecord gap;
    CHECK_EQUAL(log.events.peek().size, sizeof gap);
    std::memcpy(&gap, log.events.peek().data, sizeof gap);
    CHECK_EQUAL(gap.ring, 1u);
    CHECK_EQUAL(gap.count, int64_t{1 + kReturns + kCalls});
    CHECK_EQUAL(gap.last, int64_t{2002});
}

TEST(behind_a_loss_a_return_tells_of_the_call_it_ends) {
    ThreadLog log({1, 2, 3, "t"}, kCapacity);
    uint32_t depth = fill(log);
    frames_of(log);
    log.frame(3000, 0, FrameEvent::kReturn, --depth);  // of the call that was lost
    const auto found = frames_of(log);
    CHECK_EQUAL(found.size(), size_t{2});
    CHECK(event_of(found[0]) == FrameEvent::kLossEnd);
    CHECK_EQUAL(found[0].code, depth);  // those around the lost call
    CHECK_EQUAL(depth_of(found[0]), depth + 1);  // and it, which returns now
    CHECK(event_of(found[1]) == FrameEvent::kReturn);
}

TEST(a_loss_that_goes_on_at_the_end_is_told_then) {
    ThreadLog log({1, 2, 3, "t"}, kCapacity);
    fill(log);
    log.tell_losses();  // no room among the frames, but the events have it
    CHECK_EQUAL(frames_of(log).size(), kCapacity / sizeof(FrameRecord));
    CHECK_EQUAL(log.events.peek().size, sizeof(GapRecord));
    log.tell_losses();  // told once
    CHECK_EQUAL(log.events.peek().size, sizeof(GapRecord));
    CHECK(frames_of(log).empty());

    ThreadLog other({1, 2, 3, "t"}, kCapacity);
    const uint32_t depth = fill(other);
    frames_of(other);
    other.tell_losses();
    const auto found = frames_of(other);
    CHECK_EQUAL(found.size(), size_t{1});
    CHECK(event_of(found[0]) == FrameEvent::kLossEnd);
    CHECK_EQUAL(found[0].code, depth - 1);
}

TEST(pages_are_there_before_the_producer_and_hold_what_it_wrote) {
    constexpr size_t kLarge = size_t{1} << 20;
    Ring ring(kLarge);
    ring.make_room();  // nothing was written, so nothing is wanted
    int next = 1;
    int expected = 1;
    for (int round = 0; round < 400; ++round) {
        for (int each = 0; each < 60; ++each) {
            CHECK(put(ring, 136, static_cast<uint16_t>(next % 60000)));
            ++next;
        }
        ring.make_room();
        for (const int kind : take_all(ring)) CHECK_EQUAL(kind, expected++ % 60000);
    }
    CHECK_EQUAL(next, expected);
}

TEST(a_producer_and_a_consumer_at_once_lose_and_repeat_nothing) {
    Ring ring(kCapacity);
    constexpr int kRecords = 200'000;
    std::thread producer([&] {
        for (int number = 0; number < kRecords; ++number) {
            const auto size = static_cast<uint32_t>(16 + 8 * (number % 11));
            while (!put(ring, size, static_cast<uint16_t>(number % 60000))) std::this_thread::yield();
        }
    });
    int expected = 0;
    while (expected < kRecords) {
        ring.make_room();
        for (const int kind : take_all(ring)) CHECK_EQUAL(kind, expected++ % 60000);
    }
    producer.join();
}

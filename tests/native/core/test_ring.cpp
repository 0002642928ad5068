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
        for (const int kind : take_all(ring)) CHECK_EQUAL(kind, expected++ % 60000);
    }
    producer.join();
}

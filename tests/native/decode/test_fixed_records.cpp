#include <algorithm>

#include "check.hpp"
#include "decode/fixed_records.hpp"
#include "scratch_file.hpp"

using check::Bytes;
using check::ScratchFile;
using npuwh::FixedRecords;
using npuwh::SliceStream;

namespace {

constexpr std::size_t kSize = 8;

// A record: magic 0x5A5A, number, 4 bytes of ones.
bool is_record(const std::uint8_t* bytes) { return bytes[0] == 0x5A && bytes[1] == 0x5A; }

Bytes records(std::uint8_t count, std::uint8_t from = 0) {
    Bytes bytes;
    for (std::uint8_t number = 0; number < count; ++number) {
        for (const int byte : {0x5A, 0x5A, from + number, 0, 1, 1, 1, 1}) {
            bytes.push_back(static_cast<std::uint8_t>(byte));
        }
    }
    return bytes;
}

struct Read {
    std::vector<int> numbers;
    npuwh::Ledger ledger;
};

Read read(const Bytes& bytes, std::size_t window_bytes = 4096) {
    const ScratchFile file(bytes);
    SliceStream stream({file.path()}, window_bytes);
    FixedRecords<bool (*)(const std::uint8_t*)> reader(stream, kSize, is_record);
    Read result;
    while (const std::uint8_t* record = reader.next()) {
        result.numbers.push_back(record[2]);
        stream.accept(kSize);
    }
    result.ledger = stream.ledger();
    CHECK_EQUAL(result.ledger.total().bytes_seen(), bytes.size());
    return result;
}

std::vector<int> numbers(int count, const std::vector<int>& without = {}) {
    std::vector<int> result;
    for (int number = 0; number < count; ++number) {
        if (std::find(without.begin(), without.end(), number) == without.end()) {
            result.push_back(number);
        }
    }
    return result;
}

}  // namespace

TEST(whole_records_are_read) {
    CHECK_EQUAL(read(records(10)).numbers, numbers(10));
    CHECK_EQUAL(read({}).numbers, numbers(0));
}

TEST(a_cut_tail_loses_the_cut_record) {
    for (std::size_t cut = 1; cut < kSize; ++cut) {
        Bytes bytes = records(5);
        bytes.resize(bytes.size() - cut);
        const Read result = read(bytes);
        CHECK_EQUAL(result.numbers, numbers(4));
        CHECK_EQUAL(std::string(result.ledger.faults().at(0).kind->code), "truncated_tail");
    }
}

TEST(a_dropped_front_loses_the_cut_record) {
    for (std::size_t cut = 1; cut < kSize; ++cut) {
        Bytes bytes = records(5);
        bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(cut));
        CHECK_EQUAL(read(bytes).numbers, (std::vector<int>{1, 2, 3, 4}));
    }
}

TEST(a_damaged_record_is_the_only_one_lost) {
    for (int damaged = 0; damaged < 6; ++damaged) {
        Bytes bytes = records(6);
        bytes[static_cast<std::size_t>(damaged) * kSize] = 0;
        const Read result = read(bytes);
        CHECK_EQUAL(result.numbers, numbers(6, {damaged}));
        CHECK_EQUAL(result.ledger.total().bytes_rejected, kSize);
        CHECK_EQUAL(result.ledger.total().records_rejected, 1U);
    }
}

TEST(every_other_record_damaged_loses_every_other) {
    Bytes bytes = records(9);
    for (std::size_t damaged = 0; damaged < 9; damaged += 2) {
        bytes[damaged * kSize + 1] = 0;
    }
    CHECK_EQUAL(read(bytes).numbers, (std::vector<int>{1, 3, 5, 7}));
}

TEST(bytes_lost_in_the_middle_lose_what_they_touch) {
    for (std::size_t lost = 1; lost < kSize; ++lost) {
        Bytes bytes = records(10);
        bytes.erase(bytes.begin() + 41, bytes.begin() + static_cast<std::ptrdiff_t>(41 + lost));
        const std::vector<int> found = read(bytes).numbers;
        for (const int whole : numbers(10, {5, 6})) {
            CHECK(std::count(found.begin(), found.end(), whole) == 1);
        }
    }
}

TEST(a_long_stretch_of_zeros_is_one_fault) {
    Bytes bytes = records(3);
    bytes.resize(bytes.size() + 300001);
    const Bytes more = records(5, 3);
    bytes.insert(bytes.end(), more.begin(), more.end());
    for (const std::size_t window : {std::size_t{4096}, std::size_t{1} << 20}) {
        const Read result = read(bytes, window);
        CHECK_EQUAL(result.numbers, numbers(8));
        CHECK_EQUAL(result.ledger.faults().size(), 1U);
        CHECK_EQUAL(result.ledger.faults()[0].count, 1U);
        CHECK_EQUAL(result.ledger.faults()[0].bytes, 300001U);
        CHECK_EQUAL(result.ledger.faults()[0].first_offset, 3 * kSize);
    }
}

TEST(nothing_but_noise_gives_nothing) {
    check::Random random(3);
    Bytes bytes(200000);
    for (std::uint8_t& byte : bytes) {
        byte = static_cast<std::uint8_t>(random.between(0, 0x50));
    }
    CHECK(read(bytes).numbers.empty());
}

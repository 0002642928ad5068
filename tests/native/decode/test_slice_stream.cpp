#include <unistd.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "check.hpp"
#include "decode/slice_stream.hpp"
#include "scratch_file.hpp"

using check::Bytes;
using check::ScratchFile;
using npuwh::ByteWindow;
using npuwh::SliceStream;

namespace {

constexpr std::size_t kWindow = 4096;

Bytes counting(std::size_t size, std::uint8_t from = 0) {
    Bytes bytes(size);
    std::iota(bytes.begin(), bytes.end(), from);
    return bytes;
}

Bytes rest_of(SliceStream& stream, std::size_t step) {
    Bytes all;
    for (ByteWindow window = stream.look(step); window.size() > 0; window = stream.look(step)) {
        const std::size_t bytes = std::min(step, window.size());
        all.insert(all.end(), window.data(), window.data() + bytes);
        stream.accept(bytes);
    }
    return all;
}

std::vector<std::string> paths_of(const std::vector<std::unique_ptr<ScratchFile>>& files) {
    std::vector<std::string> paths;
    for (const auto& file : files) {
        paths.push_back(file->path());
    }
    return paths;
}

}  // namespace

TEST(any_cut_into_files_reads_as_one_string) {
    check::Random random(1);
    for (int round = 0; round < 60; ++round) {
        const Bytes all = counting(static_cast<std::size_t>(random.between(0, 20000)));
        std::vector<std::unique_ptr<ScratchFile>> files;
        std::size_t at = 0;
        while (at < all.size() || files.empty()) {
            const auto size = std::min<std::size_t>(all.size() - at, static_cast<std::size_t>(random.between(0, 6000)));
            files.push_back(std::make_unique<ScratchFile>(Bytes(all.begin() + static_cast<std::ptrdiff_t>(at),
                                                                all.begin() + static_cast<std::ptrdiff_t>(at + size))));
            at += size;
        }
        SliceStream stream(paths_of(files), kWindow);
        CHECK_EQUAL(stream.bytes_left(), all.size());
        CHECK(rest_of(stream, static_cast<std::size_t>(random.between(1, 9000))) == all);
        CHECK_EQUAL(stream.position(), all.size());
        CHECK_EQUAL(stream.bytes_left(), 0U);
        for (const npuwh::FileLedger& file : stream.ledger().files()) {
            CHECK_EQUAL(file.bytes_decoded, file.size_bytes);
        }
        CHECK(stream.ledger().faults().empty());
    }
}

TEST(bytes_of_a_record_across_files_are_booked_where_they_lie) {
    const ScratchFile first(counting(10));
    const ScratchFile empty;
    const ScratchFile second(counting(10, 10));
    SliceStream stream({first.path(), empty.path(), second.path()}, kWindow);
    stream.look(14);
    stream.accept(8);
    stream.accept(6);   // 8..14
    stream.look(1);
    stream.reject(100, npuwh::fault::kDamagedRecord);
    const auto& files = stream.ledger().files();
    CHECK_EQUAL(files[0].bytes_decoded, 10U);
    CHECK_EQUAL(files[0].records_decoded, 2U);
    CHECK_EQUAL(files[1].bytes_seen(), 0U);
    CHECK_EQUAL(files[2].bytes_decoded, 4U);
    CHECK_EQUAL(files[2].bytes_rejected, 6U);
    CHECK_EQUAL(files[2].records_rejected, 1U);
    CHECK_EQUAL(stream.ledger().faults().size(), 1U);
    const npuwh::FaultCount& fault = stream.ledger().faults()[0];
    CHECK_EQUAL(fault.file, 2U);
    CHECK_EQUAL(fault.first_offset, 4U);
    CHECK_EQUAL(fault.bytes, 6U);
}

TEST(a_ring_that_lost_its_beginning_loses_the_partial_record_only) {
    const ScratchFile first(counting(7));
    const ScratchFile second(counting(13, 7));
    SliceStream stream({first.path(), second.path()}, kWindow, 8);
    CHECK_EQUAL(stream.position(), 4U);
    CHECK(rest_of(stream, 8) == counting(16, 4));
    CHECK_EQUAL(stream.ledger().total().bytes_rejected, 4U);
    CHECK_EQUAL(std::string(stream.ledger().faults()[0].kind->code), "front_partial");
}

TEST(the_dropped_front_may_span_files) {
    const ScratchFile first(counting(2));
    const ScratchFile second(counting(3, 2));
    SliceStream stream({first.path(), second.path()}, kWindow, 8);
    CHECK_EQUAL(stream.bytes_left(), 0U);
    CHECK_EQUAL(stream.ledger().files()[0].bytes_rejected, 2U);
    CHECK_EQUAL(stream.ledger().files()[1].bytes_rejected, 3U);
}

TEST(missing_and_odd_files_are_reported_and_the_others_read) {
    const ScratchFile good(counting(5));
    int pipe[2];
    CHECK(::pipe(pipe) == 0);
    SliceStream stream({good.path() + "-none", "/proc/self/fd/" + std::to_string(pipe[0]), "/", good.path()}, kWindow);
    CHECK(rest_of(stream, 3) == counting(5));
    ::close(pipe[0]);
    ::close(pipe[1]);
    const auto& faults = stream.ledger().faults();
    CHECK_EQUAL(faults.size(), 3U);
    CHECK_EQUAL(std::string(faults[0].kind->code), "file_missing");
    CHECK_EQUAL(std::string(faults[1].kind->code), "file_not_regular");
    CHECK_EQUAL(faults[2].file, 2U);
    CHECK_EQUAL(stream.ledger().files()[3].bytes_decoded, 5U);
}

TEST(a_file_cut_while_it_is_read_is_reported) {
    ScratchFile file(counting(100000));
    const ScratchFile next(counting(10));
    SliceStream stream({file.path(), next.path()}, kWindow);
    stream.look(1);
    stream.accept(1000);
    file.truncate(20000);
    const Bytes rest = rest_of(stream, 100);
    CHECK_EQUAL(rest.size(), 19010U);
    CHECK_EQUAL(std::string(stream.ledger().faults().at(0).kind->code), "file_shrunk");
    CHECK_EQUAL(stream.ledger().faults().at(0).first_offset, 20000U);
    CHECK_EQUAL(stream.ledger().files()[0].bytes_seen(), 20000U);
    CHECK_EQUAL(stream.ledger().files()[1].bytes_seen(), 10U);
    CHECK_EQUAL(stream.bytes_left(), 0U);
}

TEST(a_file_that_grows_is_read_as_far_as_it_said) {
    ScratchFile file(counting(10));
    SliceStream stream({file.path()}, kWindow);
    file.write(counting(20));
    CHECK(rest_of(stream, 3) == counting(10));
    CHECK_EQUAL(std::string(stream.ledger().faults().at(0).kind->code), "file_grew");
}

TEST(no_files_and_empty_files_are_an_empty_stream) {
    SliceStream none({}, kWindow);
    CHECK_EQUAL(none.look(1).size(), 0U);
    none.reject(5, npuwh::fault::kDamagedRecord);
    none.note(npuwh::fault::kDamagedRecord);
    CHECK(none.ledger().faults().empty());
    const ScratchFile empty;
    SliceStream nothing({empty.path()}, kWindow);
    CHECK_EQUAL(nothing.look(SliceStream::kLongestLook + 1).size(), 0U);
    CHECK(nothing.ledger().faults().empty());
}

TEST(a_long_look_gives_the_whole_record_and_rejecting_goes_beyond_the_window) {
    const Bytes all = counting(50000);
    const ScratchFile file(all);
    SliceStream stream({file.path()}, 1);  // at least a page
    CHECK(stream.look(30000).size() >= 30000);
    stream.reject(45000, npuwh::fault::kDamagedRecord);
    CHECK_EQUAL(stream.position(), 45000U);
    CHECK_EQUAL(stream.look(1).data()[0], all[45000]);
    CHECK_EQUAL(stream.ledger().faults().at(0).bytes, 45000U);
}

TEST(faults_of_one_kind_in_one_file_are_one_entry) {
    const ScratchFile file(counting(100));
    SliceStream stream({file.path()}, kWindow);
    for (int round = 0; round < 10; ++round) {
        stream.look(2);
        stream.accept(1);
        stream.reject(1, npuwh::fault::kDamagedRecord);
        stream.note(npuwh::fault::kBadUtf8, 3);
    }
    CHECK_EQUAL(stream.ledger().faults().size(), 2U);
    CHECK_EQUAL(stream.ledger().faults()[0].count, 10U);
    CHECK_EQUAL(stream.ledger().faults()[0].first_offset, 1U);
    CHECK_EQUAL(stream.ledger().faults()[1].count, 30U);
    CHECK_EQUAL(stream.ledger().faults()[1].bytes, 0U);
}

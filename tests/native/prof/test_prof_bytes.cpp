// Every PROF stream, whole and damaged at every byte: no crash, no sanitizer finding, every byte accounted for.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "decode/prof/prof_decoder.hpp"
#include "decoded.hpp"
#include "prof_writer.hpp"

using npuwh::prof::format_at;
using npuwh::prof::StreamFormat;

namespace {

// The form of the stream that is `format`.
npuwh::prof::ProfInput input_for(std::size_t index) {
    npuwh::prof::ProfInput input;
    const std::string name = format_at(index)->name;
    const bool is_second = index > 0 && name == format_at(index - 1)->name;
    input.collection.version = is_second ? "2.0" : "1.0";
    input.collection.is_sampled = true;
    input.window_bytes = 4096;
    input.batch_rows = 7;
    return input;
}

check::Decoded decode(std::size_t index, const std::vector<check::Bytes>& slices) {
    std::vector<std::unique_ptr<check::ScratchFile>> files;
    npuwh::prof::ProfInput input = input_for(index);
    for (const check::Bytes& slice : slices) {
        files.push_back(std::make_unique<check::ScratchFile>(slice));
        input.paths.push_back(files.back()->path());
    }
    const auto decoder = npuwh::prof::make_prof_decoder(format_at(index)->name, input);
    return check::decode(*decoder, {"tensor_list"});
}

template <class Work>
void for_each_format(const Work& work) {
    check::Random random(5);
    for (std::size_t index = 0; const StreamFormat* const format = format_at(index); ++index) {
        try {
            work(index, *format, random);
        } catch (const std::exception& error) {
            throw check::Failure(std::string(format->name) + ": " + error.what());
        }
    }
}

bool is_decoded_whole(const check::Decoded& decoded) {
    static const std::vector<std::string> harmless{"start_without_end", "end_without_start", "event_without_partner", "bad_utf8",
                                                   "unknown_tensor_kind"};
    return decoded.total.bytes_rejected == 0 &&
           std::all_of(decoded.faults.begin(), decoded.faults.end(), [](const auto& fault) {
               return std::find(harmless.begin(), harmless.end(), fault.first) != harmless.end();
           });
}

}  // namespace

TEST(whole_files_are_decoded_wherever_they_are_cut) {
    for_each_format([](std::size_t index, const StreamFormat& format, check::Random& random) {
        const std::vector<check::Bytes> records = check::prof_records(random, format, 20);
        const check::Bytes whole = check::joined(records);
        const check::Decoded expected = decode(index, {whole});
        CHECK(is_decoded_whole(expected));
        CHECK_EQUAL(expected.total.records_decoded, records.size());
        for (int times = 0; times < 5; ++times) {
            const auto one = static_cast<std::ptrdiff_t>(random.between(0, static_cast<std::int64_t>(whole.size())));
            const auto other = static_cast<std::ptrdiff_t>(random.between(one, static_cast<std::int64_t>(whole.size())));
            const auto at = [&](std::ptrdiff_t offset) { return whole.begin() + offset; };
            const check::Decoded cut =
                decode(index, {{whole.begin(), at(one)}, {}, {at(one), at(other)}, {at(other), whole.end()}});
            CHECK(cut.rows == expected.rows);
            CHECK_EQUAL(cut.total.records_decoded, records.size());
        }
    });
}

TEST(a_file_may_end_at_any_byte) {
    for_each_format([](std::size_t index, const StreamFormat& format, check::Random& random) {
        const check::Bytes whole = check::joined(check::prof_records(random, format, 2));
        const std::size_t step = whole.size() > 600 ? 7 : 1;
        for (std::size_t size = 0; size < whole.size(); size += step) {
            const check::Decoded tail = decode(index, {{whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}});
            CHECK(tail.total.records_decoded <= 2);
            const check::Decoded front = decode(index, {{whole.begin() + static_cast<std::ptrdiff_t>(size), whole.end()}});
            CHECK(front.total.records_decoded <= 2);
        }
    });
}

TEST(a_flipped_bit_costs_at_most_what_it_is_in) {
    for_each_format([](std::size_t index, const StreamFormat& format, check::Random& random) {
        const std::vector<check::Bytes> records = check::prof_records(random, format, 6);
        check::Bytes whole = check::joined(records);
        const std::size_t first = records[0].size();
        const std::size_t step = records[1].size() > 300 ? 5 : 1;
        for (std::size_t at = first; at < first + records[1].size(); at += step) {
            const auto bit = static_cast<std::uint8_t>(1U << random.between(0, 7));
            whole[at] = static_cast<std::uint8_t>(whole[at] ^ bit);
            const check::Decoded flipped = decode(index, {whole});
            whole[at] = static_cast<std::uint8_t>(whole[at] ^ bit);
            CHECK(flipped.total.records_decoded >= (check::has_lines(format) ? 4U : 5U));
            CHECK(flipped.total.bytes_rejected <= records[1].size() + (check::has_lines(format) ? records[2].size() : 0));
        }
    });
}

TEST(slices_in_the_wrong_order_lose_only_what_they_cut) {
    for_each_format([](std::size_t index, const StreamFormat& format, check::Random& random) {
        std::vector<check::Bytes> slices;
        for (int slice = 0; slice < 6; ++slice) {
            slices.push_back(check::joined(check::prof_records(random, format, 5)));
        }
        std::shuffle(slices.begin(), slices.end(), std::mt19937_64(random.bits()));
        CHECK_EQUAL(decode(index, slices).total.records_decoded, 30U);  // cut at records: nothing is lost
    });
}

TEST(files_may_be_anything_else) {
    check::Bytes noise;
    check::Random random(9);
    for (int byte = 0; byte < 30000; ++byte) {
        noise.push_back(static_cast<std::uint8_t>(random.bits()));
    }
    check::Bytes magics;
    for (int word = 0; word < 5000; ++word) {
        const std::uint16_t value = random.between(0, 1) == 0 ? 0x5A5A : 0x6BD3;
        magics.push_back(static_cast<std::uint8_t>(value & 0xFF));
        magics.push_back(static_cast<std::uint8_t>(value >> 8));
    }
    for_each_format([&](std::size_t index, const StreamFormat& format, check::Random& records) {
        decode(index, {});
        decode(index, {{}, {}});
        decode(index, {noise});
        decode(index, {magics});
        decode(index, {check::Bytes(100000, 0)});
        decode(index, {check::Bytes(100000, 0xFF)});
        const check::Bytes whole = check::joined(check::prof_records(records, format, 10));
        CHECK(decode(index, {whole, noise}).total.records_decoded >= 9);
        CHECK(decode(index, {whole, check::Bytes(70000, 0), whole}).total.records_decoded >= 9);
    });
}

TEST(a_missing_slice_begins_a_new_string_of_bytes) {
    const char* const scratch = std::getenv("TMPDIR");
    std::string folder = std::string(scratch == nullptr ? P_tmpdir : scratch) + "/npuwh-XXXXXX";
    CHECK(::mkdtemp(folder.data()) != nullptr);
    for_each_format([&](std::size_t index, const StreamFormat& format, check::Random& random) {
        const check::Bytes part = check::joined(check::prof_records(random, format, 9));
        npuwh::prof::ProfInput input = input_for(index);
        for (const char* const number : {"0", "1", "3", "7"}) {
            input.paths.push_back(folder + "/stream.slice_" + number);
            std::ofstream(input.paths.back(), std::ios::binary)
                .write(reinterpret_cast<const char*>(part.data()), static_cast<std::streamsize>(part.size()));
        }
        input.paths.push_back(folder + "/stream.slice_9");  // not there
        const auto decoder = npuwh::prof::make_prof_decoder(format.name, input);
        const check::Decoded decoded = check::decode(*decoder, {"tensor_list"});
        for (const std::string& path : input.paths) {
            ::unlink(path.c_str());
        }
        CHECK_EQUAL(decoded.total.records_decoded, 36U);
        CHECK_EQUAL(decoded.faults.at("missing_slice"), 3U);
        CHECK_EQUAL(decoded.faults.at("file_missing"), 1U);
    });
    ::rmdir(folder.c_str());
}

TEST(names_without_a_layout_are_rejected_whole) {
    for (const char* const name : {"hwts", "77-CpuUsage", "instr.group_3_aiv0"}) {
        const check::ScratchFile file(check::Bytes(5000, 1));
        npuwh::prof::ProfInput input;
        input.paths = {file.path()};
        const check::Decoded decoded = check::decode(*npuwh::prof::make_prof_decoder(name, input));
        CHECK_EQUAL(decoded.total.bytes_rejected, 5000U);
        CHECK_EQUAL(decoded.faults.at("no_layout"), 1U);
    }
    CHECK(npuwh::prof::make_prof_decoder("nonsense", {}) == nullptr);
}

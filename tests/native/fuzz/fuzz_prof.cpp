// Any bytes as any PROF stream, cut into slices: no crash, no sanitizer finding, every byte accounted for.
#include <cstddef>
#include <cstdint>

#include "decode/prof/prof_decoder.hpp"
#include "decoded.hpp"
#include "fuzz_seeds.hpp"
#include "prof_writer.hpp"
#include "scratch_file.hpp"

namespace {

std::size_t format_count() {
    std::size_t count = 0;
    while (npuwh::prof::format_at(count) != nullptr) {
        ++count;
    }
    return count;
}

// Byte 0 chooses the stream, byte 1 where the slices are cut, byte 2 the window and the batch, byte 3 the collection and the limits.
void run(const std::uint8_t* data, std::size_t size) {
    static check::ScratchFile first;
    static check::ScratchFile second;
    static const std::size_t formats = format_count();
    if (size < 4) {
        return;
    }
    const std::uint8_t* const bytes = data + 4;
    const std::size_t cut = (size - 4) * data[1] / 255;
    first.write(check::Bytes(bytes, bytes + cut));
    second.write(check::Bytes(bytes + cut, data + size));
    npuwh::prof::ProfInput input;
    input.paths = {first.path(), second.path()};
    input.window_bytes = data[2] % 2 == 0 ? 4096 : 65536;
    input.batch_rows = data[2] / 2U;
    input.collection.is_expanded = (data[3] & 1) != 0;
    input.collection.version = (data[3] & 2) != 0 ? "2.0" : "1.0";
    input.collection.is_sampled = true;
    if ((data[3] & 4) != 0) {
        input.limits = {3, 5, 1000};
    }
    const auto decoder = npuwh::prof::make_prof_decoder(npuwh::prof::format_at(data[0] % formats)->name, input);
    check::decode(*decoder, {"tensor_list"});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    run(data, size);
    return 0;
}

namespace check {

// Where a mutator of our own begins.
std::vector<Bytes> fuzz_seeds() {
    std::vector<Bytes> seeds;
    Random random(1);
    for (std::size_t index = 0; const npuwh::prof::StreamFormat* const format = npuwh::prof::format_at(index); ++index) {
        for (const std::uint8_t options : {std::uint8_t{0}, std::uint8_t{7}}) {
            Bytes seed{static_cast<std::uint8_t>(index), 100, 9, options};
            append(seed, joined(prof_records(random, *format, 8)));
            seeds.push_back(std::move(seed));
        }
    }
    return seeds;
}

}  // namespace check

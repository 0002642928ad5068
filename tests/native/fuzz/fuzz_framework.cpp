// Any bytes as any FRAMEWORK file, cut into slices: no crash, no sanitizer finding, every byte accounted for.
#include <cstddef>
#include <cstdint>

#include "decode/framework/framework_decoder.hpp"
#include "decoded.hpp"
#include "fuzz_seeds.hpp"
#include "scratch_file.hpp"

namespace {

// Byte 0 chooses the kind, byte 1 where the slices are cut, byte 2 the window and the batch.
void run(const std::uint8_t* data, std::size_t size) {
    static check::ScratchFile first;
    static check::ScratchFile second;
    static const std::vector<std::string> kinds = npuwh::framework_kinds();
    if (size < 3) {
        return;
    }
    const std::uint8_t* const bytes = data + 3;
    const std::size_t cut = (size - 3) * data[1] / 255;
    first.write(check::Bytes(bytes, bytes + cut));
    second.write(check::Bytes(bytes + cut, data + size));
    npuwh::DecoderInput input;
    input.paths = {first.path(), second.path()};
    input.window_bytes = data[2] % 2 == 0 ? 4096 : 65536;
    input.batch_rows = data[2] / 2U;
    const auto decoder = npuwh::make_framework_decoder(kinds[data[0] % kinds.size()], input, true);
    check::decode(*decoder, {"stack_frame", "tensor"});
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
    std::uint8_t kind = 0;
    for (const Bytes& file : framework_files()) {
        for (const std::uint8_t cut : {std::uint8_t{0}, std::uint8_t{100}}) {
            Bytes seed{kind, cut, 9};
            append(seed, file);
            seeds.push_back(std::move(seed));
        }
        ++kind;
    }
    return seeds;
}

}  // namespace check

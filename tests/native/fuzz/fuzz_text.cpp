// Any bytes as text: repaired UTF-8 is UTF-8, numbers and tensors are parsed or refused.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "check.hpp"
#include "decode/clock.hpp"
#include "decode/framework/tensor_text.hpp"
#include "decode/string_table.hpp"
#include "decode/utf8_repair.hpp"
#include "fuzz_seeds.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string repaired = npuwh::repair_utf8(text);
    CHECK(npuwh::is_utf8(repaired));
    CHECK_EQUAL(npuwh::is_utf8(text), repaired == text);
    npuwh::TensorText tensor;
    npuwh::parse_tensor(text, tensor);
    try {
        npuwh::microseconds_to_ns(text);
    } catch (const std::invalid_argument&) {
    }
    try {
        const npuwh::TickClock clock(npuwh::Frequency::parse(text), INT64_MIN, INT64_MAX);
        clock.ns(INT64_MAX);
        clock.ns(INT64_MIN);
    } catch (const std::invalid_argument&) {
    }
    npuwh::StringTable table(0, npuwh::ByteNumbers::Limits{8, 64});
    for (std::size_t at = 0; at < size; at += 3) {
        table.intern(text.substr(at, 5));
    }
    while (table.take()) {
    }
    return 0;
}

namespace check {

std::vector<Bytes> fuzz_seeds() {
    std::vector<Bytes> seeds;
    for (const std::string_view text : {"0x10;0x20;float;4;2,3;3,1;20;0", "50.000000", "1736408883688177.930\t", "\xE4\xBD\xA0\xF0\x9F\x98\x80"}) {
        seeds.emplace_back(text.begin(), text.end());
    }
    return seeds;
}

}  // namespace check

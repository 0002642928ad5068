// Runs a fuzzer's entry on mutated seeds, where the compiler has no libFuzzer.
//
//     fuzz_x [--seconds 2] [--seed 1] [FILE...]     FILE: run these inputs once instead
//
// Prints one "ok" line as the other native tests do.  A failing input is left in fuzz_x.failed beside the program.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>

#include "check.hpp"
#include "fuzz_seeds.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using check::Bytes;
using check::Random;

constexpr std::size_t kLongest = 20000;

std::size_t place(Random& random, std::size_t size) { return static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(size))); }

void mutate(Random& random, Bytes& bytes, const std::vector<Bytes>& seeds) {
    const std::size_t at = place(random, bytes.size());
    const std::size_t left = bytes.size() - at;
    const auto where = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    static const std::uint32_t kOdd[] = {0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000U, 0xFFFFFFFFU, 58, 77, 6};
    switch (random.between(0, 7)) {
        case 0:  // flip a bit
            if (left > 0) {
                *where = static_cast<std::uint8_t>(*where ^ (1U << random.between(0, 7)));
            }
            break;
        case 1:
            if (left > 0) {
                *where = static_cast<std::uint8_t>(random.bits());
            }
            break;
        case 2:  // a number that is odd as a length
            if (left >= 4) {
                const std::uint32_t odd = kOdd[random.between(0, static_cast<std::int64_t>(std::size(kOdd)) - 1)];
                std::memcpy(bytes.data() + at, &odd, sizeof odd);
            }
            break;
        case 3:  // lose some
            bytes.erase(where, where + static_cast<std::ptrdiff_t>(place(random, std::min<std::size_t>(left, 100))));
            break;
        case 4:  // repeat some
        {
            const Bytes some(where, where + static_cast<std::ptrdiff_t>(place(random, std::min<std::size_t>(left, 300))));
            bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(place(random, bytes.size())), some.begin(), some.end());
            break;
        }
        case 5:  // put in zeros
            bytes.insert(where, place(random, 100), std::uint8_t{0});
            break;
        case 6:  // put in a part of a seed
        {
            const Bytes& other = seeds[place(random, seeds.size() - 1)];
            const std::size_t from = place(random, other.size());
            const std::size_t to = from + place(random, other.size() - from);
            bytes.insert(where, other.begin() + static_cast<std::ptrdiff_t>(from), other.begin() + static_cast<std::ptrdiff_t>(to));
            break;
        }
        default:  // cut the tail
            bytes.resize(at);
    }
    if (bytes.size() > kLongest) {
        bytes.resize(kLongest);
    }
}

int run_files(int count, char** paths) {
    for (int index = 0; index < count; ++index) {
        std::ifstream file(paths[index], std::ios::binary);
        const Bytes bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    double seconds = 2;
    std::uint64_t seed = 1;
    int first = 1;
    for (; first + 1 < count && arguments[first][0] == '-'; first += 2) {
        const std::string option = arguments[first];
        if (option == "--seconds") {
            seconds = std::atof(arguments[first + 1]);
        } else if (option == "--seed") {
            seed = std::strtoull(arguments[first + 1], nullptr, 10);
        }
    }
    if (first < count) {
        return run_files(count - first, arguments + first);
    }
    Random random(seed);
    const std::vector<Bytes> seeds = check::fuzz_seeds();
    Bytes input;
    try {
        for (const Bytes& each : seeds) {
            input = each;
            LLVMFuzzerTestOneInput(input.data(), input.size());
        }
        long runs = 0;
        const auto begin = std::chrono::steady_clock::now();
        while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds) {
            input = seeds[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(seeds.size()) - 1))];
            for (std::int64_t steps = random.between(1, 8); steps > 0; --steps) {
                mutate(random, input, seeds);
            }
            LLVMFuzzerTestOneInput(input.data(), input.size());
            ++runs;
        }
        std::printf("ok      %ld mutated inputs\n", runs);
    } catch (const std::exception& error) {
        std::ofstream((std::string(arguments[0]) + ".failed").c_str(), std::ios::binary)
            .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
        std::printf("FAILED  %s\n", error.what());
        return 1;
    }
    return 0;
}

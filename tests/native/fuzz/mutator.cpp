#include "mutator.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace fuzz {
namespace {

using check::Bytes;

constexpr std::uint32_t kOdd[] = {0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000U, 0xFFFFFFFFU, 58, 77, 6};

auto at(Bytes& bytes, std::size_t place) { return bytes.begin() + static_cast<std::ptrdiff_t>(place); }
auto at(const Bytes& bytes, std::size_t place) { return bytes.begin() + static_cast<std::ptrdiff_t>(place); }

}  // namespace

void Mutator::mutate(Bytes& bytes, const Bytes& other) {
    const std::size_t start = place(bytes.size());
    const std::size_t left = bytes.size() - start;
    switch (random_.between(0, 8)) {
        case 0:  // flip a bit
            if (left > 0) {
                bytes[start] = static_cast<std::uint8_t>(bytes[start] ^ (1U << random_.between(0, 7)));
            }
            break;
        case 1:
            if (left > 0) {
                bytes[start] = static_cast<std::uint8_t>(random_.bits());
            }
            break;
        case 2:  // a number that is odd as a length
            if (left >= 4) {
                const std::uint32_t odd = kOdd[place(std::size(kOdd) - 1)];
                std::memcpy(bytes.data() + start, &odd, sizeof odd);
            }
            break;
        case 3:  // a number a little larger or smaller
            if (left > 0) {
                bytes[start] = static_cast<std::uint8_t>(bytes[start] + random_.between(-8, 8));
            }
            break;
        case 4:  // lose some
            bytes.erase(at(bytes, start), at(bytes, start + place(std::min<std::size_t>(left, 100))));
            break;
        case 5: {  // repeat some
            const Bytes some(at(bytes, start), at(bytes, start + place(std::min<std::size_t>(left, 300))));
            bytes.insert(at(bytes, place(bytes.size())), some.begin(), some.end());
            break;
        }
        case 6:  // put in zeros
            bytes.insert(at(bytes, start), place(100), std::uint8_t{0});
            break;
        case 7: {  // put in a part of another
            const std::size_t from = place(other.size());
            const std::size_t to = from + place(other.size() - from);
            bytes.insert(at(bytes, start), at(other, from), at(other, to));
            break;
        }
        default:  // cut the tail
            bytes.resize(start);
    }
    if (bytes.size() > kLongest) {
        bytes.resize(kLongest);
    }
}

bool Mutator::satisfy(Bytes& bytes, const std::vector<Comparison>& comparisons) {
    if (comparisons.empty()) {
        return false;
    }
    for (int attempt = 0; attempt < 8; ++attempt) {
        const Comparison& chosen = comparisons[place(comparisons.size() - 1)];
        const bool turned = (random_.bits() & 1U) != 0;
        const std::uint64_t from = turned ? chosen.wanted : chosen.found;
        std::uint64_t to = turned ? chosen.found : chosen.wanted;
        to += static_cast<std::uint64_t>(random_.between(-1, 1));  // for what is compared by order
        // a small number is often compared in more bytes than it was written with
        for (std::size_t size = chosen.size; size >= 1; size /= 2) {
            if (size < 8 && (from >> (8 * size)) != 0) {
                break;
            }
            std::uint8_t pattern[8];
            std::memcpy(pattern, &from, sizeof pattern);
            const std::size_t begin = place(bytes.size());
            auto found = std::search(at(bytes, begin), bytes.end(), pattern, pattern + size);
            if (found == bytes.end()) {
                found = std::search(bytes.begin(), bytes.end(), pattern, pattern + size);
            }
            if (found != bytes.end()) {
                std::memcpy(&*found, &to, size);
                return true;
            }
        }
    }
    return false;
}

}  // namespace fuzz

#include "corpus.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fuzz {
namespace {

using check::Bytes;

std::uint8_t range_of(std::uint8_t count) {
    constexpr std::uint8_t kRanges[] = {1, 2, 3, 4, 8, 16, 32, 128};
    std::uint8_t bit = 0;
    for (std::size_t index = 0; index < std::size(kRanges); ++index) {
        if (count >= kRanges[index]) {
            bit = static_cast<std::uint8_t>(1U << index);
        }
    }
    return bit;
}

std::size_t between(check::Random& random, std::size_t low, std::size_t high) {
    return static_cast<std::size_t>(random.between(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)));
}

}  // namespace

std::vector<Bytes> Corpus::kept() const {
    std::vector<Bytes> found;
    if (folder_.empty() || !std::filesystem::is_directory(folder_)) {
        return found;
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
        std::ifstream file(entry.path(), std::ios::binary);
        found.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    std::sort(found.begin(), found.end());
    return found;
}

bool Corpus::take(const Bytes& input, bool is_seed) {
    bool is_new = is_seed;
    const auto& counts = edges();
    for (std::size_t edge = 0; edge < kEdges; ++edge) {
        if (counts[edge] != 0) {
            const std::uint8_t range = range_of(counts[edge]);
            is_new |= (seen_[edge] & range) == 0;
            seen_[edge] |= range;
        }
    }
    if (!is_new || input.empty()) {
        return false;
    }
    groups_[input[0]].push_back(inputs_.size());
    inputs_.push_back(input);
    if (!is_seed) {
        write(input);
    }
    return true;
}

void Corpus::write(const Bytes& input) const {
    if (folder_.empty()) {
        return;
    }
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const std::uint8_t byte : input) {
        hash = (hash ^ byte) * 0x100000001B3U;
    }
    std::ofstream file(folder_ + "/" + std::to_string(hash), std::ios::binary);
    file.write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
}

const Bytes& Corpus::choose(check::Random& random) {
    auto group = groups_.begin();
    std::advance(group, static_cast<std::ptrdiff_t>(turn_++ % groups_.size()));
    const std::vector<std::size_t>& members = group->second;
    const std::size_t last = members.size() - 1;
    const std::size_t first = (random.bits() & 1U) != 0 ? last - last / 4 : 0;
    return inputs_[members[between(random, first, last)]];
}

const Bytes& Corpus::any(check::Random& random) const { return inputs_[between(random, 0, inputs_.size() - 1)]; }

std::size_t Corpus::edge_count() const {
    return static_cast<std::size_t>(std::count_if(seen_.begin(), seen_.end(), [](std::uint8_t ranges) { return ranges != 0; }));
}

}  // namespace fuzz

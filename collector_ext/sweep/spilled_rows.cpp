#include "sweep/spilled_rows.hpp"

namespace npuwh {
namespace {

// Small numbers of either sign become small ones without sign: 0, -1, 1, -2 ... are 0, 1, 2, 3 ...
std::uint64_t folded(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value < 0 ? -1 : 0);
}

std::int64_t unfolded(std::uint64_t value) {
    return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

}  // namespace

void SpilledRows::add(const std::int64_t* row) {
    for (std::size_t column = 0; column < width_; ++column) {
        std::uint64_t value = folded(row[column]);
        while (value >= 0x80) {
            bytes_.push_back(static_cast<std::uint8_t>(value | 0x80));
            value >>= 7;
        }
        bytes_.push_back(static_cast<std::uint8_t>(value));
    }
    if (++rows_ == block_rows_) {
        close_block();
    }
}

void SpilledRows::close_block() {
    if (rows_ == 0) {
        return;
    }
    const Block block{file_.reserve(bytes_.size()), bytes_.size(), rows_};
    file_.write(block.place, bytes_.data(), block.size);
    blocks_.push_back(block);
    bytes_.clear();
    rows_ = 0;
}

Column SpilledRows::read(std::size_t block) const {
    const Block& found = blocks_[block];
    std::vector<std::uint8_t> bytes(found.size);
    file_.read(found.place, bytes.data(), found.size);
    Column values(found.rows * width_);
    const std::uint8_t* at = bytes.data();
    for (std::int64_t& out : values) {
        std::uint64_t value = 0;
        unsigned shift = 0;
        while (*at & 0x80) {
            value |= std::uint64_t{*at++ & 0x7Fu} << shift;
            shift += 7;
        }
        out = unfolded(value | std::uint64_t{*at++} << shift);
    }
    return values;
}

}  // namespace npuwh

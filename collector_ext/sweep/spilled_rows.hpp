// Rows of a few integers on disk, written in order and read back a block at a time, from either end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sqlite_file/spill_file.hpp"
#include "sweep/columns.hpp"

namespace npuwh {

// Values take as many bytes as they need (7 bits a byte), so small numbers are small.  One block is held.
class SpilledRows {
public:
    SpilledRows(std::size_t width, std::size_t block_rows, sqlite_file::SpillFile& file)
        : width_(width), block_rows_(block_rows), file_(file) {}

    void add(const std::int64_t* row);
    // Writes what is held, so that all rows lie in blocks.  Rows that follow begin a new block.
    void close_block();

    std::size_t blocks() const { return blocks_.size(); }
    // The rows of a block, one after the other.
    Column read(std::size_t block) const;

private:
    struct Block {
        std::uint64_t place;
        std::size_t size;
        std::size_t rows;
    };

    std::size_t width_;
    std::size_t block_rows_;
    sqlite_file::SpillFile& file_;
    std::vector<std::uint8_t> bytes_;
    std::size_t rows_ = 0;
    std::vector<Block> blocks_;
};

}  // namespace npuwh

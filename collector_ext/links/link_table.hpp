// Numbers stored under a number: filled in one pass over the records, looked up in a later one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "links/packed_block.hpp"
#include "sqlite_file/spill_file.hpp"
#include "sweep/columns.hpp"

namespace npuwh {

// Rows of a key and a few numbers.  Of equal keys the row that was added first stays; the key kNone stands for none and has no row.
//
// Rows are collected, brought in order and packed into blocks; blocks that exceed the memory go to a file.  Keys that come about
// ascending, and look-ups that do, cost a few reads of the file; any other order costs more time and no more memory: 64 bytes per
// thousand rows stay in any case.
class LinkTable {
public:
    // `memory` in bytes, about.  Blocks of several tables may go to one file.
    LinkTable(std::shared_ptr<sqlite_file::SpillFile> spill, std::size_t columns, std::size_t memory);

    // Appends rows.  Throws std::invalid_argument if the columns differ in length or number, std::logic_error after the first `find`.
    void add(const ColumnView& key, const std::vector<ColumnView>& columns);

    // One column a stored one, aligned with the keys; kNone where nothing is stored under a key.
    std::vector<Column> find(const ColumnView& key);

    std::size_t memory() const;

private:
    struct Block {
        std::int64_t first;
        std::int64_t last;
        std::uint32_t rows;
        std::uint32_t size;
        std::uint64_t place;              // in the file, if it is there
        std::vector<std::uint8_t> bytes;  // else here
    };
    struct Run {  // blocks in order of their keys
        std::vector<Block> blocks;
        std::size_t order;  // of addition
        std::int64_t first() const { return blocks.front().first; }
        std::int64_t last() const { return blocks.back().last; }
    };
    class Cursor;
    struct Cached {
        std::size_t block = SIZE_MAX;
        std::vector<std::uint8_t> bytes;
        PackedBlock packed;
    };

    void end_run();
    void seal();
    static std::size_t deepest(const std::vector<Run>& runs);
    Run merged(std::vector<Run> runs);
    Run merged_at_once(std::vector<Run> runs);
    void drop(Block& block);
    void pack(Run& run, const std::vector<Column>& rows, std::size_t first, std::size_t count);
    void load(const Block& block, std::vector<std::uint8_t>& bytes) const;
    const PackedBlock& open(std::size_t place);

    std::shared_ptr<sqlite_file::SpillFile> spill_;
    std::size_t memory_limit_;
    std::size_t most_waiting_;
    std::vector<Column> waiting_;  // key first
    std::vector<Run> runs_;
    std::vector<Block> blocks_;  // all, in order, once sealed
    std::vector<Cached> cache_;
    std::size_t held_ = 0;  // bytes of blocks in memory
    bool is_sealed_ = false;
};

}  // namespace npuwh

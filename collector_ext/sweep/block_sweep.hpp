// Blocks of memory from the records of an allocator (framework-files.md 5.11, step 2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sweep/columns.hpp"

namespace npuwh {

// A block is a malloc and up to two records after it of the same process and address, a free and a block free in either order; the
// next malloc there begins another, and what else comes belongs to none.
//
// State: the blocks that may go on.
class BlockSweep {
public:
    // What is told of a record, in the order in which it is fed.
    enum Field : std::size_t { time, row, pid, address, action, tid, device, size, stream, allocated, reserved, active, kFields };
    enum Action : std::int64_t { kMalloc, kFree, kBlockFree };
    // What is told of a block: of its malloc; when it was freed and when it was block freed; the totals of the free, without one of
    // the block free.  kNone where there is none.
    enum Result : std::size_t {
        block_time, block_row, block_pid, block_address, block_tid, block_device, block_size, block_stream, block_allocated,
        block_reserved, block_active, free_time, block_free_time, end_allocated, end_reserved, end_active, kResults
    };
    using Columns = std::array<Column, kResults>;
    static const char* name_of(Field field);
    static const char* name_of(Result result);

    // Records by time.  The blocks that cannot go on are added to `out`.
    void feed(const std::array<ColumnView, kFields>& records, Columns& out);
    // The blocks that went on until the end, in the order of their mallocs.
    void finish(Columns& out);

private:
    struct Key {
        std::int64_t pid, address;
        bool operator==(const Key& other) const { return pid == other.pid && address == other.address; }
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const { return std::hash<std::int64_t>()(key.pid * 1000003 + (key.address >> 9)); }
    };
    struct Block {
        std::array<std::int64_t, kResults> values;
        std::int64_t released_by;  // action of the first record after the malloc, kMalloc before it
    };

    static void add(const Block& block, Columns& out);

    std::unordered_map<Key, Block, KeyHash> open_;
};

}  // namespace npuwh

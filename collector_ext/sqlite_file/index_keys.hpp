// The entries of one index, from the rows as they come to its b-tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sqlite_file/byte_sorter.hpp"
#include "sqlite_file/index_tree.hpp"
#include "sqlite_file/integer_sorter.hpp"
#include "sqlite_file/layout.hpp"

namespace npuwh::sqlite_file {

// What ANALYZE would find: entries, and how many different values the first 1, 2 ... columns have.
struct IndexCounts {
    std::uint64_t entries = 0;
    std::vector<std::uint64_t> distinct;
};

class IndexKeys {
public:
    IndexKeys(const IndexLayout& index, const TableLayout& table, SpillFile& spill);

    const IndexLayout& layout() const { return index_; }
    void append(const CellBlock& block, const std::int64_t* rowids);
    std::size_t memory() const { return integers_ ? integers_->memory() : records_->memory(); }
    std::size_t entries() const { return integers_ ? integers_->entries() : records_->entries(); }
    void spill() { integers_ ? integers_->spill() : records_->spill(); }

    // Marks are a stack: `rewind` goes back to the last, which stays.
    void push_mark();
    void pop_mark() { marks().pop_back(); }
    void rewind() { integers_ ? integers_->rewind(marks().back()) : records_->rewind(marks().back()); }

    // Brings everything in order; nothing is appended after.  May run in another thread than the rest.
    void finish();

    // Writes the tree and returns its root.  Throws ConstraintFailed for duplicates in a unique index.
    std::uint32_t write(PageFile& file, IndexCounts& counts);

private:
    std::vector<SorterMark>& marks() { return integers_ ? integers_->marks() : records_->marks(); }
    std::uint32_t write_integers(PageFile& file, IndexCounts& counts);
    std::uint32_t write_records(PageFile& file, IndexCounts& counts);
    void count(IndexCounts& counts, std::size_t equal, bool has_null) const;

    const IndexLayout& index_;
    const TableLayout& table_;
    std::vector<std::int32_t> columns_;  // of a block; kRowid
    std::unique_ptr<IntegerSorter> integers_;  // one of the two
    std::unique_ptr<ByteSorter> records_;
    std::unique_ptr<IntegerKeys> ordered_integers_;
    std::unique_ptr<SortedRecords> ordered_records_;
    std::vector<Cell> cells_;
};

}  // namespace npuwh::sqlite_file

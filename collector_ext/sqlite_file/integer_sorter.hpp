// Sorting keys of integers: entries of indexes over INTEGER columns of STRICT tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sqlite_file/cell_block.hpp"
#include "sqlite_file/chunked.hpp"
#include "sqlite_file/merge.hpp"
#include "sqlite_file/spill_file.hpp"

namespace npuwh::sqlite_file {

constexpr std::size_t kMostIntegers = 8;
constexpr std::int32_t kRowid = -1;  // in a list of columns

// One key: columns as words that order as the integers do (NULL: 0 and its bit in `nulls`), and the row.
struct IntegerKey {
    std::uint64_t words[kMostIntegers];
    std::uint64_t rowid;  // biased
    std::uint64_t nulls;
};

// Keys in their order.
class IntegerKeys {
public:
    virtual ~IntegerKeys() = default;
    // Puts the next keys into `out` and returns how many; 0 at the end.
    virtual std::size_t take(IntegerKey* out, std::size_t most) = 0;
};

// Keeps columns as they come, 8 bytes a value; rowids cost nothing while each is one more than the one before.
class IntegerSorter {
public:
    IntegerSorter(std::vector<std::int32_t> columns, SpillFile& spill);

    void append(const CellBlock& block, const std::int64_t* rowids);

    std::size_t entries() const { return size_; }
    std::size_t memory() const;

    // Sorts what is in memory and moves it to the spill file.
    void spill();

    // All keys in order; nothing may be appended after.  Keys whose columns are equal come in order of rowid.
    std::unique_ptr<IntegerKeys> finish();

    SorterMark position() const { return {runs_.size(), size_}; }
    // Spilling moves marks that point into memory: those that are to stay good are listed here.
    std::vector<SorterMark>& marks() { return marks_; }
    void rewind(const SorterMark& mark);

private:
    std::unique_ptr<IntegerKeys> sorted(std::size_t begin, std::size_t end) const;
    std::unique_ptr<IntegerKeys> merged(std::size_t first, std::size_t last) const;
    Run write_run(IntegerKeys& keys, std::size_t entries) const;
    std::size_t stride() const { return columns_.size() + 2; }
    void truncate(std::size_t size);

    std::vector<std::int32_t> columns_;
    SpillFile& spill_;
    std::size_t size_ = 0;
    std::vector<Chunked<std::int64_t>> values_;
    std::vector<Chunked<std::uint8_t>> nulls_;  // as long as `values_`, or empty while a column has none
    std::int64_t first_rowid_ = 0;
    Chunked<std::int64_t> rowids_;  // empty while they count up by one
    std::vector<Run> runs_;
    std::vector<SorterMark> marks_;
};

}  // namespace npuwh::sqlite_file

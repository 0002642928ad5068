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

// How a column lies in a packed key: value - low, plus one where 0 stands for NULL.
struct PackedField {
    std::uint64_t low = ~std::uint64_t{0};
    std::uint64_t high = 0;
    std::uint64_t has_null = 0;
    unsigned bits = 0;
    unsigned shift = 0;
    bool is_all_null = false;

    std::uint64_t value(std::uint64_t key) const { return bits == 0 ? 0 : key >> shift & (~std::uint64_t{0} >> (64 - bits)); }
};

// Keys in 64 bits each: the fields, below them the place of the row, counted from `first_rowid`.
struct PackedForm {
    std::vector<PackedField> fields;
    std::uint64_t place_mask = 0;
    std::int64_t first_rowid = 0;

    void unpack(std::uint64_t key, IntegerKey& out) const {
        out.nulls = 0;
        for (std::size_t column = 0; column < fields.size(); ++column) {
            const PackedField& field = fields[column];
            const std::uint64_t value = field.value(key);
            const bool is_null = value < field.has_null || field.is_all_null;
            out.words[column] = is_null ? 0 : value - field.has_null + field.low;
            out.nulls |= std::uint64_t{is_null} << column;
        }
        out.rowid = biased(first_rowid + static_cast<std::int64_t>(key & place_mask));
    }
};

// Keys in their order.
class IntegerKeys {
public:
    virtual ~IntegerKeys() = default;
    // Puts the next keys into `out` and returns how many; 0 at the end.
    virtual std::size_t take(IntegerKey* out, std::size_t most) = 0;

    // All keys in 64 bits each and their form, if they are held like that; `nullptr` else.
    virtual const std::vector<std::uint64_t>* packed(PackedForm&) const { return nullptr; }
};

// A sorted stretch of the spill file; without fields: words, rowid and nulls of each key.
struct IntegerRun {
    Run run;
    PackedForm form;
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
    IntegerRun write_run(IntegerKeys& keys, std::size_t entries) const;
    std::size_t stride() const { return columns_.size() + 2; }
    void truncate(std::size_t size);

    std::vector<std::int32_t> columns_;
    SpillFile& spill_;
    std::size_t size_ = 0;
    std::vector<Chunked<std::int64_t>> values_;
    std::vector<Chunked<std::uint8_t>> nulls_;  // as long as `values_`, or empty while a column has none
    std::int64_t first_rowid_ = 0;
    Chunked<std::int64_t> rowids_;  // empty while they count up by one
    std::vector<IntegerRun> runs_;
    std::vector<SorterMark> marks_;
};

}  // namespace npuwh::sqlite_file

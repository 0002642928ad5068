// Sorting records: entries of indexes over any values, and rows whose rowids do not ascend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sqlite_file/merge.hpp"
#include "sqlite_file/spill_file.hpp"

namespace npuwh::sqlite_file {

// A record and a number that orders before it.
struct SortedRecord {
    std::uint64_t prefix = 0;
    const std::uint8_t* bytes = nullptr;
    std::size_t size = 0;
};

class SortedRecords {
public:
    virtual ~SortedRecords() = default;
    // False at the end.  The bytes stay until the next call.
    virtual bool next(SortedRecord& record) = 0;
};

class ByteSorter {
public:
    // Of equal prefixes the records are compared, or with `by_prefix_only` stay as they come.
    ByteSorter(SpillFile& spill, bool by_prefix_only) : spill_(spill), by_prefix_only_(by_prefix_only) {}

    // Adds a record of that size and returns where its bytes go; the 8 in front of them may be scribbled on.
    std::uint8_t* add(std::uint64_t prefix, std::size_t size);

    std::size_t entries() const { return entries_.size(); }
    std::size_t memory() const { return arena_bytes_ + entries_.capacity() * sizeof(Entry); }
    void spill();
    std::unique_ptr<SortedRecords> finish();

    SorterMark position() const { return {runs_.size(), entries_.size()}; }
    std::vector<SorterMark>& marks() { return marks_; }
    void rewind(const SorterMark& mark);

    struct Entry {
        std::uint64_t prefix;
        const std::uint8_t* bytes;  // their size stands in front of them
    };

private:
    void sort(std::size_t begin, std::size_t end);
    Run write_run(std::size_t begin, std::size_t end);
    Run write_run(SortedRecords& records, std::uint64_t bytes);
    void clear();

    SpillFile& spill_;
    bool by_prefix_only_;
    std::vector<Entry> entries_;
    std::vector<std::unique_ptr<std::uint8_t[]>> arenas_;
    std::size_t arena_bytes_ = 0;
    std::uint8_t* free_ = nullptr;
    std::uint8_t* free_end_ = nullptr;
    std::vector<Run> runs_;
    std::vector<SorterMark> marks_;
};

}  // namespace npuwh::sqlite_file

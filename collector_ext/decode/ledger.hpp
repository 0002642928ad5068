// What became of the bytes of a stream, file by file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "decode/fault.hpp"

namespace npuwh {

struct FileLedger {
    std::string path;
    std::uint64_t size_bytes = 0;  // when the stream was opened
    std::uint64_t bytes_decoded = 0;
    std::uint64_t bytes_rejected = 0;
    std::uint64_t records_decoded = 0;  // a record counts in the file where it begins
    std::uint64_t records_rejected = 0;

    // Bytes gone through so far; equal to size_bytes at the end unless a fault says why not.
    std::uint64_t bytes_seen() const { return bytes_decoded + bytes_rejected; }
};

// All faults of one kind in one file.
struct FaultCount {
    const FaultKind* kind;
    std::size_t file;            // index of the file
    std::uint64_t first_offset;  // in that file
    std::uint64_t count;
    std::uint64_t bytes;  // rejected for it; 0 where the record was kept
};

class Ledger {
public:
    explicit Ledger(std::vector<std::string> paths = {});

    const std::vector<FileLedger>& files() const { return files_; }
    const std::vector<FaultCount>& faults() const { return faults_; }
    FileLedger total() const;

    FileLedger& file(std::size_t index) { return files_[index]; }
    // Adds to the file's entry of that kind; the caller books the bytes in the file itself.
    void add_fault(const FaultKind& kind, std::size_t file, std::uint64_t offset, std::uint64_t bytes = 0, std::uint64_t count = 1);

private:
    std::vector<FileLedger> files_;
    std::vector<FaultCount> faults_;  // at most one a kind and file: bounded whatever the input holds
};

}  // namespace npuwh

#include "decode/ledger.hpp"

#include <utility>

namespace npuwh {

Ledger::Ledger(std::vector<std::string> paths) {
    files_.reserve(paths.size());
    for (std::string& path : paths) {
        FileLedger file;
        file.path = std::move(path);
        files_.push_back(std::move(file));
    }
}

FileLedger Ledger::total() const {
    FileLedger sum;
    for (const FileLedger& file : files_) {
        sum.size_bytes += file.size_bytes;
        sum.bytes_decoded += file.bytes_decoded;
        sum.bytes_rejected += file.bytes_rejected;
        sum.records_decoded += file.records_decoded;
        sum.records_rejected += file.records_rejected;
    }
    return sum;
}

void Ledger::add_fault(const FaultKind& kind, std::size_t file, std::uint64_t offset, std::uint64_t bytes, std::uint64_t count) {
    // newest files last: those of the file being read are found at once
    for (std::size_t index = faults_.size(); index > 0; --index) {
        FaultCount& known = faults_[index - 1];
        if (known.kind == &kind && known.file == file) {
            known.count += count;
            known.bytes += bytes;
            return;
        }
    }
    faults_.push_back({&kind, file, offset, count, bytes});
}

}  // namespace npuwh

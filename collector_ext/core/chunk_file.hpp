// Chunks on disk: an Arrow IPC stream a file, `.part` until it is complete.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/own_file.hpp"
#include "core/tables.hpp"

namespace npuwh::core {

// A complete chunk, as the manifest lists it.
struct ChunkFacts {
    std::string file;
    Table table;
    int64_t rows;
    int64_t batches;
    int64_t bytes;
};

// The chunk of one table that is open now.  Functions return 0 or an errno; after an error the chunk takes no more.
class ChunkFile {
   public:
    ChunkFile(std::string folder, Table table) : folder_(std::move(folder)), table_(table) {}
    ChunkFile(const ChunkFile&) = delete;
    ChunkFile& operator=(const ChunkFile&) = delete;

    bool is_open() const noexcept { return file_.is_open(); }
    int64_t bytes() const noexcept { return facts_.bytes; }
    int64_t opened_ns() const noexcept { return opened_ns_; }

    // Writes whole messages that hold `rows` rows, or nothing of them; opens the next chunk if none is open.
    int write(const std::vector<std::byte>& messages, int64_t rows);

    // End mark, rename; `facts` gets what the manifest has to list.  Nothing to do if none is open.
    int complete(std::vector<ChunkFacts>& facts);

    // Close without completing, as a process does that has no right to the file any more.
    void forget() noexcept { file_.close(); }

   private:
    int open_next();
    int write_all(const std::vector<std::byte>& bytes);

    std::string folder_;
    Table table_;
    OwnFile file_;
    int64_t opened_ns_ = 0;
    uint32_t next_number_ = 1;
    ChunkFacts facts_{};
};

}  // namespace npuwh::core

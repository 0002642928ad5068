// Rows of 64-bit numbers in, the same rows in order out, however many there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "decode/record_batch.hpp"
#include "sort/key_order.hpp"
#include "sort/packed_columns.hpp"
#include "sort/spill_folder.hpp"

namespace npuwh::sort {

struct SortColumn {
    std::string name;
    ColumnType type = ColumnType::int64;  // no text
    bool is_nullable = false;

    bool operator==(const SortColumn& other) const { return name == other.name && type == other.type; }
};

// A column's name, and whether it is sorted by downwards.
using SortKey = std::pair<std::string, bool>;

// Sorted rows: some in memory, others on disk.
struct Piece {
    SharedColumns held;  // null: on disk
    std::uint64_t place = 0;
    std::size_t size = 0;
    std::size_t rows = 0;
};

// Pieces one after the other are sorted; `last` are the keys at the end (Key::rising).
struct SortedRun {
    std::vector<Piece> pieces;
    std::vector<std::int64_t> last;
    bool is_closed = false;  // takes no more rows
};

// Equal keys come out in the order in which they came in.
//
// What comes in is packed (packed_columns.hpp) and ordered a block at a time.  A block goes to the end of the first run that it fits;
// the rows that come too late for it go to the next run, so that input that is nearly in order makes few runs.  Runs are merged when
// they are read.  Locked: several threads may append and read, and the folder may let it spill.
class RowSorter : public Holder {
public:
    static std::shared_ptr<RowSorter> make(std::vector<SortKey> keys, std::shared_ptr<SpillFolder> folder);

    // All appended columns are those of the first time.  Throws std::invalid_argument if they are not, if a key is missing, has nulls
    // or is no integer, or after the first reading; std::system_error if memory is short and the disk takes no more.
    void append(const std::vector<SortColumn>& schema, const std::vector<WordColumn>& columns, std::size_t rows);
    // The rows of the columns that are listed.
    void append_some(const std::vector<SortColumn>& schema, const std::vector<WordColumn>& columns, const std::vector<std::uint32_t>& rows);

    std::uint64_t rows() const;
    void spill() override;

    // What a reader needs: the first call ends the appending.
    const std::vector<SortColumn>& schema() const { return schema_; }
    const std::vector<Key>& keys() const { return keys_; }
    const std::vector<SortKey>& names() const { return names_; }
    const std::vector<SortedRun>& finish();
    SharedColumns load(const Piece& piece) const;

private:
    RowSorter(std::vector<SortKey> keys, std::shared_ptr<SpillFolder> folder) : names_(std::move(keys)), folder_(std::move(folder)) {}

    void take_schema(const std::vector<SortColumn>& schema, const std::vector<WordColumn>& columns, std::size_t rows);
    void take_rows(const std::vector<WordColumn>& columns, std::size_t rows);
    void append_to_tail(const std::vector<WordColumn>& columns, std::size_t first, std::size_t rows);
    void pack_tail();
    void add_part(SharedColumns part);
    void seal();
    void place_rows(const std::vector<SharedColumns>& parts, const std::vector<std::uint32_t>& order, std::size_t rows);
    void add_pieces(SortedRun& run, std::vector<SharedColumns> pieces);
    void spill_piece(Piece& piece);
    void merge_runs();
    SharedColumns load_spilled(const Piece& piece) const;
    void count_held();

    const std::vector<SortKey> names_;
    const std::shared_ptr<SpillFolder> folder_;
    mutable std::mutex mutex_;
    std::vector<SortColumn> schema_;
    std::vector<Key> keys_;
    std::uint64_t rows_ = 0;
    bool is_finished_ = false;

    // rows that came in small batches, not packed yet
    std::vector<std::vector<std::int64_t>> tail_;
    std::vector<std::vector<std::uint8_t>> tail_validity_;
    std::size_t tail_rows_ = 0;

    std::vector<SharedColumns> open_;  // the block that grows
    std::size_t open_rows_ = 0;
    std::size_t packed_bytes_ = 0;     // of the open block and the pieces in memory
    std::vector<SortedRun> runs_;
    std::unique_ptr<TemporaryFile> file_;
};

}  // namespace npuwh::sort

// A whole new SQLite database file from columns, without SQLite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sqlite_file/column_source.hpp"
#include "sqlite_file/index_keys.hpp"
#include "sqlite_file/layout.hpp"
#include "sqlite_file/page_file.hpp"
#include "sqlite_file/spill_file.hpp"
#include "sqlite_file/string_ids.hpp"
#include "sqlite_file/table_tree.hpp"

namespace npuwh::sqlite_file {

struct WriterOptions {
    std::size_t page_size = 16384;
    std::uint32_t application_id = 0;
    std::uint32_t user_version = 0;
    std::size_t memory = std::size_t{64} << 20;  // for keys that are being sorted, about
    bool has_statistics = true;                  // make sqlite_stat1 as ANALYZE would
    std::vector<std::string> unordered;          // tables whose rowids come in any order: their rows are sorted too
    std::string strings;                         // the table that `intern` fills: (INTEGER PRIMARY KEY, TEXT)
};

// Strings that are not in their table yet, with numbers from `first` on.
struct NewStrings {
    std::int64_t first = 0;
    std::vector<std::uint8_t> bytes;
    std::vector<std::size_t> ends;  // of each in `bytes`
};

// Rows go straight to the pages of their tables; keys of indexes are kept, spilled and sorted at the end.
class DatabaseWriter {
public:
    // Both files are empty and stay the caller's.  Throws Unsupported for a statement it does not do; nothing is written then.
    DatabaseWriter(int handle, int spill_handle, const std::vector<std::string>& statements, WriterOptions options,
                   std::function<void()> between);

    using Columns = std::vector<std::pair<std::string, ColumnSource>>;

    // Appends rows; columns left out are NULL.  Returns their number.  After an error the table may have some of the rows: go back
    // to a mark or give the file up.
    std::size_t append(const std::string& table, const Columns& columns);

    // Numbers of the strings, -1 for NULL; new ones are appended to their table.
    std::vector<std::int64_t> intern(const ColumnSource& texts);

    // The same in two steps, the first of which may run beside any `append`.
    std::vector<std::int64_t> number(const ColumnSource& texts, NewStrings& fresh);
    void append(const NewStrings& strings);

    // What `append` will return.  Throws as it does for columns that do not fit the table or each other.
    std::size_t count_rows(const std::string& table, const Columns& columns) const;

    // The largest rowid of a table, 0 while it is empty.
    std::int64_t last_rowid(const std::string& table) const;

    // Marks are a stack.  `rewind` takes back what came after the last mark, `release` forgets that mark.
    void mark();
    void rewind();
    void release();

    // Writes indexes and schema.  Throws ConstraintFailed for duplicates.  Nothing may follow.
    void finish();

private:
    struct Table {
        Table(const TableLayout& table, PageFile& file, SpillFile& spill, bool is_unordered);

        const TableLayout& layout;
        TableTree tree;
        std::unique_ptr<ByteSorter> rows;  // of an unordered table
        CellBlock block;
        std::vector<Cell> missing;  // what each column has in a record that ends before it
        std::size_t least_stored;  // up to here records are whole: the rowid's column, and those that cannot lack
        std::vector<std::size_t> indexes;
        std::int64_t last_rowid = 0;
        std::uint64_t count = 0;
    };
    struct TableMark {
        TableTree::State tree;
        std::int64_t last_rowid;
        std::uint64_t count;
    };
    struct Mark {
        std::uint32_t next_page;
        std::vector<TableMark> tables;
        std::int64_t last_string;
    };

    void append_block(Table& table);
    void give_rowids(Table& table);
    void keep_to_memory();
    std::uint32_t finish_table(Table& table);
    std::vector<std::uint32_t> write_indexes(std::vector<IndexCounts>& counts);
    Table& table_named(const std::string& name);
    void check_open() const;

    WriterOptions options_;
    Layout layout_;
    SpillFile spill_;
    PageFile file_;
    std::vector<std::unique_ptr<Table>> tables_;
    std::vector<std::unique_ptr<IndexKeys>> indexes_;
    std::size_t memory_ = 0;
    StringIds strings_;
    Table* strings_table_ = nullptr;
    std::vector<std::int64_t> rowids_;
    std::vector<Mark> marks_;
    bool is_finished_ = false;
};

}  // namespace npuwh::sqlite_file

// The b-tree of a table, built from rows in ascending order of rowid ("Database File Format", section 1.6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sqlite_file/cell_block.hpp"
#include "sqlite_file/overflow.hpp"
#include "sqlite_file/page_builder.hpp"
#include "sqlite_file/page_file.hpp"

namespace npuwh::sqlite_file {

// Holds one leaf and, per level above, the children of about one page.
class TableTree {
public:
    // `spare`: see PageBuilder, for pages above the leaves; kFileHeaderSize for the tree whose root is to be page 1.
    TableTree(PageFile& file, std::size_t spare);

    // Adds a row of a block.  The caller sees to it that rowids ascend.
    void add(std::int64_t rowid, const CellBlock& block, std::size_t row);

    // Adds a row whose record is written already.
    void add(std::int64_t rowid, const std::uint8_t* record, std::size_t size);

    // Writes the rest and returns the root's page number.  With `first_page`, the root is written there instead, behind the file
    // header, and is page 1.
    std::uint32_t finish(std::uint8_t* first_page = nullptr);

    // A copy of everything that is not written yet: assigning it back after PageFile::rewind takes rows back.
    struct State {
        PageBuilder leaf;
        std::int64_t last_rowid;
        std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>> levels;
    };
    const State& state() const { return state_; }
    void restore(const State& state) { state_ = state; }

private:
    using Child = std::pair<std::uint32_t, std::int64_t>;  // page, largest rowid below it

    std::uint8_t* place_cell(std::int64_t rowid, std::size_t payload, std::size_t local, bool has_overflow);
    void end_leaf();
    void add_child(std::size_t level, Child child);
    const std::uint8_t* interior_page(const std::vector<Child>& children, std::size_t first, std::size_t last, std::size_t header);

    PageFile& file_;
    LocalSizes sizes_;
    State state_;
    PageBuilder interior_;
    std::size_t fanout_;
    std::vector<std::uint8_t> scratch_;
};

}  // namespace npuwh::sqlite_file

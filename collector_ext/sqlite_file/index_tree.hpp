// The b-tree of an index, built from its entries in ascending order ("Database File Format", section 1.6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sqlite_file/overflow.hpp"
#include "sqlite_file/page_builder.hpp"
#include "sqlite_file/page_file.hpp"

namespace npuwh::sqlite_file {

// In an index the entries between two pages stand in the page above, once.  So an entry that does not fit its page goes up, but only
// when another follows, because the last page of a level must not be left empty.
class IndexTree {
public:
    explicit IndexTree(PageFile& file) : file_(file), sizes_(LocalSizes::of_index(file.page_size())) {}

    void add(const std::uint8_t* record, std::size_t size);

    // Writes the rest and returns the root's page number.
    std::uint32_t finish();

private:
    struct Level {
        PageBuilder page;
        std::vector<std::uint8_t> held;  // the cell that did not fit, until another follows; above the leaves with its left child
        std::size_t last_cell = 0;       // size of the cell placed last
    };

    void put(std::size_t level, const std::uint8_t* cell, std::size_t size);
    void place_last(std::size_t level);
    void end_page(std::size_t level, const std::uint8_t* divider, std::size_t size);
    Level& at(std::size_t level);

    PageFile& file_;
    LocalSizes sizes_;
    std::vector<Level> levels_;
    std::vector<std::uint8_t> cell_;
};

}  // namespace npuwh::sqlite_file

// What a database file says of itself: its schema and header on page 1, and sqlite_stat1.
#pragma once

#include <cstdint>
#include <vector>

#include "sqlite_file/index_keys.hpp"
#include "sqlite_file/layout.hpp"
#include "sqlite_file/page_file.hpp"

namespace npuwh::sqlite_file {

// Pages where the trees begin, by their places in the layout.
struct TreeRoots {
    std::vector<std::uint32_t> tables;
    std::vector<std::uint32_t> indexes;
    std::uint32_t statistics = 0;  // of sqlite_stat1; 0: there is none
};

// Makes sqlite_stat1 as ANALYZE would, from the rows of each table and what its indexes counted; returns its root.
std::uint32_t write_statistics(PageFile& file, const Layout& layout, const std::vector<std::uint64_t>& rows,
                               const std::vector<IndexCounts>& counts);

// sqlite_schema, whose root is the first page.
void write_schema(PageFile& file, const Layout& layout, const TreeRoots& roots, std::uint8_t* first_page);

// The file's first 100 bytes; all other pages are there already.
void write_header(const PageFile& file, std::uint32_t application_id, std::uint32_t user_version, std::uint8_t* first_page);

}  // namespace npuwh::sqlite_file

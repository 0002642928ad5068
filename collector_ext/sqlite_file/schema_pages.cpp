#include "sqlite_file/schema_pages.hpp"

#include <cstring>
#include <string>

#include "sqlite_file/cell_block.hpp"
#include "sqlite_file/encoding.hpp"
#include "sqlite_file/page_builder.hpp"
#include "sqlite_file/table_tree.hpp"

namespace npuwh::sqlite_file {

std::uint32_t write_statistics(PageFile& file, const Layout& layout, const std::vector<std::uint64_t>& rows,
                               const std::vector<IndexCounts>& counts) {
    TableTree tree(file, 0);
    CellBlock block(3);
    std::int64_t rowid = 0;
    const auto add = [&](const std::string& table, const std::string* index, const std::string& text) {
        block.begin(1);
        block.set_bytes(0, 0, kText, table.data(), table.size());
        if (index == nullptr) {
            block.set_number(0, 1, kNull, 0);
        } else {
            block.set_bytes(0, 1, kText, index->data(), index->size());
        }
        block.set_bytes(0, 2, kText, text.data(), text.size());
        tree.add(++rowid, block, 0);
    };
    std::vector<std::vector<std::size_t>> indexes(layout.tables.size());
    for (std::size_t place = 0; place < layout.indexes.size(); ++place) {
        indexes[layout.indexes[place].table].push_back(place);
    }
    for (std::size_t table = 0; table < layout.tables.size(); ++table) {
        const std::string& name = layout.tables[table].name;
        if (rows[table] > 0 && indexes[table].empty()) {
            add(name, nullptr, std::to_string(rows[table]));
        }
        for (const std::size_t place : indexes[table]) {
            if (counts[place].entries == 0) {
                continue;
            }
            std::string text = std::to_string(rows[table]);
            for (const std::uint64_t distinct : counts[place].distinct) {  // average rows of one value, rounded as ANALYZE does
                std::uint64_t average = (rows[table] + distinct - 1) / distinct;
                average = average == 2 && rows[table] * 10 <= distinct * 11 ? 1 : average;
                text += " " + std::to_string(average);
            }
            add(name, &layout.indexes[place].name, text);
        }
    }
    return tree.finish();
}

void write_schema(PageFile& file, const Layout& layout, const TreeRoots& roots, std::uint8_t* first_page) {
    TableTree tree(file, kFileHeaderSize);
    CellBlock block(5);
    std::int64_t rowid = 0;
    const auto add = [&](const char* type, const std::string& name, const std::string& table, std::uint32_t root,
                         const std::string& sql) {
        block.begin(1);
        block.set_bytes(0, 0, kText, type, std::char_traits<char>::length(type));
        block.set_bytes(0, 1, kText, name.data(), name.size());
        block.set_bytes(0, 2, kText, table.data(), table.size());
        block.set_number(0, 3, integer_serial(root), root);
        if (sql.empty()) {
            block.set_number(0, 4, kNull, 0);
        } else {
            block.set_bytes(0, 4, kText, sql.data(), sql.size());
        }
        tree.add(++rowid, block, 0);
    };
    for (const SchemaEntry& entry : layout.entries) {
        if (entry.kind == SchemaEntry::Kind::table) {
            const TableLayout& table = layout.tables[entry.place];
            add("table", table.name, table.name, roots.tables[entry.place], table.sql);
        } else if (entry.kind == SchemaEntry::Kind::index) {
            const IndexLayout& index = layout.indexes[entry.place];
            add("index", index.name, layout.tables[index.table].name, roots.indexes[entry.place], index.sql);
        } else {
            const ViewLayout& view = layout.views[entry.place];
            add("view", view.name, view.name, 0, view.sql);
        }
    }
    if (roots.statistics != 0) {
        add("table", "sqlite_stat1", "sqlite_stat1", roots.statistics, "CREATE TABLE sqlite_stat1(tbl,idx,stat)");
    }
    tree.finish(first_page);
}

// "Database File Format", section 1.3.
void write_header(const PageFile& file, std::uint32_t application_id, std::uint32_t user_version, std::uint8_t* first_page) {
    constexpr std::uint32_t change_counter = 1;
    constexpr std::uint32_t version = 3037000;  // the first with STRICT tables
    std::memcpy(first_page, "SQLite format 3", 16);
    put_u16(first_page + 16, file.page_size());
    first_page[18] = first_page[19] = 1;  // rollback journal
    first_page[20] = 0;                   // nothing reserved on a page
    first_page[21] = 64;
    first_page[22] = first_page[23] = 32;
    put_u32(first_page + 24, change_counter);
    put_u32(first_page + 28, file.count());
    put_u32(first_page + 40, 1);  // schema cookie
    put_u32(first_page + 44, 4);  // schema format
    put_u32(first_page + 56, 1);  // UTF-8
    put_u32(first_page + 60, user_version);
    put_u32(first_page + 68, application_id);
    put_u32(first_page + 92, change_counter);
    put_u32(first_page + 96, version);
}

}  // namespace npuwh::sqlite_file

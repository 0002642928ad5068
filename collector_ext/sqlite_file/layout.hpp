// What a file is to hold, as its statements say it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace npuwh::sqlite_file {

// Column affinity (datatype3.html, section 3.1).  In STRICT tables: the type, with ANY as `none`.
enum class Affinity : std::uint8_t { integer, real, numeric, text, none, strict_blob };

struct ColumnLayout {
    std::string name;
    Affinity affinity = Affinity::none;
    bool is_required = false;  // NOT NULL, said or implied
    bool is_strict_integer = false;  // holds integers and NULL only
    bool has_default = false;  // DEFAULT with a whole number; other ones are refused
    std::int64_t default_value = 0;
};

struct TableLayout {
    std::string name;
    std::string sql;
    std::vector<ColumnLayout> columns;
    bool is_strict = false;
    std::int32_t rowid_column = -1;  // INTEGER PRIMARY KEY, another name of the rowid
};

struct IndexLayout {
    std::string name;
    std::string sql;  // "" for the one that a constraint makes
    std::size_t table = 0;
    std::vector<std::int32_t> columns;
    bool is_unique = false;
};

// A row of sqlite_schema.
struct SchemaEntry {
    enum class Kind : std::uint8_t { table, index, view } kind;
    std::size_t place;  // in tables, indexes or views
};

struct ViewLayout {
    std::string name;
    std::string sql;
};

struct Layout {
    std::vector<TableLayout> tables;
    std::vector<IndexLayout> indexes;
    std::vector<ViewLayout> views;
    std::vector<SchemaEntry> entries;  // in the order of sqlite_schema

    // Place of a table; names compare without case, as in SQLite.  Throws std::out_of_range.
    std::size_t table(const std::string& name) const;
};

std::string lower(const std::string& text);  // ASCII

// Reads CREATE TABLE, CREATE INDEX and CREATE VIEW statements, a string each, tables before their indexes.  What is not known to be
// written right is refused: throws Unsupported naming it, std::invalid_argument for what is no statement.
Layout read_statements(const std::vector<std::string>& statements);

}  // namespace npuwh::sqlite_file

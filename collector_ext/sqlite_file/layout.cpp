#include "sqlite_file/layout.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "sqlite_file/errors.hpp"
#include "sqlite_file/tokens.hpp"

namespace npuwh::sqlite_file {
namespace {

constexpr std::size_t kMostColumns = 2000;  // SQLite's own limit

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

Affinity affinity_of(const std::string& type) {
    const std::string name = lower(type);
    if (contains(name, "int")) {
        return Affinity::integer;
    }
    if (contains(name, "char") || contains(name, "clob") || contains(name, "text")) {
        return Affinity::text;
    }
    if (contains(name, "blob") || name.empty()) {
        return Affinity::none;
    }
    if (contains(name, "real") || contains(name, "floa") || contains(name, "doub")) {
        return Affinity::real;
    }
    return Affinity::numeric;
}

// Words that begin or belong to something, so that they end a type's name.
bool is_constraint_word(const Token& token) {
    static const char* const words[] = {"constraint", "primary", "not",        "null",      "unique",    "check", "default",
                                        "collate",    "generated", "as",       "references", "autoincrement", "on"};
    return std::any_of(std::begin(words), std::end(words), [&](const char* word) { return token.is(word); });
}

// Words that SQLite takes for a name in quotes only.
bool is_reserved(const Token& token) {
    static const char* const words[] = {
        "add",    "all",    "alter",   "and",        "as",     "autoincrement", "between", "case",    "check",  "collate",     "commit",
        "create", "default", "deferrable", "delete", "distinct", "drop",        "else",    "escape",  "exists", "foreign",     "from",
        "group",  "having", "in",      "index",      "insert", "into",          "is",      "isnull",  "join",   "limit",       "not",
        "nothing", "notnull", "null",  "on",         "or",     "order",         "primary", "references", "returning", "select", "set",
        "table",  "then",   "to",      "transaction", "union", "unique",        "update",  "using",   "values", "when",        "where",
        "constraint"};
    return token.text[0] == '$' || std::any_of(std::begin(words), std::end(words), [&](const char* word) { return token.is(word); });
}

// Reads one statement into the layout.
class StatementReader {
public:
    StatementReader(Layout& layout, const std::string& statement)
        : layout_(layout), statement_(statement), tokens_(read_tokens(statement)) {}

    void read() {
        expect("create");
        if (take("table")) {
            read_table();
        } else if (take("unique")) {
            expect("index");
            read_index(true);
        } else if (take("index")) {
            read_index(false);
        } else if (take("view")) {
            const std::size_t name_place = now().place;
            const std::string name = read_new_name();
            layout_.entries.push_back({SchemaEntry::Kind::view, layout_.views.size()});
            std::string text = stored("CREATE VIEW ", name_place, statement_end());
            text.erase(text.find_last_not_of(" \t\n\v\f\r") + 1);
            layout_.views.push_back({name, text});
        } else if (take("virtual")) {
            unsupported("virtual tables");
        } else if (take("trigger")) {
            unsupported("triggers");
        } else if (take("temp") || take("temporary")) {
            unsupported("temporary tables, views and triggers");
        } else {
            misread();
        }
    }

private:
    const Token& now() const { return tokens_[place_]; }
    bool take(const char* keyword) {
        const bool is_it = now().is(keyword);
        place_ += is_it ? 1 : 0;
        return is_it;
    }
    bool take_sign(char sign) {
        const bool is_it = now().is_sign(sign);
        place_ += is_it ? 1 : 0;
        return is_it;
    }
    void expect(const char* keyword) {
        if (!take(keyword)) {
            misread();
        }
    }
    void expect_sign(char sign) {
        if (!take_sign(sign)) {
            misread();
        }
    }
    [[noreturn]] void misread() const {
        const std::string what = now().kind == Token::Kind::end ? "its end" : "'" + now().text + "'";
        throw Unsupported("statement not understood at " + what + ": " + statement_);
    }
    [[noreturn]] void unsupported(const std::string& what) const {
        throw Unsupported(what + " are not written: " + statement_);
    }

    std::string read_name() {
        if (!now().is_name() || now().text.empty() || is_reserved(now())) {
            misread();
        }
        return tokens_[place_++].text;
    }

    std::string read_new_name() {
        if (take("if")) {
            unsupported("statements with IF NOT EXISTS");
        }
        const std::string name = read_name();
        if (now().is_sign('.')) {
            unsupported("names with a schema");
        }
        const std::string key = lower(name);
        if (key.compare(0, 7, "sqlite_") == 0) {
            unsupported("names that begin with sqlite_");
        }
        const auto same = [&](const auto& each) { return lower(each.name) == key; };
        if (std::any_of(layout_.tables.begin(), layout_.tables.end(), same) ||
            std::any_of(layout_.indexes.begin(), layout_.indexes.end(), same) ||
            std::any_of(layout_.views.begin(), layout_.views.end(), same)) {
            throw std::invalid_argument("there is something of that name already: " + statement_);
        }
        return name;
    }

    void end() {
        take_sign(';');
        if (now().kind != Token::Kind::end) {
            misread();
        }
    }

    // Where the statement ends: at its semicolon, behind everything else.
    std::size_t statement_end() const { return tokens_[tokens_.size() - (tokens_[tokens_.size() - 2].is_sign(';') ? 2 : 1)].place; }

    // The text that SQLite keeps; blanks and comments inside stay.
    std::string stored(const char* begin, std::size_t from, std::size_t to) const { return begin + statement_.substr(from, to - from); }

    // --- tables ----------------------------------------------------------------------------------------------------------

    void read_table() {
        TableLayout table;
        const std::size_t name_place = now().place;
        table.name = read_new_name();
        if (now().is("as")) {
            unsupported("tables from a SELECT");
        }
        expect_sign('(');
        std::vector<std::string> types;
        do {
            if (is_table_constraint()) {
                read_table_constraint(table, types);
            } else {
                read_column(table, types);
            }
        } while (take_sign(','));
        const std::size_t list_end = now().end;
        expect_sign(')');
        while (now().kind == Token::Kind::word) {
            if (now().is("without")) {
                unsupported("WITHOUT ROWID tables");
            }
            expect("strict");
            table.is_strict = true;
            take_sign(',');
        }
        end();
        table.sql = stored("CREATE TABLE ", name_place, table.is_strict ? statement_end() : list_end);
        complete(table, types);
        layout_.entries.push_back({SchemaEntry::Kind::table, layout_.tables.size()});
        const std::size_t place = layout_.tables.size();
        layout_.tables.push_back(table);
        add_constraint_indexes(place);
    }

    bool is_table_constraint() const {
        return now().is("constraint") || now().is("primary") || now().is("unique") || now().is("check") || now().is("foreign");
    }

    void read_column(TableLayout& table, std::vector<std::string>& types) {
        ColumnLayout column;
        column.name = read_name();
        const std::string key = lower(column.name);
        if (std::any_of(table.columns.begin(), table.columns.end(), [&](const auto& each) { return lower(each.name) == key; })) {
            throw std::invalid_argument("column " + column.name + " is named twice: " + statement_);
        }
        const auto place = static_cast<std::int32_t>(table.columns.size());
        std::string type;
        while (now().is_name() && !is_constraint_word(now())) {
            type += (type.empty() ? "" : " ") + read_name();
        }
        if (!type.empty() && take_sign('(')) {  // VARCHAR(32), DECIMAL(10, -2)
            while (!now().is_sign(')')) {
                if (now().kind == Token::Kind::end) {
                    misread();
                }
                ++place_;
            }
            expect_sign(')');
        }
        while (now().kind != Token::Kind::end && !now().is_sign(',') && !now().is_sign(')')) {
            if (take("constraint")) {
                read_name();
            }
            if (take("not")) {
                expect("null");
                column.is_required = true;
            } else if (take("null")) {
                continue;
            } else if (take("primary")) {
                expect("key");
                refuse_order();
                if (take("autoincrement")) {
                    unsupported("AUTOINCREMENT columns");
                }
                add_constraint(true, {place});
            } else if (take("unique")) {
                add_constraint(false, {place});
            } else if (take("default")) {
                read_default(column);
            } else {
                refuse_constraint();
            }
            refuse_conflict();
        }
        table.columns.push_back(column);
        types.push_back(type);
    }

    // A whole number of up to 18 digits.
    void read_default(ColumnLayout& column) {
        const bool is_negative = take_sign('-');
        const std::string digits = now().text;
        if (now().kind != Token::Kind::number || digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string::npos) {
            unsupported("columns with a DEFAULT that is no whole number");
        }
        ++place_;
        column.has_default = true;
        column.default_value = (is_negative ? -1 : 1) * std::stoll(digits);
    }

    void read_table_constraint(TableLayout& table, const std::vector<std::string>&) {
        if (take("constraint")) {
            read_name();
        }
        const bool is_primary = take("primary");
        if (is_primary) {
            expect("key");
        } else if (!take("unique")) {
            refuse_constraint();
        }
        add_constraint(is_primary, read_columns(table));
        refuse_conflict();
    }

    void refuse_conflict() {
        if (now().is("on")) {
            unsupported("ON CONFLICT clauses");
        }
    }

    void refuse_order() {
        take("asc");
        if (now().is("desc")) {
            unsupported("keys in descending order (DESC)");
        }
    }

    [[noreturn]] void refuse_constraint() const {
        static const std::pair<const char*, const char*> known[] = {
            {"check", "CHECK constraints"},          {"collate", "columns with COLLATE"},
            {"generated", "generated columns"},      {"as", "generated columns"},             {"references", "foreign keys"},
            {"foreign", "foreign keys"},             {"autoincrement", "AUTOINCREMENT columns"}};
        for (const auto& each : known) {
            if (now().is(each.first)) {
                unsupported(each.second);
            }
        }
        misread();
    }

    // (a, "b" ASC, ...)
    std::vector<std::int32_t> read_columns(const TableLayout& table) {
        std::vector<std::int32_t> columns;
        expect_sign('(');
        do {
            if (!now().is_name()) {
                unsupported("indexes on expressions");
            }
            const std::string name = read_name();
            if (now().is("collate")) {
                unsupported("indexes with COLLATE");
            }
            if (!now().is("asc") && !now().is("desc") && !now().is_sign(',') && !now().is_sign(')')) {
                unsupported("indexes on expressions");
            }
            const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                            [&](const ColumnLayout& column) { return lower(column.name) == lower(name); });
            if (found == table.columns.end()) {
                throw std::invalid_argument("table " + table.name + " has no column " + name + ": " + statement_);
            }
            const auto place = static_cast<std::int32_t>(found - table.columns.begin());
            if (std::find(columns.begin(), columns.end(), place) != columns.end()) {
                unsupported("keys that name a column twice");
            }
            columns.push_back(place);
            refuse_order();
        } while (take_sign(','));
        expect_sign(')');
        return columns;
    }

    void add_constraint(bool is_primary, std::vector<std::int32_t> columns) {
        if (is_primary && has_primary_) {
            throw std::invalid_argument("two primary keys: " + statement_);
        }
        has_primary_ = has_primary_ || is_primary;
        constraints_.push_back({is_primary, std::move(columns)});
    }

    // What needs the whole statement: STRICT, and with it types and the other name of the rowid.
    void complete(TableLayout& table, const std::vector<std::string>& types) {
        if (table.columns.empty() || table.columns.size() > kMostColumns) {
            throw std::invalid_argument("a table has 1 to 2000 columns: " + statement_);
        }
        for (std::size_t place = 0; place < types.size(); ++place) {
            ColumnLayout& column = table.columns[place];
            column.affinity = affinity_of(types[place]);
            if (table.is_strict) {
                const std::string type = lower(types[place]);
                if (type != "int" && type != "integer" && type != "real" && type != "text" && type != "blob" && type != "any") {
                    throw std::invalid_argument("a STRICT table has no type '" + types[place] + "': " + statement_);
                }
                column.affinity = type == "any" ? Affinity::none : type == "blob" ? Affinity::strict_blob : column.affinity;
                column.is_strict_integer = column.affinity == Affinity::integer;
            }
            if (column.has_default && !column.is_strict_integer) {
                unsupported("columns with a DEFAULT outside of whole numbers of a STRICT table");
            }
        }
        for (const Constraint& each : constraints_) {
            if (!each.is_primary) {
                continue;
            }
            if (each.columns.size() == 1 && lower(types[static_cast<std::size_t>(each.columns[0])]) == "integer") {
                table.rowid_column = each.columns[0];
                table.columns[static_cast<std::size_t>(each.columns[0])].is_required = false;  // NULL means the next rowid
            } else if (table.is_strict) {
                for (const std::int32_t column : each.columns) {
                    table.columns[static_cast<std::size_t>(column)].is_required = true;
                }
            }
        }
    }

    // One a constraint, unless an earlier one has the same columns (SQLite makes none then either).
    void add_constraint_indexes(std::size_t table_place) {
        const TableLayout& table = layout_.tables[table_place];
        std::vector<std::vector<std::int32_t>> made;
        for (const Constraint& each : constraints_) {
            if (each.is_primary && table.rowid_column >= 0) {
                continue;
            }
            if (table.rowid_column >= 0 &&
                std::find(each.columns.begin(), each.columns.end(), table.rowid_column) != each.columns.end()) {
                unsupported("UNIQUE constraints on an INTEGER PRIMARY KEY");
            }
            if (std::find(made.begin(), made.end(), each.columns) != made.end()) {
                continue;
            }
            made.push_back(each.columns);
            const std::string name = "sqlite_autoindex_" + table.name + "_" + std::to_string(made.size());
            layout_.entries.push_back({SchemaEntry::Kind::index, layout_.indexes.size()});
            layout_.indexes.push_back({name, "", table_place, each.columns, true});
        }
    }

    // --- indexes ---------------------------------------------------------------------------------------------------------

    void read_index(bool is_unique) {
        IndexLayout index;
        const std::size_t name_place = now().place;
        index.name = read_new_name();
        index.is_unique = is_unique;
        expect("on");
        const std::string table = read_name();
        try {
            index.table = layout_.table(table);
        } catch (const std::out_of_range&) {
            throw std::invalid_argument("there is no table " + table + ": " + statement_);
        }
        index.columns = read_columns(layout_.tables[index.table]);
        if (now().is("where")) {
            unsupported("partial indexes");
        }
        end();
        index.sql = stored(is_unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ", name_place, statement_end());
        layout_.entries.push_back({SchemaEntry::Kind::index, layout_.indexes.size()});
        layout_.indexes.push_back(index);
    }

    struct Constraint {
        bool is_primary;
        std::vector<std::int32_t> columns;
    };

    Layout& layout_;
    const std::string& statement_;
    std::vector<Token> tokens_;
    std::size_t place_ = 0;
    std::vector<Constraint> constraints_;
    bool has_primary_ = false;
};

}  // namespace

std::string lower(const std::string& text) {
    std::string result = text;
    for (char& each : result) {
        if (each >= 'A' && each <= 'Z') {
            each = static_cast<char>(each - 'A' + 'a');
        }
    }
    return result;
}

std::size_t Layout::table(const std::string& name) const {
    const std::string key = lower(name);
    for (std::size_t place = 0; place < tables.size(); ++place) {
        if (lower(tables[place].name) == key) {
            return place;
        }
    }
    throw std::out_of_range("there is no table " + name);
}

Layout read_statements(const std::vector<std::string>& statements) {
    Layout layout;
    for (const std::string& statement : statements) {
        StatementReader(layout, statement).read();
    }
    return layout;
}

}  // namespace npuwh::sqlite_file

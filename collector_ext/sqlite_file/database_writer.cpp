#include "sqlite_file/database_writer.hpp"

#include <algorithm>
#include <future>
#include <stdexcept>

#include "sqlite_file/errors.hpp"
#include "sqlite_file/schema_pages.hpp"

namespace npuwh::sqlite_file {
namespace {

constexpr std::size_t kLongestRecord = 1'000'000'000;  // SQLite's own limit
constexpr std::size_t kSmallestSort = 4096;

std::size_t checked_page_size(std::size_t size) {
    if (size < 512 || size > 32768 || (size & (size - 1)) != 0) {
        throw std::invalid_argument("page size " + std::to_string(size) + " is no power of two from 512 to 32768");
    }
    return size;
}

bool is_among(const std::vector<std::string>& names, const std::string& name) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& each) { return lower(each) == lower(name); });
}

std::size_t place_of(const TableLayout& table, const std::string& column) {
    for (std::size_t place = 0; place < table.columns.size(); ++place) {
        if (lower(table.columns[place].name) == lower(column)) {
            return place;
        }
    }
    throw std::out_of_range("table " + table.name + " has no column " + column);
}

}  // namespace

DatabaseWriter::Table::Table(const TableLayout& table, PageFile& file, SpillFile& spill, bool is_unordered)
    : layout(table),
      tree(file, 0),
      rows(is_unordered ? std::make_unique<ByteSorter>(spill, true) : nullptr),
      block(table.columns.size()),
      least_stored(1) {
    for (std::size_t place = 0; place < table.columns.size(); ++place) {
        const ColumnLayout& column = table.columns[place];
        missing.push_back(column.has_default ? integer_cell(column.default_value) : Cell{});
        const bool can_lack = column.has_default || (!column.is_required && static_cast<std::int32_t>(place) != table.rowid_column);
        least_stored = can_lack ? least_stored : place + 1;
    }
}

DatabaseWriter::DatabaseWriter(int handle, int spill_handle, const std::vector<std::string>& statements, WriterOptions options,
                               std::function<void()> between)
    : options_(std::move(options)),
      layout_(read_statements(statements)),
      spill_(spill_handle),
      file_(handle, checked_page_size(options_.page_size), std::move(between)) {
    for (const std::string& name : options_.unordered) {
        layout_.table(name);  // throws for an unknown one
    }
    for (const TableLayout& table : layout_.tables) {
        tables_.push_back(std::make_unique<Table>(table, file_, spill_, is_among(options_.unordered, table.name)));
    }
    for (const IndexLayout& index : layout_.indexes) {
        tables_[index.table]->indexes.push_back(indexes_.size());
        indexes_.push_back(std::make_unique<IndexKeys>(index, layout_.tables[index.table], spill_));
    }
    if (!options_.strings.empty()) {
        strings_table_ = &table_named(options_.strings);
        const TableLayout& table = strings_table_->layout;
        if (table.columns.size() != 2 || table.rowid_column != 0 || table.columns[1].affinity != Affinity::text) {
            throw std::invalid_argument("table " + table.name + " of strings is not (INTEGER PRIMARY KEY, TEXT)");
        }
    }
}

DatabaseWriter::Table& DatabaseWriter::table_named(const std::string& name) { return *tables_[layout_.table(name)]; }

void DatabaseWriter::check_open() const {
    if (is_finished_) {
        throw std::logic_error("the file is finished");
    }
}

std::int64_t DatabaseWriter::last_rowid(const std::string& table) const { return tables_[layout_.table(table)]->last_rowid; }

std::size_t DatabaseWriter::count_rows(const std::string& name, const Columns& columns) const {
    check_open();
    const TableLayout& layout = layout_.tables[layout_.table(name)];
    std::int64_t rows = -1;
    for (const auto& [column, source] : columns) {
        place_of(layout, column);
        if (!source.is_constant) {
            if (rows >= 0 && source.length != rows) {
                throw std::invalid_argument("columns for table " + layout.name + " differ in length: " + column + " has " +
                                            std::to_string(source.length) + " rows, others " + std::to_string(rows));
            }
            rows = source.length;
        }
    }
    return rows < 0 ? 1 : static_cast<std::size_t>(rows);
}

std::size_t DatabaseWriter::append(const std::string& name, const Columns& columns) {
    const std::size_t rows = count_rows(name, columns);
    Table& table = table_named(name);
    std::vector<const ColumnSource*> sources(table.layout.columns.size());
    for (const auto& [column, source] : columns) {
        sources[place_of(table.layout, column)] = &source;
    }
    const ColumnSource nothing{};
    for (std::size_t first = 0; first < rows; first += table.block.capacity()) {
        table.block.begin(std::min(rows - first, table.block.capacity()));
        for (std::size_t place = 0; place < sources.size(); ++place) {
            if (sources[place] == nullptr && table.layout.columns[place].has_default) {
                for (std::size_t row = 0; row < table.block.rows(); ++row) {
                    table.block.set_number(row, place, table.missing[place].serial, table.missing[place].word);
                }
                continue;
            }
            fill_cells(sources[place] == nullptr ? nothing : *sources[place], static_cast<std::int64_t>(first), table.block, place,
                       table.layout);
        }
        append_block(table);
    }
    return rows;
}

// Rowids of the block: those of its INTEGER PRIMARY KEY, or the next ones.
void DatabaseWriter::give_rowids(Table& table) {
    CellBlock& block = table.block;
    const std::int32_t column = table.layout.rowid_column;
    rowids_.resize(block.rows());
    std::int64_t last = table.last_rowid;
    bool is_empty = table.count == 0;
    for (std::size_t row = 0; row < block.rows(); ++row) {
        const Cell* given = column < 0 ? nullptr : block.row(row) + column;
        if (given == nullptr || given->serial == kNull) {
            if (last == INT64_MAX) {
                throw ConstraintFailed("table " + table.layout.name + " has no rowid left");
            }
            rowids_[row] = is_empty ? 1 : last + 1;
        } else {
            if (given->serial == kReal || given->serial > kOne) {
                throw ConstraintFailed("datatype mismatch: " + table.layout.name + "." +
                                       table.layout.columns[static_cast<std::size_t>(column)].name);
            }
            rowids_[row] = given->integer();
            block.clear_number(row, static_cast<std::size_t>(column));
        }
        if (!is_empty && rowids_[row] <= last && table.rows == nullptr) {
            throw ConstraintFailed("rowids of table " + table.layout.name + " do not ascend: " + std::to_string(rowids_[row]) +
                                   " after " + std::to_string(last));
        }
        last = is_empty ? rowids_[row] : std::max(last, rowids_[row]);
        is_empty = false;
    }
    table.last_rowid = last;
}

void DatabaseWriter::append_block(Table& table) {
    CellBlock& block = table.block;
    give_rowids(table);
    block.leave_out(table.missing, table.least_stored);
    for (std::size_t row = 0; row < block.rows(); ++row) {
        const std::size_t size = block.record_size(row);
        if (size > kLongestRecord) {
            throw ConstraintFailed("a row of table " + table.layout.name + " is too long: " + std::to_string(size) + " bytes");
        }
        if (table.rows == nullptr) {
            table.tree.add(rowids_[row], block, row);
        }
    }
    table.count += block.rows();
    if (table.rows != nullptr) {
        memory_ -= table.rows->memory();
        for (std::size_t row = 0; row < block.rows(); ++row) {
            const std::size_t size = block.record_size(row);
            std::uint8_t* bytes = table.rows->add(biased(rowids_[row]), size);
            put_record_before(bytes + size, block.row(row), block.stored(row), block.header_size(row));
        }
        memory_ += table.rows->memory();
    }
    const std::size_t most_entries = std::max(options_.memory / 128, kSmallestSort);  // sorting takes 16 bytes an entry on top
    for (const std::size_t place : table.indexes) {
        IndexKeys& index = *indexes_[place];
        memory_ -= index.memory();
        index.append(block, rowids_.data());
        if (index.entries() > most_entries) {
            index.spill();
        }
        memory_ += index.memory();
    }
    keep_to_memory();
}

// Spills the largest until half of the memory is enough: the other half is for sorting and merging.
void DatabaseWriter::keep_to_memory() {
    while (memory_ > options_.memory / 2) {
        ByteSorter* rows = nullptr;
        IndexKeys* index = nullptr;
        std::size_t largest = 0;
        for (const auto& table : tables_) {
            if (table->rows != nullptr && table->rows->memory() > largest) {
                rows = table->rows.get();
                largest = rows->memory();
            }
        }
        for (const auto& each : indexes_) {
            if (each->memory() > largest) {
                index = each.get();
                largest = index->memory();
            }
        }
        if (largest == 0) {
            return;
        }
        index != nullptr ? index->spill() : rows->spill();
        memory_ -= largest;
    }
}

std::vector<std::int64_t> DatabaseWriter::number(const ColumnSource& texts, NewStrings& fresh) {
    using Kind = ColumnSource::Kind;
    check_open();
    if (strings_table_ == nullptr) {
        throw std::logic_error("no table of strings is named");
    }
    if (texts.dictionary != nullptr || (texts.kind != Kind::text32 && texts.kind != Kind::text64 && texts.kind != Kind::null)) {
        throw std::invalid_argument("strings to intern are an Arrow array of text without dictionary");
    }
    fresh.first = strings_.last() + 1;
    std::vector<std::int64_t> ids(static_cast<std::size_t>(texts.length), -1);
    for (std::int64_t row = 0; row < texts.length; ++row) {
        if (texts.is_null(row)) {
            continue;
        }
        const auto [begin, size] = texts.text(row);
        const auto [id, is_new] = strings_.id(begin, size);
        ids[static_cast<std::size_t>(row)] = id;
        if (is_new) {
            fresh.bytes.insert(fresh.bytes.end(), begin, begin + size);
            fresh.ends.push_back(fresh.bytes.size());
        }
    }
    return ids;
}

void DatabaseWriter::append(const NewStrings& strings) {
    check_open();
    if (strings.ends.empty()) {
        return;
    }
    Table& table = *strings_table_;
    if (table.last_rowid + 1 != strings.first) {
        throw std::logic_error("someone else wrote to the table of strings");
    }
    CellBlock& block = table.block;
    std::size_t begin = 0;
    for (std::size_t first = 0; first < strings.ends.size(); first += block.capacity()) {
        block.begin(std::min(strings.ends.size() - first, block.capacity()));
        for (std::size_t row = 0; row < block.rows(); ++row) {
            const std::int64_t id = strings.first + static_cast<std::int64_t>(first + row);
            const std::size_t end = strings.ends[first + row];
            block.set_number(row, 0, integer_serial(id), static_cast<std::uint64_t>(id));
            block.set_bytes(row, 1, kText, strings.bytes.data() + begin, end - begin);
            begin = end;
        }
        append_block(table);
    }
}

std::vector<std::int64_t> DatabaseWriter::intern(const ColumnSource& texts) {
    NewStrings fresh;
    std::vector<std::int64_t> ids = number(texts, fresh);
    append(fresh);
    return ids;
}

void DatabaseWriter::mark() {
    check_open();
    Mark mark{file_.next(), {}, strings_.last()};
    for (const auto& table : tables_) {
        mark.tables.push_back({table->tree.state(), table->last_rowid, table->count});
        if (table->rows != nullptr) {
            table->rows->marks().push_back(table->rows->position());
        }
    }
    for (const auto& index : indexes_) {
        index->push_mark();
    }
    marks_.push_back(std::move(mark));
}

void DatabaseWriter::release() {
    if (marks_.empty()) {
        throw std::logic_error("there is no mark");
    }
    for (const auto& table : tables_) {
        if (table->rows != nullptr) {
            table->rows->marks().pop_back();
        }
    }
    for (const auto& index : indexes_) {
        index->pop_mark();
    }
    marks_.pop_back();
}

void DatabaseWriter::rewind() {
    check_open();
    if (marks_.empty()) {
        throw std::logic_error("there is no mark");
    }
    const Mark& mark = marks_.back();
    file_.rewind(mark.next_page);
    memory_ = 0;
    for (std::size_t place = 0; place < tables_.size(); ++place) {
        Table& table = *tables_[place];
        table.tree.restore(mark.tables[place].tree);
        table.last_rowid = mark.tables[place].last_rowid;
        table.count = mark.tables[place].count;
        if (table.rows != nullptr) {
            table.rows->rewind(table.rows->marks().back());
            memory_ += table.rows->memory();
        }
    }
    for (const auto& index : indexes_) {
        index->rewind();
        memory_ += index->memory();
    }
    strings_.rewind(mark.last_string);
}

void DatabaseWriter::finish() {
    check_open();
    is_finished_ = true;
    TreeRoots roots;
    std::vector<std::uint64_t> rows;
    for (const auto& table : tables_) {
        roots.tables.push_back(finish_table(*table));
        rows.push_back(table->count);
    }
    std::vector<IndexCounts> counts(indexes_.size());
    roots.indexes = write_indexes(counts);
    if (options_.has_statistics) {
        roots.statistics = write_statistics(file_, layout_, rows, counts);
    }
    std::vector<std::uint8_t> first_page(file_.page_size());
    write_schema(file_, layout_, roots, first_page.data());
    write_header(file_, options_.application_id, options_.user_version, first_page.data());
    file_.finish(first_page.data());
}

std::uint32_t DatabaseWriter::finish_table(Table& table) {
    if (table.rows != nullptr) {
        const auto rows = table.rows->finish();
        SortedRecord record;
        std::uint64_t last = 0;
        bool is_first = true;
        while (rows->next(record)) {
            if (!is_first && record.prefix == last) {
                throw ConstraintFailed("UNIQUE constraint failed: " + table.layout.name + " has two rows of rowid " +
                                       std::to_string(unbiased(last)));
            }
            is_first = false;
            last = record.prefix;
            table.tree.add(unbiased(record.prefix), record.bytes, record.size);
        }
        table.rows = std::make_unique<ByteSorter>(spill_, true);
    }
    return table.tree.finish();
}

// One index is written while the next is sorted.
std::vector<std::uint32_t> DatabaseWriter::write_indexes(std::vector<IndexCounts>& counts) {
    std::vector<std::uint32_t> roots;
    std::future<void> sorted;
    const auto sort = [this](std::size_t place) { indexes_[place]->finish(); };
    for (std::size_t place = 0; place < indexes_.size(); ++place) {
        if (sorted.valid()) {
            sorted.get();
        } else {
            sort(place);
        }
        if (place + 1 < indexes_.size() && tables_[indexes_[place + 1]->layout().table]->count > kSmallestSort) {
            sorted = std::async(std::launch::async, sort, place + 1);
        }
        roots.push_back(indexes_[place]->write(file_, counts[place]));
    }
    return roots;
}

}  // namespace npuwh::sqlite_file

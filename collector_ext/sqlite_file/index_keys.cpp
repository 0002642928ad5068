#include "sqlite_file/index_keys.hpp"

#include <algorithm>
#include <cstring>

#include "sqlite_file/errors.hpp"
#include "sqlite_file/record.hpp"

namespace npuwh::sqlite_file {

IndexKeys::IndexKeys(const IndexLayout& index, const TableLayout& table, SpillFile& spill)
    : index_(index), table_(table), cells_(index.columns.size() + 1) {
    bool only_integers = index.columns.size() <= kMostIntegers;
    for (const std::int32_t column : index.columns) {
        const bool is_rowid = column == table.rowid_column;
        columns_.push_back(is_rowid ? kRowid : column);
        only_integers = only_integers && (is_rowid || table.columns[static_cast<std::size_t>(column)].is_strict_integer);
    }
    if (only_integers) {
        integers_ = std::make_unique<IntegerSorter>(columns_, spill);
    } else {
        records_ = std::make_unique<ByteSorter>(spill, false);
    }
}

void IndexKeys::append(const CellBlock& block, const std::int64_t* rowids) {
    if (integers_) {
        integers_->append(block, rowids);
        return;
    }
    for (std::size_t row = 0; row < block.rows(); ++row) {
        const Cell* cells = block.row(row);
        for (std::size_t column = 0; column < columns_.size(); ++column) {
            cells_[column] = columns_[column] == kRowid ? integer_cell(rowids[row]) : cells[columns_[column]];
        }
        cells_.back() = integer_cell(rowids[row]);
        const RecordSize size = record_size(cells_.data(), cells_.size());
        std::uint8_t* bytes = records_->add(order_prefix(cells_.front()), size.total);
        put_record_before(bytes + size.total, cells_.data(), cells_.size(), size.header);
    }
}

void IndexKeys::push_mark() { marks().push_back(integers_ ? integers_->position() : records_->position()); }

void IndexKeys::finish() {
    if (integers_) {
        ordered_integers_ = integers_->finish();
    } else {
        ordered_records_ = records_->finish();
    }
}

std::uint32_t IndexKeys::write(PageFile& file, IndexCounts& counts) {
    counts.distinct.assign(columns_.size(), 0);
    const std::uint32_t root = integers_ ? write_integers(file, counts) : write_records(file, counts);
    ordered_integers_.reset();
    ordered_records_.reset();
    integers_.reset();
    records_.reset();
    return root;
}

void IndexKeys::count(IndexCounts& counts, std::size_t equal, bool has_null) const {
    if (equal == columns_.size()) {
        if (index_.is_unique && !has_null) {
            std::string names;
            for (const std::int32_t column : index_.columns) {
                names += (names.empty() ? "" : ", ") + table_.name + "." + table_.columns[static_cast<std::size_t>(column)].name;
            }
            throw ConstraintFailed("UNIQUE constraint failed: " + names);
        }
    }
    for (std::size_t column = equal; column < columns_.size(); ++column) {
        ++counts.distinct[column];
    }
    ++counts.entries;
}

std::uint32_t IndexKeys::write_integers(PageFile& file, IndexCounts& counts) {
    constexpr std::size_t batch = 256;
    constexpr std::size_t largest = 8 + (kMostIntegers + 1) * 9 + 1;
    std::uint8_t buffer[largest];
    IntegerKey keys[batch];
    IntegerKey last{};
    IndexTree tree(file);
    const std::size_t columns = columns_.size();
    while (const std::size_t taken = ordered_integers_->take(keys, batch)) {
        for (std::size_t number = 0; number < taken; ++number) {
            const IntegerKey& key = keys[number];
            std::size_t equal = 0;
            while (counts.entries > 0 && equal < columns && key.words[equal] == last.words[equal] &&
                   ((key.nulls ^ last.nulls) >> equal & 1) == 0) {
                ++equal;
            }
            count(counts, equal, key.nulls != 0);
            last = key;
            std::size_t size = columns + 2;
            for (std::size_t column = 0; column < columns; ++column) {
                cells_[column] = (key.nulls >> column & 1) != 0 ? Cell{} : integer_cell(unbiased(key.words[column]));
                size += kBodySize[cells_[column].serial];
            }
            cells_[columns] = integer_cell(unbiased(key.rowid));
            size += kBodySize[cells_[columns].serial];
            tree.add(put_record_before(buffer + largest, cells_.data(), columns + 1, columns + 2), size);
        }
    }
    return tree.finish();
}

std::uint32_t IndexKeys::write_records(PageFile& file, IndexCounts& counts) {
    IndexTree tree(file);
    std::vector<std::uint8_t> last;
    SortedRecord record;
    while (ordered_records_->next(record)) {
        const std::size_t equal = last.empty() ? 0 : equal_values(last.data(), record.bytes, columns_.size());
        bool has_null = false;
        if (equal == columns_.size()) {
            RecordReader reader(record.bytes);
            for (std::size_t column = 0; column < columns_.size(); ++column) {
                has_null = reader.next().serial == kNull || has_null;
            }
        }
        count(counts, equal, has_null);
        last.assign(record.bytes, record.bytes + record.size);
        tree.add(record.bytes, record.size);
    }
    return tree.finish();
}

}  // namespace npuwh::sqlite_file

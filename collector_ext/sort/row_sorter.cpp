#include "sort/row_sorter.hpp"

#include <algorithm>
#include <stdexcept>

#include "sort/row_merge.hpp"

namespace npuwh::sort {
namespace {

constexpr std::size_t kPieceRows = 4096;
constexpr std::size_t kFewRows = 1024;  // batches of fewer are collected
constexpr std::size_t kBlockRows = kMostPlaces;
constexpr std::size_t kFanIn = 64;  // runs that are merged at once
constexpr std::size_t kLeastShare = 8;  // a run that only takes less than this part of what is left is closed

// Rows of a block by their place in its order.
class Block {
public:
    Block(const std::vector<SharedColumns>& parts, const std::vector<std::uint32_t>& order, std::size_t rows) : parts_(parts), order_(order), rows_(rows) {
        for (std::size_t part = 0, first = 0; part < parts.size(); first += parts[part++]->rows()) {
            firsts_.push_back(first);
        }
    }

    std::size_t rows() const { return rows_; }

    bool is_before(std::size_t place, const std::vector<Key>& keys, const std::vector<std::int64_t>& bound) const {
        const auto [part, row] = find(place);
        for (std::size_t key = 0; key < keys.size(); ++key) {
            const std::int64_t value = keys[key].rising(parts_[part]->value(keys[key].column, row));
            if (value != bound[key]) {
                return value < bound[key];
            }
        }
        return false;
    }

    std::vector<std::int64_t> key_of(std::size_t place, const std::vector<Key>& keys) const {
        const auto [part, row] = find(place);
        std::vector<std::int64_t> values;
        for (const Key& key : keys) {
            values.push_back(key.rising(parts_[part]->value(key.column, row)));
        }
        return values;
    }

    // Rows [first, end) in order, packed anew unless they are whole parts.
    std::vector<SharedColumns> pieces(std::size_t first, std::size_t end, std::size_t columns) const {
        if (order_.empty() && first == 0 && end == rows_) {
            return parts_;
        }
        std::vector<ColumnPacker> packers;
        for (std::size_t from = first; from < end; from += kPieceRows) {
            packers.emplace_back(columns, std::min(kPieceRows, end - from));
        }
        std::vector<std::int64_t> flat(rows_);
        std::vector<std::uint8_t> is_null(rows_);
        std::vector<std::int64_t> values(kPieceRows);
        std::vector<std::uint8_t> validity(kPieceRows / 8);
        for (std::size_t column = 0; column < columns; ++column) {
            const bool has_nulls = flatten(column, flat, is_null);
            std::size_t from = first;
            for (ColumnPacker& packer : packers) {
                for (std::size_t row = 0; row < packer.rows(); ++row) {
                    values[row] = flat[origin(from + row)];
                }
                if (has_nulls) {
                    std::fill(validity.begin(), validity.end(), std::uint8_t{0});
                    for (std::size_t row = 0; row < packer.rows(); ++row) {
                        const unsigned is_valid = is_null[origin(from + row)] == 0 ? 1 : 0;
                        validity[row / 8] = static_cast<std::uint8_t>(validity[row / 8] | is_valid << (row % 8));
                    }
                }
                packer.add({values.data(), has_nulls ? validity.data() : nullptr, 0, WordColumn::Kind::varying});
                from += packer.rows();
            }
        }
        std::vector<SharedColumns> made;
        for (ColumnPacker& packer : packers) {
            made.push_back(packer.finish());
        }
        return made;
    }

private:
    std::size_t origin(std::size_t place) const { return order_.empty() ? place : order_[place]; }

    std::pair<std::size_t, std::size_t> find(std::size_t place) const {
        const std::size_t row = origin(place);
        const auto part = static_cast<std::size_t>(std::upper_bound(firsts_.begin(), firsts_.end(), row) - firsts_.begin()) - 1;
        return {part, row - firsts_[part]};
    }

    // Values of a column in the order of the parts; `is_null` is filled if it returns that some are.
    bool flatten(std::size_t column, std::vector<std::int64_t>& values, std::vector<std::uint8_t>& is_null) const {
        bool has_nulls = false;
        for (std::size_t part = 0; part < parts_.size(); ++part) {
            parts_[part]->copy_values(column, 0, parts_[part]->rows(), values.data() + firsts_[part]);
            has_nulls = has_nulls || parts_[part]->form(column).nulls > 0;
        }
        for (std::size_t part = 0; has_nulls && part < parts_.size(); ++part) {
            for (std::size_t row = 0; row < parts_[part]->rows(); ++row) {
                is_null[firsts_[part] + row] = parts_[part]->is_null(column, row) ? 1 : 0;
            }
        }
        return has_nulls;
    }

    const std::vector<SharedColumns>& parts_;
    const std::vector<std::uint32_t>& order_;
    const std::size_t rows_;
    std::vector<std::size_t> firsts_;
};

}  // namespace

std::shared_ptr<RowSorter> RowSorter::make(std::vector<SortKey> keys, std::shared_ptr<SpillFolder> folder) {
    const std::shared_ptr<RowSorter> made(new RowSorter(std::move(keys), std::move(folder)));
    made->folder_->enter(made);
    return made;
}

std::uint64_t RowSorter::rows() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return rows_;
}

void RowSorter::take_schema(const std::vector<SortColumn>& schema, const std::vector<WordColumn>& columns, std::size_t rows) {
    if (is_finished_) {
        throw std::invalid_argument("RowSorter: rows were read already, none can be added");
    }
    if (keys_.empty() && schema_.empty()) {
        std::vector<Key> keys;
        for (const SortKey& key : names_) {
            const auto found = std::find_if(schema.begin(), schema.end(), [&](const SortColumn& column) { return column.name == key.first; });
            if (found == schema.end() || found->type != ColumnType::int64) {
                throw std::invalid_argument("RowSorter: no int64 column " + key.first + " to sort by");
            }
            keys.push_back({static_cast<std::size_t>(found - schema.begin()), key.second});
        }
        keys_ = std::move(keys);
        schema_ = schema;
        tail_.resize(schema.size());
        tail_validity_.resize(schema.size());
    } else if (!(schema == schema_)) {
        throw std::invalid_argument("RowSorter: the columns are not those of the first rows");
    }
    for (const Key& key : keys_) {
        const WordColumn& column = columns[key.column];
        for (std::size_t row = 0; row < rows && column.may_have_nulls(); ++row) {
            if (column.is_null(row)) {
                throw std::invalid_argument("RowSorter: column " + schema_[key.column].name + " is sorted by and has a null in row " + std::to_string(row));
            }
        }
    }
}

void RowSorter::append(const std::vector<SortColumn>& schema, const std::vector<WordColumn>& columns, std::size_t rows) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        take_schema(schema, columns, rows);
        take_rows(columns, rows);
        count_held();
    }
    folder_->make_room();
}

void RowSorter::append_some(const std::vector<SortColumn>& schema, const std::vector<WordColumn>& columns, const std::vector<std::uint32_t>& rows) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        take_schema(schema, columns, rows.empty() ? 0 : rows.back() + std::size_t{1});
        std::vector<std::vector<std::int64_t>> values(columns.size(), std::vector<std::int64_t>(kPieceRows));
        std::vector<std::vector<std::uint8_t>> validity(columns.size(), std::vector<std::uint8_t>(kPieceRows / 8));
        for (std::size_t first = 0; first < rows.size(); first += kPieceRows) {
            const std::size_t count = std::min(kPieceRows, rows.size() - first);
            std::vector<WordColumn> some = columns;
            for (std::size_t column = 0; column < columns.size(); ++column) {
                if (!columns[column].has_row_values()) {
                    continue;
                }
                for (std::size_t row = 0; row < count; ++row) {
                    values[column][row] = columns[column].values[rows[first + row]];
                }
                some[column] = {values[column].data(), nullptr, 0, columns[column].kind};
                if (columns[column].validity != nullptr) {
                    std::fill(validity[column].begin(), validity[column].end(), std::uint8_t{0});
                    for (std::size_t row = 0; row < count; ++row) {
                        const unsigned is_valid = columns[column].is_null(rows[first + row]) ? 0 : 1;
                        validity[column][row / 8] = static_cast<std::uint8_t>(validity[column][row / 8] | is_valid << (row % 8));
                    }
                    some[column].validity = validity[column].data();
                }
            }
            take_rows(some, count);
        }
        count_held();
    }
    folder_->make_room();
}

void RowSorter::take_rows(const std::vector<WordColumn>& columns, std::size_t rows) {
    for (std::size_t row = 0; row < rows;) {
        std::size_t count;
        if (tail_rows_ == 0 && rows - row >= kFewRows) {
            count = std::min({rows - row, kPieceRows, kBlockRows - open_rows_});
            add_part(PackedColumns::pack(columns, row, count));
        } else {
            count = std::min({rows - row, kFewRows - tail_rows_, kBlockRows - open_rows_ - tail_rows_});
            append_to_tail(columns, row, count);
        }
        row += count;
    }
    rows_ += rows;
}

void RowSorter::append_to_tail(const std::vector<WordColumn>& columns, std::size_t first, std::size_t rows) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
        if (columns[column].has_row_values()) {
            tail_[column].insert(tail_[column].end(), columns[column].values + first, columns[column].values + first + rows);
        } else {
            tail_[column].resize(tail_[column].size() + rows, columns[column].value(first));
        }
        std::vector<std::uint8_t>& validity = tail_validity_[column];
        if (!columns[column].may_have_nulls()) {
            continue;
        }
        if (validity.empty()) {
            validity.assign(kFewRows / 8, 0xFF);
        }
        for (std::size_t row = 0; row < rows; ++row) {
            if (columns[column].is_null(first + row)) {
                const std::size_t place = tail_rows_ + row;
                validity[place / 8] = static_cast<std::uint8_t>(validity[place / 8] & ~(1U << (place % 8)));
            }
        }
    }
    tail_rows_ += rows;
    if (tail_rows_ == kFewRows || open_rows_ + tail_rows_ == kBlockRows) {
        pack_tail();
    }
}

void RowSorter::pack_tail() {
    if (tail_rows_ == 0) {
        return;
    }
    std::vector<WordColumn> columns;
    for (std::size_t column = 0; column < tail_.size(); ++column) {
        columns.push_back({tail_[column].data(), tail_validity_[column].empty() ? nullptr : tail_validity_[column].data(), 0, WordColumn::Kind::varying});
    }
    SharedColumns part = PackedColumns::pack(columns, 0, tail_rows_);
    for (std::size_t column = 0; column < tail_.size(); ++column) {
        tail_[column].clear();
        tail_validity_[column].clear();
    }
    tail_rows_ = 0;
    add_part(std::move(part));
}

void RowSorter::add_part(SharedColumns part) {
    open_rows_ += part->rows();
    packed_bytes_ += part->size();
    open_.push_back(std::move(part));
    if (open_rows_ == kBlockRows) {
        seal();
    }
}

// Orders the open block and adds it to runs.
void RowSorter::seal() {
    if (open_rows_ == 0) {
        return;
    }
    const std::vector<SharedColumns> parts = std::move(open_);
    open_.clear();
    for (const SharedColumns& part : parts) {
        packed_bytes_ -= part->size();
    }
    const std::size_t rows = std::exchange(open_rows_, 0);
    place_rows(parts, order_of(parts, keys_), rows);
}

void RowSorter::place_rows(const std::vector<SharedColumns>& parts, const std::vector<std::uint32_t>& order, std::size_t rows) {
    const Block block(parts, order, rows);
    std::size_t end = rows;  // rows from here on have their run
    const auto take = [&](SortedRun& run, std::size_t first) {
        run.last = block.key_of(end - 1, keys_);
        add_pieces(run, block.pieces(first, end, schema_.size()));
        end = first;
    };
    for (std::size_t number = 0; number < runs_.size() && end > 0; ++number) {
        SortedRun& run = runs_[number];
        if (run.is_closed) {
            continue;
        }
        std::size_t first = 0;
        for (std::size_t bound = end; first < bound;) {
            const std::size_t middle = first + (bound - first) / 2;
            if (block.is_before(middle, keys_, run.last)) {
                first = middle + 1;
            } else {
                bound = middle;
            }
        }
        // a row that a run had room for and did not get must not be followed there by an equal one
        if (first < end && (end - first) * kLeastShare < end) {
            run.is_closed = true;
        } else if (first < end) {
            take(run, first);
        }
    }
    if (end > 0) {
        runs_.emplace_back();
        take(runs_.back(), 0);
    }
}

void RowSorter::add_pieces(SortedRun& run, std::vector<SharedColumns> pieces) {
    for (SharedColumns& piece : pieces) {
        packed_bytes_ += piece->size();
        const std::size_t rows = piece->rows();
        run.pieces.push_back({std::move(piece), 0, 0, rows});
    }
}

void RowSorter::count_held() {
    held_.store(packed_bytes_ + tail_rows_ * tail_.size() * sizeof(std::int64_t), std::memory_order_relaxed);
}

void RowSorter::spill_piece(Piece& piece) {
    if (!piece.held) {
        return;
    }
    if (!file_) {
        file_ = folder_->new_file();
    }
    piece.size = piece.held->size();
    piece.place = file_->bytes().reserve(piece.size);
    file_->bytes().write(piece.place, piece.held->data(), piece.size);
    packed_bytes_ -= piece.size;
    piece.held.reset();
}

void RowSorter::spill() {
    const std::lock_guard<std::mutex> lock(mutex_);
    pack_tail();
    seal();
    for (SortedRun& run : runs_) {
        for (Piece& piece : run.pieces) {
            spill_piece(piece);
        }
    }
    count_held();
}

const std::vector<SortedRun>& RowSorter::finish() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_finished_) {
        pack_tail();
        seal();
        while (runs_.size() > kFanIn) {
            merge_runs();
        }
        count_held();
        is_finished_ = true;
    }
    return runs_;
}

// Makes one run of the last ones, whose rows are the later ones of equal keys.
void RowSorter::merge_runs() {
    const std::size_t first = runs_.size() - std::min(kFanIn, runs_.size() - kFanIn + 1);
    std::vector<const SortedRun*> merged;
    for (std::size_t number = first; number < runs_.size(); ++number) {
        merged.push_back(&runs_[number]);
    }
    SortedRun run;
    RowMerge merge(merged, keys_, [this](const Piece& piece) { return piece.held ? piece.held : load_spilled(piece); });
    std::vector<Segment> segments;
    std::vector<std::int64_t> values;
    std::vector<std::uint8_t> validity;
    while (const std::size_t rows = merge.next(kPieceRows, 0, segments)) {
        ColumnPacker packer(schema_.size(), rows);
        for (std::size_t column = 0; column < schema_.size(); ++column) {
            gather(segments, rows, column, values, validity);
            packer.add({values.data(), validity.empty() ? nullptr : validity.data(), 0, WordColumn::Kind::varying});
        }
        run.pieces.push_back({packer.finish(), 0, 0, rows});
        packed_bytes_ += run.pieces.back().held->size();
        spill_piece(run.pieces.back());
    }
    for (std::size_t number = first; number < runs_.size(); ++number) {
        for (const Piece& piece : runs_[number].pieces) {
            packed_bytes_ -= piece.held ? piece.held->size() : 0;
        }
    }
    runs_.resize(first);
    runs_.push_back(std::move(run));
}

SharedColumns RowSorter::load(const Piece& piece) const {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (piece.held) {
            return piece.held;
        }
    }
    return load_spilled(piece);
}

SharedColumns RowSorter::load_spilled(const Piece& piece) const {
    std::vector<std::uint8_t> data(piece.size);
    file_->bytes().read(piece.place, data.data(), piece.size);
    return std::make_shared<const PackedColumns>(std::move(data), piece.rows);
}

}  // namespace npuwh::sort

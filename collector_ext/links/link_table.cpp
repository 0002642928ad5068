#include "links/link_table.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>

namespace npuwh {
namespace {

using Bytes = std::vector<std::uint8_t>;  // `= {}` would keep the room of what it empties

constexpr std::size_t kBlockRows = 1024;
constexpr std::size_t kFewestWaiting = 2 * kBlockRows;
constexpr std::size_t kFewestCached = 4;
constexpr std::size_t kFanIn = 64;  // runs that are merged at once, a block of each in memory

void gather(std::vector<Column>& columns, const std::vector<std::uint32_t>& order) {
    Column sorted(order.size());
    for (Column& column : columns) {
        for (std::size_t row = 0; row < order.size(); ++row) {
            sorted[row] = column[order[row]];
        }
        column.assign(sorted.begin(), sorted.end());
    }
}

}  // namespace

// Steps through the rows of a run.
class LinkTable::Cursor {
public:
    Cursor(LinkTable& table, Run run) : table_(table), run_(std::move(run)) { open(); }

    std::int64_t key() const { return packed_.value(0, row_); }
    std::int64_t value(std::size_t column) const { return packed_.value(column, row_); }
    std::size_t order() const { return run_.order; }

    bool next() {
        if (++row_ < packed_.rows()) {
            return true;
        }
        table_.drop(run_.blocks[block_]);
        row_ = 0;
        return ++block_ < run_.blocks.size() && (open(), true);
    }

private:
    void open() {
        const Block& block = run_.blocks[block_];
        table_.load(block, bytes_);
        packed_ = PackedBlock(block.bytes.empty() ? bytes_.data() : block.bytes.data(), table_.waiting_.size(), block.rows);
    }

    LinkTable& table_;
    Run run_;
    std::size_t block_ = 0;
    std::size_t row_ = 0;
    std::vector<std::uint8_t> bytes_;
    PackedBlock packed_;
};

LinkTable::LinkTable(std::shared_ptr<sqlite_file::SpillFile> spill, std::size_t columns, std::size_t memory)
    : spill_(std::move(spill)),
      memory_limit_(memory),
      most_waiting_(std::max(kFewestWaiting, memory / 2 / (sizeof(std::int64_t) * (columns + 2)))),
      waiting_(columns + 1) {}

std::size_t LinkTable::memory() const {
    std::size_t bytes = 0;
    const auto count = [&](const std::vector<Block>& blocks) {
        for (const Block& block : blocks) {
            bytes += sizeof(Block) + block.bytes.capacity();
        }
    };
    count(blocks_);
    for (const Run& run : runs_) {
        count(run.blocks);
    }
    for (const Column& column : waiting_) {
        bytes += column.capacity() * sizeof(std::int64_t);
    }
    for (const Cached& cached : cache_) {
        bytes += sizeof(Cached) + cached.bytes.capacity();
    }
    return bytes;
}

void LinkTable::add(const ColumnView& key, const std::vector<ColumnView>& columns) {
    if (is_sealed_) {
        throw std::logic_error("LinkTable.add: the table was looked into already");
    }
    if (columns.size() + 1 != waiting_.size()) {
        throw std::invalid_argument("LinkTable.add: got " + std::to_string(columns.size()) + " columns, not " +
                                    std::to_string(waiting_.size() - 1));
    }
    for (std::size_t column = 0; column < columns.size(); ++column) {
        require_rows("LinkTable.add", std::to_string(column).c_str(), columns[column], key.size());
    }
    for (std::size_t first = 0; first < key.size();) {
        if (key[first] == kNone) {
            ++first;
            continue;
        }
        const std::size_t most = std::min(key.size() - first, most_waiting_ - waiting_[0].size());
        std::size_t count = 1;
        while (count < most && key[first + count] != kNone) {
            ++count;
        }
        const auto append = [&](Column& to, const ColumnView& from) {
            if (to.size() + count > to.capacity()) {
                to.reserve(std::min(most_waiting_, std::max(to.size() + count, 2 * to.capacity())));
            }
            to.insert(to.end(), from.data() + first, from.data() + first + count);
        };
        append(waiting_[0], key);
        for (std::size_t column = 0; column < columns.size(); ++column) {
            append(waiting_[column + 1], columns[column]);
        }
        first += count;
        if (waiting_[0].size() == most_waiting_) {
            end_run();
        }
    }
}

// Packs the rows that wait, in order of their keys.
void LinkTable::end_run() {
    const Column& key = waiting_[0];
    if (key.empty()) {
        return;
    }
    const bool ascends = std::adjacent_find(key.begin(), key.end(), [](auto left, auto right) { return left >= right; }) == key.end();
    if (!ascends) {
        std::vector<std::uint32_t> order(key.size());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t left, std::uint32_t right) { return key[left] < key[right]; });
        order.erase(std::unique(order.begin(), order.end(), [&](std::uint32_t left, std::uint32_t right) { return key[left] == key[right]; }),
                    order.end());
        gather(waiting_, order);
    }
    // goes on where the run before ends, if it can
    if (runs_.empty() || runs_.back().last() >= key.front()) {
        runs_.push_back({{}, runs_.size()});
    }
    for (std::size_t first = 0; first < key.size(); first += kBlockRows) {
        pack(runs_.back(), waiting_, first, std::min(kBlockRows, key.size() - first));
    }
    for (Column& column : waiting_) {
        column.clear();
    }
}

void LinkTable::pack(Run& run, const std::vector<Column>& rows, std::size_t first, std::size_t count) {
    Block block{rows[0][first], rows[0][first + count - 1], static_cast<std::uint32_t>(count), 0, 0, {}};
    pack_block(rows, first, count, block.bytes);
    block.size = static_cast<std::uint32_t>(block.bytes.size());
    if (held_ + block.size > memory_limit_ / 4) {
        block.place = spill_->reserve(block.size);
        spill_->write(block.place, block.bytes.data(), block.size);
        block.bytes = Bytes();
    } else {
        block.bytes.shrink_to_fit();
        held_ += block.size;
    }
    run.blocks.push_back(std::move(block));
}

void LinkTable::load(const Block& block, std::vector<std::uint8_t>& bytes) const {
    if (block.bytes.empty()) {
        bytes.resize(block.size);
        spill_->read(block.place, bytes.data(), block.size);
    }
}

void LinkTable::drop(Block& block) {
    held_ -= block.bytes.size();
    block.bytes = Bytes();
}

// Brings all blocks in one order: runs that do not overlap one behind the other, the others merged.
void LinkTable::seal() {
    end_run();
    for (Column& column : waiting_) {
        column = Column();
    }
    std::vector<Run> runs = std::move(runs_);
    runs_.clear();
    std::stable_sort(runs.begin(), runs.end(), [](const Run& left, const Run& right) { return left.first() < right.first(); });
    for (std::size_t begin = 0; begin < runs.size();) {
        std::size_t end = begin + 1;
        for (std::int64_t last = runs[begin].last(); end < runs.size() && runs[end].first() <= last; ++end) {
            last = std::max(last, runs[end].last());
        }
        const auto at = [&](std::size_t place) { return std::make_move_iterator(runs.begin() + static_cast<std::ptrdiff_t>(place)); };
        Run one = end == begin + 1 ? std::move(runs[begin]) : merged({at(begin), at(end)});
        std::move(one.blocks.begin(), one.blocks.end(), std::back_inserter(blocks_));
        begin = end;
    }
    blocks_.shrink_to_fit();
    std::size_t largest = 1;
    for (const Block& block : blocks_) {
        largest = std::max(largest, std::size_t{block.size});
    }
    cache_.resize(std::max(kFewestCached, std::min(memory_limit_ / 2 / (largest + sizeof(Cached)), blocks_.size())));
    is_sealed_ = true;
}

// How many runs, in order of their first keys, hold some key at the most.
std::size_t LinkTable::deepest(const std::vector<Run>& runs) {
    std::priority_queue<std::int64_t, Column, std::greater<>> open;
    std::size_t most = 0;
    for (const Run& run : runs) {
        while (!open.empty() && open.top() < run.first()) {
            open.pop();
        }
        open.push(run.last());
        most = std::max(most, open.size());
    }
    return most;
}

// One run of several, which are in order of their first keys.
LinkTable::Run LinkTable::merged(std::vector<Run> runs) {
    const auto by_first = [](const Run& left, const Run& right) { return left.first() < right.first(); };
    const auto by_order = [](const Run& left, const Run& right) { return left.order < right.order; };
    while (deepest(runs) > kFanIn) {  // runs that were added one after the other become one
        std::sort(runs.begin(), runs.end(), by_order);
        std::vector<Run> fewer;
        for (std::size_t begin = 0; begin < runs.size(); begin += kFanIn) {
            const std::size_t end = std::min(begin + kFanIn, runs.size());
            const auto at = [&](std::size_t place) { return std::make_move_iterator(runs.begin() + static_cast<std::ptrdiff_t>(place)); };
            std::vector<Run> some(at(begin), at(end));
            std::sort(some.begin(), some.end(), by_first);
            fewer.push_back(merged_at_once(std::move(some)));
            fewer.back().order = fewer.size();
        }
        runs = std::move(fewer);
        std::sort(runs.begin(), runs.end(), by_first);
    }
    return merged_at_once(std::move(runs));
}

// Each run is opened when the merge comes to it.
LinkTable::Run LinkTable::merged_at_once(std::vector<Run> runs) {
    using Pointer = std::unique_ptr<Cursor>;
    const auto later = [](const Pointer& left, const Pointer& right) {
        return left->key() != right->key() ? left->key() > right->key() : left->order() > right->order();
    };
    std::vector<Pointer> heap;
    std::size_t opened = 0;
    Run result{{}, 0};
    std::vector<Column> rows(waiting_.size());
    const auto pack_rows = [&] {
        pack(result, rows, 0, rows[0].size());
        for (Column& column : rows) {
            column.clear();
        }
    };
    for (;;) {
        while (opened < runs.size() && (heap.empty() || runs[opened].first() <= heap.front()->key())) {
            heap.push_back(std::make_unique<Cursor>(*this, std::move(runs[opened++])));
            std::push_heap(heap.begin(), heap.end(), later);
        }
        if (heap.empty()) {
            break;
        }
        std::pop_heap(heap.begin(), heap.end(), later);
        Cursor& cursor = *heap.back();
        const bool is_known = rows[0].empty() ? !result.blocks.empty() && result.last() == cursor.key() : rows[0].back() == cursor.key();
        if (!is_known) {
            for (std::size_t column = 0; column < rows.size(); ++column) {
                rows[column].push_back(cursor.value(column));
            }
            if (rows[0].size() == kBlockRows) {
                pack_rows();
            }
        }
        if (cursor.next()) {
            std::push_heap(heap.begin(), heap.end(), later);
        } else {
            heap.pop_back();
        }
    }
    if (!rows[0].empty()) {
        pack_rows();
    }
    return result;
}

const PackedBlock& LinkTable::open(std::size_t place) {
    Cached& cached = cache_[place % cache_.size()];
    if (cached.block != place) {
        const Block& block = blocks_[place];
        cached.block = SIZE_MAX;
        load(block, cached.bytes);
        cached.packed = PackedBlock(block.bytes.empty() ? cached.bytes.data() : block.bytes.data(), waiting_.size(), block.rows);
        cached.block = place;
    }
    return cached.packed;
}

std::vector<Column> LinkTable::find(const ColumnView& key) {
    if (!is_sealed_) {
        seal();
    }
    std::vector<Column> found(waiting_.size() - 1, Column(key.size(), kNone));
    std::size_t place = blocks_.size();
    const PackedBlock* packed = nullptr;
    std::size_t row = 0;
    for (std::size_t out = 0; out < key.size(); ++out) {
        const std::int64_t wanted = key[out];
        if (packed == nullptr || wanted < blocks_[place].first || wanted > blocks_[place].last) {
            const auto above = std::upper_bound(blocks_.begin(), blocks_.end(), wanted,
                                                [](std::int64_t number, const Block& block) { return number < block.first; });
            if (above == blocks_.begin() || wanted > std::prev(above)->last) {
                continue;
            }
            place = static_cast<std::size_t>(above - blocks_.begin()) - 1;
            packed = &open(place);
            row = 0;
        }
        // mostly it is the row after the one before
        if (row + 1 < packed->rows() && packed->value(0, row + 1) == wanted) {
            ++row;
        } else if (packed->value(0, row) != wanted) {
            std::size_t low = 0;
            std::size_t high = packed->rows();
            while (low < high) {
                const std::size_t middle = (low + high) / 2;
                packed->value(0, middle) < wanted ? low = middle + 1 : high = middle;
            }
            if (low == packed->rows() || packed->value(0, low) != wanted) {
                continue;
            }
            row = low;
        }
        for (std::size_t column = 0; column < found.size(); ++column) {
            found[column][out] = packed->value(column + 1, row);
        }
    }
    return found;
}

}  // namespace npuwh

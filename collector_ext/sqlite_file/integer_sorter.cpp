#include "sqlite_file/integer_sorter.hpp"

#include <algorithm>
#include <utility>

#include "sqlite_file/integer_order.hpp"

namespace npuwh::sqlite_file {
namespace {

// Reads a run, packed or as words, rowid and nulls.
class RunCursor {
public:
    RunCursor(const SpillFile& spill, const IntegerRun& run, std::size_t columns)
        : spill_(spill),
          run_(run.run),
          form_(run.form),
          columns_(columns),
          stride_(run.form.fields.empty() ? columns + 2 : 1),
          buffer_(kReadBytes / sizeof(std::uint64_t) / stride_ * stride_),
          place_(buffer_.size()),
          filled_(buffer_.size()) {}

    bool next() {
        if (place_ == filled_) {
            const std::size_t size = std::min<std::uint64_t>(run_.size, buffer_.size() * sizeof(std::uint64_t));
            if (size == 0) {
                return false;
            }
            spill_.read(run_.place, reinterpret_cast<std::uint8_t*>(buffer_.data()), size);
            run_.place += size;
            run_.size -= size;
            filled_ = size / sizeof(std::uint64_t);
            place_ = 0;
        }
        const std::uint64_t* words = buffer_.data() + place_;
        if (stride_ == 1) {
            form_.unpack(*words, key_);
        } else {
            std::copy_n(words, columns_, key_.words);
            key_.rowid = words[columns_];
            key_.nulls = words[columns_ + 1];
        }
        place_ += stride_;
        return true;
    }

    const IntegerKey& key() const { return key_; }

    bool before(const RunCursor& other) const {
        for (std::size_t column = 0; column < columns_; ++column) {
            const std::uint64_t word = key_.words[column];
            const std::uint64_t other_word = other.key_.words[column];
            if (word != other_word) {
                return word < other_word;
            }
            if (word == 0) {  // NULL or the smallest integer
                const std::uint64_t is_null = key_.nulls >> column & 1;
                if (is_null != (other.key_.nulls >> column & 1)) {
                    return is_null != 0;
                }
            }
        }
        return key_.rowid < other.key_.rowid;
    }

private:
    const SpillFile& spill_;
    Run run_;
    PackedForm form_;
    std::size_t columns_;
    std::size_t stride_;
    std::vector<std::uint64_t> buffer_;
    std::size_t place_;
    std::size_t filled_;
    IntegerKey key_{};
};

class MergedKeys : public IntegerKeys {
public:
    MergedKeys(const SpillFile& spill, const IntegerRun* first, const IntegerRun* last, std::size_t columns) {
        for (; first != last; ++first) {
            merge_.add(std::make_unique<RunCursor>(spill, *first, columns));
        }
    }

    std::size_t take(IntegerKey* out, std::size_t most) override {
        std::size_t count = 0;
        for (; count < most && !merge_.empty(); ++count, merge_.step()) {
            out[count] = merge_.top().key();
        }
        return count;
    }

private:
    Merge<RunCursor> merge_;
};

}  // namespace

IntegerSorter::IntegerSorter(std::vector<std::int32_t> columns, SpillFile& spill)
    : columns_(std::move(columns)), spill_(spill), values_(columns_.size()), nulls_(columns_.size()) {}

void IntegerSorter::append(const CellBlock& block, const std::int64_t* rowids) {
    const std::size_t rows = block.rows();
    for (std::size_t column = 0; column < columns_.size(); ++column) {
        Chunked<std::int64_t>& values = values_[column];
        if (columns_[column] == kRowid) {
            for (std::size_t row = 0; row < rows; ++row) {
                values.push_back(rowids[row]);
            }
            continue;
        }
        const Cell* cell = block.row(0) + columns_[column];
        bool has_null = false;
        for (std::size_t row = 0; row < rows; ++row, cell += block.columns()) {
            values.push_back(cell->integer());
            has_null = has_null || cell->serial == kNull;
        }
        Chunked<std::uint8_t>& nulls = nulls_[column];
        if (has_null || nulls.size() > 0) {
            while (nulls.size() < size_) {
                nulls.push_back(0);
            }
            cell = block.row(0) + columns_[column];
            for (std::size_t row = 0; row < rows; ++row, cell += block.columns()) {
                nulls.push_back(cell->serial == kNull ? 1 : 0);
            }
        }
    }
    if (size_ == 0 && rows > 0) {
        first_rowid_ = rowids[0];
    }
    const std::int64_t expected = first_rowid_ + static_cast<std::int64_t>(size_);
    bool counts_up = rowids_.size() == 0;
    for (std::size_t row = 0; counts_up && row < rows; ++row) {
        counts_up = rowids[row] == expected + static_cast<std::int64_t>(row);
    }
    if (!counts_up) {
        for (std::size_t place = rowids_.size(); place < size_; ++place) {
            rowids_.push_back(first_rowid_ + static_cast<std::int64_t>(place));
        }
        for (std::size_t row = 0; row < rows; ++row) {
            rowids_.push_back(rowids[row]);
        }
    }
    size_ += rows;
}

std::size_t IntegerSorter::memory() const {
    std::size_t total = rowids_.memory();
    for (std::size_t column = 0; column < columns_.size(); ++column) {
        total += values_[column].memory() + nulls_[column].memory();
    }
    return total;
}

std::unique_ptr<IntegerKeys> IntegerSorter::sorted(std::size_t begin, std::size_t end) const {
    return order_integers({values_, nulls_, rowids_, first_rowid_}, begin, end);
}

std::unique_ptr<IntegerKeys> IntegerSorter::merged(std::size_t first, std::size_t last) const {
    return std::make_unique<MergedKeys>(spill_, runs_.data() + first, runs_.data() + last, columns_.size());
}

IntegerRun IntegerSorter::write_run(IntegerKeys& keys, std::size_t entries) const {
    IntegerRun packed{};
    if (const std::vector<std::uint64_t>* words = keys.packed(packed.form)) {
        const std::size_t size = words->size() * sizeof(std::uint64_t);
        packed.run = {spill_.reserve(size), size};
        spill_.write(packed.run.place, reinterpret_cast<const std::uint8_t*>(words->data()), size);
        return packed;
    }
    constexpr std::size_t batch = 256;
    IntegerKey taken[batch];
    std::vector<std::uint64_t> buffer;
    Run run{spill_.reserve(entries * stride() * sizeof(std::uint64_t)), 0};
    const auto flush = [&] {
        const std::size_t size = buffer.size() * sizeof(std::uint64_t);
        spill_.write(run.place + run.size, reinterpret_cast<const std::uint8_t*>(buffer.data()), size);
        run.size += size;
        buffer.clear();
    };
    while (const std::size_t count = keys.take(taken, batch)) {
        for (std::size_t number = 0; number < count; ++number) {
            buffer.insert(buffer.end(), taken[number].words, taken[number].words + columns_.size());
            buffer.push_back(taken[number].rowid);
            buffer.push_back(taken[number].nulls);
        }
        if (buffer.size() * sizeof(std::uint64_t) >= kWriteBytes) {
            flush();
        }
    }
    flush();
    return {run, {}};
}

void IntegerSorter::spill() {
    const std::size_t runs_before = runs_.size();
    std::size_t begin = 0;
    for (SorterMark& mark : marks_) {
        if (mark.runs == runs_before && mark.entries > 0) {
            if (mark.entries > begin) {
                runs_.push_back(write_run(*sorted(begin, mark.entries), mark.entries - begin));
                begin = mark.entries;
            }
            mark = {runs_.size(), 0};
        }
    }
    if (size_ > begin) {
        runs_.push_back(write_run(*sorted(begin, size_), size_ - begin));
    }
    truncate(0);
}

std::unique_ptr<IntegerKeys> IntegerSorter::finish() {
    if (runs_.empty()) {
        return sorted(0, size_);
    }
    if (size_ > 0) {
        spill();
    }
    while (runs_.size() > kFanIn) {
        std::uint64_t entries = 0;
        for (std::size_t run = 0; run < kFanIn; ++run) {
            entries += runs_[run].run.size / sizeof(std::uint64_t) / (runs_[run].form.fields.empty() ? stride() : 1);
        }
        runs_.push_back(write_run(*merged(0, kFanIn), entries));
        runs_.erase(runs_.begin(), runs_.begin() + kFanIn);
    }
    return merged(0, runs_.size());
}

void IntegerSorter::rewind(const SorterMark& mark) {
    runs_.resize(mark.runs);
    truncate(mark.entries);
}

void IntegerSorter::truncate(std::size_t size) {
    for (std::size_t column = 0; column < columns_.size(); ++column) {
        values_[column].truncate(size);
        nulls_[column].truncate(std::min(size, nulls_[column].size()));
    }
    rowids_.truncate(std::min(size, rowids_.size()));
    size_ = size;
}

}  // namespace npuwh::sqlite_file

#include "sort/sorted_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace npuwh::sort {
namespace {

std::vector<const SortedRun*> addresses(const std::vector<SortedRun>& runs) {
    std::vector<const SortedRun*> found;
    for (const SortedRun& run : runs) {
        found.push_back(&run);
    }
    return found;
}

}  // namespace

SortedReader::SortedReader(std::shared_ptr<RowSorter> sorter, const std::vector<std::string>& columns,
                           const std::vector<std::string>& together)
    : sorter_(std::move(sorter)),
      together_(together.size()),
      merge_(addresses(sorter_->finish()), sorter_->keys(), [own = sorter_.get()](const Piece& piece) { return own->load(piece); }) {
    for (std::size_t key = 0; key < together.size(); ++key) {
        if (key >= sorter_->names().size() || sorter_->names()[key].first != together[key]) {
            throw std::invalid_argument("SortedReader: " + together[key] + " is not the next of the keys that rows are sorted by");
        }
    }
    const std::vector<SortColumn>& schema = sorter_->schema();
    for (const std::string& name : columns) {
        const auto found = std::find_if(schema.begin(), schema.end(), [&](const SortColumn& column) { return column.name == name; });
        if (found != schema.end()) {
            columns_.push_back(static_cast<std::size_t>(found - schema.begin()));
        } else if (!schema.empty()) {  // without rows no column is known
            throw std::invalid_argument("SortedReader: no column " + name);
        }
    }
    for (std::size_t column = 0; columns.empty() && column < schema.size(); ++column) {
        columns_.push_back(column);
    }
    for (const std::size_t column : columns_) {
        specs_.push_back({schema[column].name.c_str(), schema[column].type, schema[column].is_nullable});
    }
}

SharedBatch SortedReader::next(std::size_t most) {
    const std::size_t rows = merge_.next(std::max<std::size_t>(most, 1), together_, segments_);
    if (rows == 0) {
        return nullptr;
    }
    auto batch = std::make_shared<RecordBatch>(specs_);
    for (std::size_t place = 0; place < columns_.size(); ++place) {
        std::vector<std::int64_t> values;
        std::vector<std::uint8_t> validity;
        const std::size_t nulls = gather(segments_, rows, columns_[place], values, validity);
        batch->column(place).assign(std::move(values), std::move(validity), nulls);
    }
    return batch;
}

std::size_t SortedReader::copy_words(std::size_t rows, std::int64_t missing, std::vector<std::int64_t>& out) const {
    out.resize(columns_.size() * rows);
    std::int64_t* values = out.data();
    for (const std::size_t column : columns_) {
        for (const Segment& segment : segments_) {
            segment.columns->copy_values(column, segment.first, segment.count, values);
            for (std::size_t row = 0; segment.columns->form(column).nulls > 0 && row < segment.count; ++row) {
                if (segment.columns->is_null(column, segment.first + row)) {
                    values[row] = missing;
                }
            }
            values += segment.count;
        }
    }
    return rows;
}

std::size_t SortedReader::next_words(std::size_t most, std::int64_t missing, std::vector<std::int64_t>& out) {
    return copy_words(merge_.next(std::max<std::size_t>(most, 1), together_, segments_), missing, out);
}

std::vector<std::int64_t> SortedReader::rising(const std::vector<std::int64_t>& bound) const {
    if (bound.empty() || bound.size() > sorter_->names().size()) {
        throw std::invalid_argument("SortedReader: " + std::to_string(bound.size()) + " keys as a bound, there are " +
                                    std::to_string(sorter_->names().size()));
    }
    std::vector<std::int64_t> keys = bound;
    for (std::size_t key = 0; key < keys.size(); ++key) {
        keys[key] = sorter_->names()[key].second ? ~keys[key] : keys[key];
    }
    return keys;
}

std::size_t SortedReader::words_between(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& last, std::int64_t missing,
                                        std::vector<std::int64_t>& out) {
    merge_.skip_before(rising(first));
    return copy_words(merge_.next_until(rising(last), segments_), missing, out);
}

std::vector<std::string> SortedReader::names() const {
    std::vector<std::string> found;
    for (const std::size_t column : columns_) {
        found.push_back(sorter_->schema()[column].name);
    }
    return found;
}

}  // namespace npuwh::sort

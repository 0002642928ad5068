// The rows of a sorter as record batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "decode/record_batch.hpp"
#include "sort/row_merge.hpp"
#include "sort/row_sorter.hpp"

namespace npuwh::sort {

class SortedReader {
public:
    // `columns`: names of those that are wanted, in their order; empty: all.  `together`: the first of the keys; rows in which they are
    // equal come in one batch.  Throws std::invalid_argument for an unknown column or key.
    SortedReader(std::shared_ptr<RowSorter> sorter, const std::vector<std::string>& columns, const std::vector<std::string>& together);

    // The next rows, so many unless rows belong together or there are no more; null at the end.
    SharedBatch next(std::size_t most);

    // As `next`, the columns one after the other in `out`, `missing` for a null; returns how many rows.
    std::size_t next_words(std::size_t most, std::int64_t missing, std::vector<std::int64_t>& out);

    // As `next_words`, of all rows whose first keys are not before `first` and not after `last`; those before are skipped.
    std::size_t words_between(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& last, std::int64_t missing,
                              std::vector<std::int64_t>& out);

    std::size_t columns() const { return columns_.size(); }
    std::vector<std::string> names() const;

private:
    std::vector<std::int64_t> rising(const std::vector<std::int64_t>& bound) const;
    std::size_t copy_words(std::size_t rows, std::int64_t missing, std::vector<std::int64_t>& out) const;

    std::shared_ptr<RowSorter> sorter_;
    std::vector<std::size_t> columns_;
    std::vector<ColumnSpec> specs_;
    std::size_t together_;
    RowMerge merge_;
    std::vector<Segment> segments_;
};

}  // namespace npuwh::sort

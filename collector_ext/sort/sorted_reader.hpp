// The rows of a sorter as record batches.
#pragma once

#include <cstddef>
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

private:
    std::shared_ptr<RowSorter> sorter_;
    std::vector<std::size_t> columns_;
    std::vector<ColumnSpec> specs_;
    std::size_t together_;
    RowMerge merge_;
    std::vector<Segment> segments_;
};

}  // namespace npuwh::sort

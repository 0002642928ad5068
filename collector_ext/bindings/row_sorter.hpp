// Sorters of rows as Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sort/row_sorter.hpp"

namespace npuwh {

// A sorter and the columns that it was told to expect.
struct PySorter {
    std::shared_ptr<sort::RowSorter> sorter;
    std::vector<sort::SortColumn> columns;
};

// Columns of int64 one after the other: a buffer of two dimensions, a row of it a column.
struct Int64Block {
    std::size_t columns;
    std::size_t rows;
    std::vector<std::int64_t> values;
};

}  // namespace npuwh

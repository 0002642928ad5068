#include "sweep/columns.hpp"

#include <stdexcept>

namespace npuwh {

void reject_row(const char* where, std::size_t row, const std::string& what) {
    throw std::invalid_argument(std::string(where) + ": row " + std::to_string(row) + " " + what);
}

void require_rows(const char* where, const char* name, const ColumnView& column, std::size_t rows) {
    if (column.size() != rows) {
        throw std::invalid_argument(std::string(where) + ": column " + name + " has " + std::to_string(column.size()) +
                                    " rows, the first column has " + std::to_string(rows));
    }
}

void require_sorted(const char* where, const ColumnView& start, const ColumnView& end, std::int64_t previous_start) {
    for (std::size_t row = 0; row < start.size(); ++row) {
        if (end[row] < start[row]) {
            reject_row(where, row, "ends at " + std::to_string(end[row]) + ", before its start " + std::to_string(start[row]));
        }
        if (start[row] < previous_start) {
            reject_row(where, row, "starts at " + std::to_string(start[row]) + ", before the start " +
                                       std::to_string(previous_start) + " of the row before it; feed rows sorted by start");
        }
        previous_start = start[row];
    }
}

}  // namespace npuwh

// Rows of a statement as typed columns, batch by batch.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "decode/record_batch.hpp"
#include "sqlite_rows/connection.hpp"

namespace npuwh::sqlite_rows {

class TableRows {
public:
    // As many columns as the statement has, each null where the value is.  Throws SqliteError.
    TableRows(std::shared_ptr<const Library> library, const std::string& uri, const std::string& statement,
              std::vector<std::string> names, const std::vector<ColumnType>& types, int busy_milliseconds);
    TableRows(const TableRows&) = delete;
    TableRows& operator=(const TableRows&) = delete;

    // At most so many of the next rows, fewer if they hold much text; null after the last one.  Throws SqliteError for a value of
    // another type than its column's.
    SharedBatch next(std::size_t rows);

private:
    void append(BatchColumn& column, const Value& value) const;

    std::vector<std::string> names_;
    std::vector<ColumnSpec> schema_;
    Connection connection_;
    Statement statement_;
    bool is_done_ = false;
};

}  // namespace npuwh::sqlite_rows

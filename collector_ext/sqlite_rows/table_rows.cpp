#include "sqlite_rows/table_rows.hpp"

#include <utility>

namespace npuwh::sqlite_rows {
namespace {

constexpr std::size_t kMostTextBytes = std::size_t{4} << 20;  // of a batch, but for one long text

}  // namespace

TableRows::TableRows(std::shared_ptr<const Library> library, const std::string& uri, const std::string& statement,
                     std::vector<std::string> names, const std::vector<ColumnType>& types, int busy_milliseconds)
    : names_(std::move(names)), connection_(std::move(library), uri, busy_milliseconds), statement_(connection_, statement) {
    if (names_.size() != types.size() || names_.size() != statement_.width()) {
        throw SqliteError("the statement has " + std::to_string(statement_.width()) + " columns, not " + std::to_string(names_.size()));
    }
    for (std::size_t column = 0; column < types.size(); ++column) {
        schema_.push_back({names_[column].c_str(), types[column], true});
    }
}

SharedBatch TableRows::next(std::size_t rows) {
    auto batch = std::make_shared<RecordBatch>(schema_, is_done_ ? 0 : rows);
    std::size_t text_bytes = 0;
    while (!is_done_ && batch->rows() < rows && text_bytes < kMostTextBytes) {
        if (!statement_.step()) {
            is_done_ = true;
            break;
        }
        text_bytes = 0;
        const Row row = statement_.row();
        for (std::size_t column = 0; column < schema_.size(); ++column) {
            append(batch->column(column), row.value(column));
            text_bytes += batch->column(column).text_bytes();
        }
    }
    return batch->rows() == 0 ? nullptr : batch;
}

void TableRows::append(BatchColumn& column, const Value& value) const {
    const ValueType type = value.type();
    if (type == ValueType::null) {
        column.add_null();
    } else if (column.type() == ColumnType::int64 && type == ValueType::integer) {
        column.add(value.integer());
    } else if (column.type() == ColumnType::float64 && (type == ValueType::real || type == ValueType::integer)) {
        column.add_real(value.real());
    } else if (column.type() == ColumnType::utf8 && type == ValueType::text) {
        column.add_text(value.text());
    } else {
        throw SqliteError("a value in column " + column.name() + " is of another type than the column");
    }
}

}  // namespace npuwh::sqlite_rows

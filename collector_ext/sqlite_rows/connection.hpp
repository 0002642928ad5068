// A read-only connection to a database file, and statements on it, each used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sqlite_rows/library.hpp"

namespace npuwh::sqlite_rows {

// What SQLite says of a statement.
struct SqliteError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class ValueType { integer = 1, real = 2, text = 3, blob = 4, null = 5 };

// One value of the row a statement stands on; valid until its next step.
class Value {
public:
    Value(const Functions& call, sqlite3_value* value) : call_(call), value_(value) {}
    ValueType type() const { return static_cast<ValueType>(call_.value_type(value_)); }
    std::int64_t integer() const { return call_.value_int64(value_); }
    double real() const { return call_.value_double(value_); }
    std::string_view text() const;

private:
    const Functions& call_;
    sqlite3_value* value_;
};

class Connection {
public:
    // uri: file:...?mode=ro; opened with the settings of warehouse/store/opening.py.  Throws SqliteError.
    Connection(std::shared_ptr<const Library> library, const std::string& uri, int busy_milliseconds);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    const Functions& call() const { return library_->call(); }
    sqlite3* handle() const { return handle_; }
    void execute(const std::string& statement);
    // Ends what runs on it with an error; from any thread.
    void interrupt() { call().interrupt(handle_); }

private:
    std::shared_ptr<const Library> library_;
    sqlite3* handle_ = nullptr;
};

class Statement {
public:
    Statement(Connection& connection, const std::string& text);
    ~Statement();
    Statement(Statement&& other) noexcept;
    Statement& operator=(Statement&&) = delete;
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    // position: 0 for the first ?
    void bind(std::size_t position, std::int64_t value);
    void bind_null(std::size_t position);
    // Stands on the next row; false after the last one.
    bool step();
    void reset();
    std::size_t width() const { return width_; }
    Value value(std::size_t column) const {
        return {call_, call_.column_value(statement_, static_cast<int>(column))};
    }

private:
    void require(int result) const;

    Connection& connection_;
    const Functions& call_;
    sqlite3_stmt* statement_ = nullptr;
    std::size_t width_ = 0;
};

}  // namespace npuwh::sqlite_rows

// A read-only connection to a database file, and statements on it, each used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
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

// One value of a row.
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

// The values of one row; they go when the statement moves on.
class Row {
public:
    Row(const Functions& call, sqlite3_value* const* values) : call_(&call), values_(values) {}
    Value value(std::size_t slot) const { return {*call_, values_[slot]}; }

private:
    const Functions* call_;
    sqlite3_value* const* values_;
};

using TakeRow = std::function<void(const Row&)>;

// Has a SQL function npuwh_row(...) that takes the rows of a statement without stopping it for each: see Statement::feed.
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
    friend class Statement;
    static void take_row(sqlite3_context* context, int count, sqlite3_value** values);
    static void end_rows(sqlite3_context* context);

    std::shared_ptr<const Library> library_;
    sqlite3* handle_ = nullptr;
    const TakeRow* take_ = nullptr;  // who gets the rows of npuwh_row
    std::exception_ptr failure_;     // of that one
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
    // The row it stands on.
    Row row();
    // Runs a statement SELECT npuwh_row(...) FROM ... to its end and gives each row's values to `take`; passes on what that throws.
    void feed(const TakeRow& take);

private:
    void require(int result) const;

    Connection& connection_;
    const Functions& call_;
    sqlite3_stmt* statement_ = nullptr;
    std::size_t width_ = 0;
    std::vector<sqlite3_value*> values_;
};

}  // namespace npuwh::sqlite_rows

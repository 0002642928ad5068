#include "sqlite_rows/connection.hpp"

#include <atomic>
#include <utility>

namespace npuwh::sqlite_rows {
namespace {

// from sqlite3.h, whose numbers never change
constexpr int kOk = 0;
constexpr int kRow = 100;
constexpr int kDone = 101;
constexpr int kOpenReadOnly = 0x1;
constexpr int kOpenUri = 0x40;
constexpr int kOpenNoMutex = 0x8000;  // one thread at a time uses it
constexpr int kConfigDefensive = 1010;
constexpr int kConfigTrustedSchema = 1017;
constexpr int kUtf8 = 1;
constexpr int kDirectOnly = 0x80000;  // not from a view or trigger of the file
constexpr const char* kRowFunction = "npuwh_row";

// SQLite's function that tells a function of ours whose it is; all connections have the same library.
std::atomic<void* (*)(sqlite3_context*)> user_data{nullptr};

}  // namespace

std::string_view Value::text() const {
    const unsigned char* const text = call_.value_text(value_);  // before the number of its bytes, as SQLite asks for
    const int bytes = call_.value_bytes(value_);
    if (text == nullptr) {
        throw SqliteError("out of memory");
    }
    return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(bytes)};
}

Connection::Connection(std::shared_ptr<const Library> library, const std::string& uri, int busy_milliseconds)
    : library_(std::move(library)) {
    const int opened = call().open_v2(uri.c_str(), &handle_, kOpenReadOnly | kOpenUri | kOpenNoMutex, nullptr);
    if (opened != kOk) {
        const std::string text = handle_ == nullptr ? "out of memory" : call().errmsg(handle_);
        call().close(handle_);
        throw SqliteError(text);
    }
    call().busy_timeout(handle_, busy_milliseconds);
    // a SQLite that is too old to know one of these refuses it, as Python does without saying so
    call().db_config(handle_, kConfigDefensive, 1, static_cast<int*>(nullptr));
    call().db_config(handle_, kConfigTrustedSchema, 0, static_cast<int*>(nullptr));
    user_data = call().user_data;
    call().create_function_v2(handle_, kRowFunction, -1, kUtf8 | kDirectOnly, this, nullptr, take_row, end_rows, nullptr);
}

void Connection::take_row(sqlite3_context* context, int, sqlite3_value** values) {
    auto& self = *static_cast<Connection*>(user_data.load(std::memory_order_relaxed)(context));
    try {
        (*self.take_)(Row(self.call(), values));
    } catch (...) {
        self.failure_ = std::current_exception();
        self.call().result_error(context, "stopped", -1);
    }
}

void Connection::end_rows(sqlite3_context*) {}

Connection::~Connection() { call().close(handle_); }

void Connection::execute(const std::string& statement) {
    Statement prepared(*this, statement);
    while (prepared.step()) {
    }
}

Statement::Statement(Connection& connection, const std::string& text) : connection_(connection), call_(connection.call()) {
    require(call_.prepare_v2(connection.handle(), text.c_str(), static_cast<int>(text.size() + 1), &statement_, nullptr));
    if (statement_ == nullptr) {
        throw SqliteError("no statement");
    }
    width_ = static_cast<std::size_t>(call_.column_count(statement_));
    values_.resize(width_);
}

Statement::~Statement() { call_.finalize(statement_); }

Statement::Statement(Statement&& other) noexcept
    : connection_(other.connection_),
      call_(other.call_),
      statement_(std::exchange(other.statement_, nullptr)),
      width_(other.width_),
      values_(std::move(other.values_)) {}

void Statement::bind(std::size_t position, std::int64_t value) {
    require(call_.bind_int64(statement_, static_cast<int>(position + 1), value));
}

void Statement::bind_null(std::size_t position) { require(call_.bind_null(statement_, static_cast<int>(position + 1))); }

bool Statement::step() {
    const int result = call_.step(statement_);
    if (result == kRow) {
        return true;
    }
    if (result != kDone) {
        require(result);
    }
    return false;
}

void Statement::reset() { call_.reset(statement_); }

Row Statement::row() {
    for (std::size_t column = 0; column < width_; ++column) {
        values_[column] = call_.column_value(statement_, static_cast<int>(column));
    }
    return {call_, values_.data()};
}

void Statement::feed(const TakeRow& take) {
    connection_.take_ = &take;
    connection_.failure_ = nullptr;
    const int result = call_.step(statement_);
    connection_.take_ = nullptr;
    const std::exception_ptr failure = std::exchange(connection_.failure_, nullptr);
    if (failure) {
        reset();
        std::rethrow_exception(failure);
    }
    if (result != kRow && result != kDone) {
        require(result);
    }
    reset();
}

void Statement::require(int result) const {
    if (result != kOk) {
        throw SqliteError(call_.errmsg(connection_.handle()));
    }
}

}  // namespace npuwh::sqlite_rows

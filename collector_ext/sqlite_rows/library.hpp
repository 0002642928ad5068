// The copy of SQLite that this process has already: Python's own.
//
// Two copies that open one file lose each other's locks, so none is linked or loaded here: the functions come from a handle on the
// extension module that Python's sqlite3 stands on, and on nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

struct sqlite3;
struct sqlite3_context;
struct sqlite3_stmt;
struct sqlite3_value;

namespace npuwh::sqlite_rows {

// Why this process's SQLite cannot be used from here.
struct Unavailable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// SQLite's C functions, named as it names them without "sqlite3_".
struct Functions {
    const char* (*libversion)();
    int (*threadsafe)();
    std::int64_t (*memory_used)();
    int (*open_v2)(const char*, sqlite3**, int, const char*);
    int (*close)(sqlite3*);
    const char* (*errmsg)(sqlite3*);
    int (*busy_timeout)(sqlite3*, int);
    int (*db_config)(sqlite3*, int, ...);
    void (*interrupt)(sqlite3*);
    int (*prepare_v2)(sqlite3*, const char*, int, sqlite3_stmt**, const char**);
    int (*finalize)(sqlite3_stmt*);
    int (*reset)(sqlite3_stmt*);
    int (*step)(sqlite3_stmt*);
    int (*bind_int64)(sqlite3_stmt*, int, std::int64_t);
    int (*bind_null)(sqlite3_stmt*, int);
    int (*column_count)(sqlite3_stmt*);
    sqlite3_value* (*column_value)(sqlite3_stmt*, int);
    int (*value_type)(sqlite3_value*);
    std::int64_t (*value_int64)(sqlite3_value*);
    double (*value_double)(sqlite3_value*);
    const unsigned char* (*value_text)(sqlite3_value*);
    int (*value_bytes)(sqlite3_value*);
    int (*create_function_v2)(sqlite3*, const char*, int, int, void*, void (*)(sqlite3_context*, int, sqlite3_value**),
                              void (*)(sqlite3_context*, int, sqlite3_value**), void (*)(sqlite3_context*), void (*)(void*));
    void* (*user_data)(sqlite3_context*);
    void (*result_error)(sqlite3_context*, const char*, int);
};

class Library {
public:
    // extension: path of the loaded module `_sqlite3`; version: what that module says of its SQLite.  Throws Unavailable.
    static std::shared_ptr<const Library> of(const std::string& extension, const std::string& version);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    const Functions& call() const { return functions_; }

private:
    explicit Library(void* handle) : handle_(handle) {}
    void* handle_;
    Functions functions_{};
};

}  // namespace npuwh::sqlite_rows

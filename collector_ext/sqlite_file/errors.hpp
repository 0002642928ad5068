// What can go wrong while a file is written.
#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace npuwh::sqlite_file {

// A statement that this writer does not do; the text names what.
struct Unsupported : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// A value that the schema forbids: NULL, a wrong type, a duplicate.
struct ConstraintFailed : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

[[noreturn]] inline void throw_errno(const char* what, int code = errno) {
    throw std::system_error(code, std::generic_category(), what);
}

}  // namespace npuwh::sqlite_file

// What is left to the cursor of Python, which then says what is wrong, if anything is.
#pragma once

#include <stdexcept>

namespace npuwh::sqlite_rows {

struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Rows that were read in another order than theirs, in the belief that it is the same.
struct OutOfOrder : Refused {
    using Refused::Refused;
};

}  // namespace npuwh::sqlite_rows

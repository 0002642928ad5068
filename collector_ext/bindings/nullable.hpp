// What ingest hands from arrays of numbers to tables.
#pragma once

#include <pybind11/pybind11.h>

namespace npuwh {

// Int64 values of which -1 stands for NULL.
struct Nullable {
    pybind11::object values;
};

}  // namespace npuwh

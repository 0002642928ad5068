// A native record batch as a Python object.
#pragma once

#include <pybind11/pybind11.h>

#include "decode/record_batch.hpp"

namespace npuwh {

// `NativeBatch` with the Arrow C data interface, or None for null.
pybind11::object batch_object(const SharedBatch& batch);

}  // namespace npuwh

// A column of int64 that a Python object owns.
#pragma once

#include <pybind11/pybind11.h>

#include "sweep/columns.hpp"

namespace npuwh {

// Takes a contiguous one-dimensional buffer of 64-bit integers (array('q'), numpy, memoryview cast to 'q'), plain bytes whose size
// is a multiple of 8 (pyarrow.Buffer), or a pyarrow int64 array without nulls (its offset is honoured).  Keeps it alive and locked
// until destroyed, which needs the GIL.
class Int64Input {
public:
    Int64Input(const pybind11::handle& object, const char* name);
    ~Int64Input();
    Int64Input(const Int64Input&) = delete;
    Int64Input& operator=(const Int64Input&) = delete;

    const ColumnView& view() const { return view_; }

private:
    void take_buffer(const pybind11::handle& object, const char* name);
    void take_arrow(const pybind11::handle& object, const char* name);

    Py_buffer buffer_{};
    bool has_buffer_ = false;
    pybind11::object owner_;
    ColumnView view_;
};

}  // namespace npuwh

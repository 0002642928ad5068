#include "bindings/int64_input.hpp"

#include <cstring>
#include <string>

#include "decode/arrow_abi.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

bool has_nulls(const ArrowArray& array) {
    if (array.null_count == 0 || array.buffers[0] == nullptr) {
        return false;
    }
    if (array.null_count > 0) {
        return true;
    }
    const auto* valid = static_cast<const unsigned char*>(array.buffers[0]);  // -1: not counted yet
    for (std::int64_t row = array.offset; row < array.offset + array.length; ++row) {
        if ((valid[row / 8] >> (row % 8) & 1) == 0) {
            return true;
        }
    }
    return false;
}

bool is_int64_format(const char* format) {
    if (format == nullptr) {
        return false;
    }
    if (*format == '@' || *format == '=' || *format == '<') {
        ++format;
    }
    return std::strcmp(format, "q") == 0 || std::strcmp(format, "l") == 0;
}

bool is_byte_format(const char* format) {
    return format == nullptr || std::strcmp(format, "b") == 0 || std::strcmp(format, "B") == 0 || std::strcmp(format, "c") == 0;
}

}  // namespace

Int64Input::Int64Input(const py::handle& object, const char* name) {
    if (PyObject_CheckBuffer(object.ptr()) != 0) {
        take_buffer(object, name);
    } else if (py::hasattr(object, "__arrow_c_array__")) {
        take_arrow(object, name);
    } else {
        throw py::type_error(std::string(name) + ": expected a buffer or an Arrow array of int64, not " +
                             Py_TYPE(object.ptr())->tp_name);
    }
}

void Int64Input::take_buffer(const py::handle& object, const char* name) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_FORMAT | PyBUF_ND | PyBUF_C_CONTIGUOUS) != 0) {
        throw py::error_already_set();
    }
    has_buffer_ = true;
    const bool is_int64 = buffer_.itemsize == 8 && is_int64_format(buffer_.format);
    const bool is_bytes = buffer_.itemsize == 1 && is_byte_format(buffer_.format) && buffer_.len % 8 == 0;
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(buffer_.buf) % alignof(std::int64_t) == 0;
    if (buffer_.ndim > 1 || !(is_int64 || is_bytes) || !(is_aligned || buffer_.len == 0)) {
        const std::string format = buffer_.format == nullptr ? "B" : buffer_.format;
        PyBuffer_Release(&buffer_);
        has_buffer_ = false;
        throw py::type_error(std::string(name) + ": expected one dimension of int64 (format 'q'), not format '" + format + "'");
    }
    view_ = ColumnView(static_cast<const std::int64_t*>(buffer_.buf), static_cast<std::size_t>(buffer_.len) / 8);
}

void Int64Input::take_arrow(const py::handle& object, const char* name) {
    const py::tuple capsules = object.attr("__arrow_c_array__")();
    const auto* schema = static_cast<const ArrowSchema*>(PyCapsule_GetPointer(capsules[0].ptr(), "arrow_schema"));
    const auto* array = static_cast<const ArrowArray*>(PyCapsule_GetPointer(capsules[1].ptr(), "arrow_array"));
    if (schema == nullptr || array == nullptr) {
        throw py::error_already_set();
    }
    if (std::strcmp(schema->format, "l") != 0) {
        throw py::type_error(std::string(name) + ": expected an Arrow array of int64, not of format '" + schema->format + "'");
    }
    if (has_nulls(*array)) {
        throw py::value_error(std::string(name) + ": the Arrow array has nulls; fill them first");
    }
    owner_ = capsules;  // releasing the capsule releases the array
    const auto* values = static_cast<const std::int64_t*>(array->buffers[1]);
    view_ = ColumnView(values == nullptr ? nullptr : values + array->offset, static_cast<std::size_t>(array->length));
}

Int64Input::~Int64Input() {
    if (has_buffer_) {
        PyBuffer_Release(&buffer_);
    }
}

}  // namespace npuwh

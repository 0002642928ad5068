#include "bindings/column_input.hpp"

#include <cstring>
#include <utility>

#include "bindings/nullable.hpp"
#include "decode/arrow_abi.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using sqlite_file::ColumnSource;

std::pair<const ArrowSchema*, const ArrowArray*> arrow_pair(const py::tuple& capsules) {
    const auto* schema = static_cast<const ArrowSchema*>(PyCapsule_GetPointer(capsules[0].ptr(), "arrow_schema"));
    const auto* array = static_cast<const ArrowArray*>(PyCapsule_GetPointer(capsules[1].ptr(), "arrow_array"));
    if (schema == nullptr || array == nullptr) {
        throw py::error_already_set();
    }
    return {schema, array};
}

}  // namespace

ColumnInput::ColumnInput(const py::handle& object, const std::string& name, bool copies) {
    if (py::isinstance<Nullable>(object)) {
        take_buffer(object.cast<const Nullable&>().values, name, copies);
        if (source_.kind != ColumnSource::Kind::int64) {
            throw py::type_error(name + ": expected int64 in Nullable");
        }
        source_.none_is_null = true;
    } else if (take_scalar(object, name)) {
        source_.is_constant = true;
        source_.length = 1;
    } else if (py::hasattr(object, "__arrow_c_array__")) {
        take_arrow(object, name);
    } else if (PyObject_CheckBuffer(object.ptr()) != 0) {
        take_buffer(object, name, copies);
    } else {
        throw py::type_error(name + ": expected an Arrow array, a buffer of int64 or double, or one value, not " +
                             Py_TYPE(object.ptr())->tp_name);
    }
}

bool ColumnInput::take_scalar(const py::handle& object, const std::string& name) {
    if (object.is_none()) {
        return true;
    }
    if (PyLong_Check(object.ptr()) != 0) {
        int overflow = 0;
        integer_ = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
        if (overflow != 0) {
            throw py::value_error(name + ": an int beyond 64 bits");
        }
        source_ = ColumnSource::of_int64(&integer_, 1);
        return true;
    }
    if (PyFloat_Check(object.ptr()) != 0) {
        real_ = PyFloat_AS_DOUBLE(object.ptr());
        source_ = ColumnSource::of_float64(&real_, 1);
        return true;
    }
    if (PyUnicode_Check(object.ptr()) != 0) {
        Py_ssize_t size = 0;
        const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
        if (text == nullptr) {
            throw py::error_already_set();
        }
        take_bytes(text, static_cast<std::size_t>(size), ColumnSource::Kind::text64);
        owner_ = py::reinterpret_borrow<py::object>(object);
        return true;
    }
    if (PyBytes_Check(object.ptr()) != 0) {
        take_bytes(PyBytes_AS_STRING(object.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(object.ptr())), ColumnSource::Kind::blob64);
        owner_ = py::reinterpret_borrow<py::object>(object);
        return true;
    }
    return false;
}

void ColumnInput::take_bytes(const char* bytes, std::size_t size, ColumnSource::Kind kind) {
    source_.kind = kind;
    starts_[1] = static_cast<std::int64_t>(size);
    source_.values = starts_;
    source_.bytes = reinterpret_cast<const std::uint8_t*>(bytes);
}

void ColumnInput::take_buffer(const py::handle& object, const std::string& name, bool copies) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_FORMAT | PyBUF_ND | PyBUF_C_CONTIGUOUS) != 0) {
        throw py::error_already_set();
    }
    has_buffer_ = true;
    const char* format = buffer_.format == nullptr ? "B" : buffer_.format;
    format += *format == '@' || *format == '=' || *format == '<' ? 1 : 0;
    const bool is_int64 = std::strcmp(format, "q") == 0 || std::strcmp(format, "l") == 0;
    const bool is_float64 = std::strcmp(format, "d") == 0;
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(buffer_.buf) % alignof(std::int64_t) == 0;
    if (buffer_.ndim != 1 || buffer_.itemsize != 8 || !(is_int64 || is_float64) || !(is_aligned || buffer_.len == 0)) {
        const std::string found = format;
        PyBuffer_Release(&buffer_);
        has_buffer_ = false;
        throw py::type_error(name + ": expected one dimension of int64 or double, not format '" + found + "'");
    }
    const auto length = static_cast<std::size_t>(buffer_.len) / 8;
    const void* values = buffer_.buf;
    if (copies && buffer_.readonly == 0 && length > 0) {
        copy_.resize(length);
        std::memcpy(copy_.data(), values, length * sizeof copy_[0]);
        values = copy_.data();
        PyBuffer_Release(&buffer_);
        has_buffer_ = false;
    }
    source_ = is_int64 ? ColumnSource::of_int64(static_cast<const std::int64_t*>(values), length)
                       : ColumnSource::of_float64(static_cast<const double*>(values), length);
}

void ColumnInput::take_arrow(const py::handle& object, const std::string& name) {
    const py::tuple capsules = object.attr("__arrow_c_array__")();
    const auto [schema, array] = arrow_pair(capsules);
    source_ = ColumnSource::of_arrow(*schema, *array, name);
    owner_ = capsules;  // releasing the capsule releases the array
}

ColumnInput::~ColumnInput() {
    if (has_buffer_) {
        PyBuffer_Release(&buffer_);
    }
}

std::vector<std::pair<std::string, ColumnSource>> columns_of_batch(const py::tuple& capsules) {
    const auto [schema, array] = arrow_pair(capsules);
    if (std::strcmp(schema->format, "+s") != 0) {
        throw py::type_error("expected an Arrow record batch");
    }
    std::vector<std::pair<std::string, ColumnSource>> columns;
    for (std::int64_t place = 0; place < schema->n_children; ++place) {
        const std::string name = schema->children[place]->name;
        ColumnSource source = ColumnSource::of_arrow(*schema->children[place], *array->children[place], name);
        source.offset += array->offset;
        source.length = array->length;
        columns.emplace_back(name, std::move(source));
    }
    return columns;
}

}  // namespace npuwh

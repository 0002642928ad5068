#include "bindings/int64_column.hpp"

#include <cstdint>
#include <string>

#include "bindings/bindings.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

constexpr py::ssize_t kItemSize = sizeof(std::int64_t);

py::buffer_info buffer_of(const Int64Column& column) {
    static std::int64_t none = 0;  // an empty vector has no address, and some consumers insist on one
    const Column& values = *column.values;
    void* data = values.empty() ? &none : const_cast<std::int64_t*>(values.data());  // the buffer is read-only
    return {data, kItemSize, "q", 1, {static_cast<py::ssize_t>(values.size())}, {kItemSize}, true};
}

std::int64_t item(const Int64Column& column, py::ssize_t row) {
    const auto size = static_cast<py::ssize_t>(column.values->size());
    if (row < -size || row >= size) {
        throw py::index_error("row " + std::to_string(row) + " of a column of " + std::to_string(size));
    }
    return (*column.values)[static_cast<std::size_t>(row < 0 ? row + size : row)];
}

py::list list_of(const Int64Column& column) {
    py::list list(column.values->size());
    for (std::size_t row = 0; row < column.values->size(); ++row) {
        list[row] = (*column.values)[row];
    }
    return list;
}

}  // namespace

void bind_columns(py::module_& module) {
    py::class_<Int64Column>(module, "Int64Column", py::buffer_protocol(),
                            "Read-only int64 values; a buffer, so memoryview and pyarrow take it without a copy.")
        .def_buffer(&buffer_of)
        .def("__len__", [](const Int64Column& column) { return column.values->size(); })
        .def("__getitem__", &item, py::arg("row"))
        .def(
            "__iter__",
            [](const Int64Column& column) { return py::make_iterator(column.values->begin(), column.values->end()); },
            py::keep_alive<0, 1>())
        .def("tolist", &list_of);
}

}  // namespace npuwh

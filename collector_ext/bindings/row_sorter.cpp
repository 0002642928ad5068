// Sorters of rows and the memory they share.
#include "sort/row_sorter.hpp"

#include <pybind11/stl.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/decode_batch.hpp"
#include "bindings/guarded.hpp"
#include "decode/arrow_abi.hpp"
#include "sort/sorted_reader.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using sort::RowSorter;
using sort::SortColumn;
using sort::SpillFolder;
using sort::WordColumn;

using GuardedReader = Guarded<sort::SortedReader>;

SortColumn column_of(const ArrowSchema& schema) {
    SortColumn column{schema.name, ColumnType::int64, (schema.flags & ARROW_FLAG_NULLABLE) != 0};
    if (std::strcmp(schema.format, "g") == 0) {
        column.type = ColumnType::float64;
    } else if (std::strcmp(schema.format, "L") == 0) {
        column.type = ColumnType::uint64;
    } else if (std::strcmp(schema.format, "l") != 0) {
        throw py::type_error("RowSorter.add: column " + column.name + " is of format '" + schema.format + "', not of 64-bit numbers");
    }
    return column;
}

void add(const std::shared_ptr<RowSorter>& self, const py::object& batch) {
    const py::tuple capsules = batch.attr("__arrow_c_array__")();
    const auto* schema = static_cast<const ArrowSchema*>(PyCapsule_GetPointer(capsules[0].ptr(), "arrow_schema"));
    const auto* array = static_cast<const ArrowArray*>(PyCapsule_GetPointer(capsules[1].ptr(), "arrow_array"));
    if (schema == nullptr || array == nullptr) {
        throw py::error_already_set();
    }
    if (std::strcmp(schema->format, "+s") != 0) {
        throw py::type_error("RowSorter.add: expected an Arrow record batch");
    }
    std::vector<SortColumn> names;
    std::vector<WordColumn> columns;
    for (std::int64_t place = 0; place < schema->n_children; ++place) {
        names.push_back(column_of(*schema->children[place]));
        const ArrowArray& child = *array->children[place];
        const auto first = static_cast<std::size_t>(array->offset + child.offset);
        const auto* values = static_cast<const std::int64_t*>(child.buffers[1]);
        const auto* validity = child.null_count == 0 ? nullptr : static_cast<const std::uint8_t*>(child.buffers[0]);
        columns.push_back({values == nullptr ? nullptr : values + first, validity, validity == nullptr ? 0 : first});
    }
    const py::gil_scoped_release release;
    self->append(names, columns, static_cast<std::size_t>(array->length));
}

std::unique_ptr<GuardedReader> read(const std::shared_ptr<RowSorter>& self, const std::vector<std::string>& columns,
                                    const std::vector<std::string>& together) {
    const py::gil_scoped_release release;
    return std::make_unique<GuardedReader>(self, columns, together);
}

}  // namespace

void bind_row_sorter(py::module_& module) {
    py::class_<SpillFolder, std::shared_ptr<SpillFolder>>(module, "SpillFolder")
        .def(py::init([](const py::bytes& place, std::size_t memory_bytes) { return std::make_shared<SpillFolder>(place, memory_bytes); }),
             py::arg("place"), py::arg("memory_bytes"))
        .def_property_readonly("held_bytes", &SpillFolder::held);
    py::class_<GuardedReader>(module, "SortedReader")
        .def(
            "next",
            [](GuardedReader& self, std::size_t rows) {
                return batch_object(self.run([&](sort::SortedReader& reader) { return reader.next(rows); }));
            },
            py::arg("rows"));
    py::class_<RowSorter, std::shared_ptr<RowSorter>>(module, "RowSorter")
        .def(py::init(&RowSorter::make), py::arg("keys"), py::arg("folder"))
        .def("add", &add, py::arg("batch"))
        .def("spill", &RowSorter::spill, py::call_guard<py::gil_scoped_release>())
        .def("read", &read, py::arg("columns") = std::vector<std::string>(),
             py::arg("together") = std::vector<std::string>())
        .def_property_readonly("rows", &RowSorter::rows)
        .def_property_readonly("held_bytes", [](const RowSorter& self) { return self.held(); });
}

}  // namespace npuwh

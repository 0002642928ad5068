// Rows of a statement as Arrow columns, by the SQLite that Python has loaded.
#include <pybind11/stl.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/decode_batch.hpp"
#include "bindings/guarded.hpp"
#include "sqlite_rows/table_rows.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using sqlite_rows::Library;
using sqlite_rows::TableRows;
using GuardedRows = Guarded<TableRows>;

ColumnType type_of(const std::string& kind) {
    if (kind == "INTEGER") {
        return ColumnType::int64;
    }
    if (kind == "REAL") {
        return ColumnType::float64;
    }
    if (kind == "TEXT") {
        return ColumnType::utf8;
    }
    throw std::invalid_argument("no kind of column: " + kind);
}

std::unique_ptr<GuardedRows> open(const std::shared_ptr<Library>& library, const std::string& uri, const std::string& statement,
                                  const std::vector<std::pair<std::string, std::string>>& columns, int busy_milliseconds) {
    std::vector<std::string> names;
    std::vector<ColumnType> types;
    for (const auto& [name, kind] : columns) {
        names.push_back(name);
        types.push_back(type_of(kind));
    }
    const py::gil_scoped_release release;
    return std::make_unique<GuardedRows>(library, uri, statement, std::move(names), types, busy_milliseconds);
}

}  // namespace

void bind_table_rows(py::module_& module) {
    py::class_<GuardedRows>(module, "TableRows")
        .def(py::init(&open), py::arg("library"), py::arg("uri"), py::arg("statement"), py::arg("columns"), py::kw_only(),
             py::arg("busy_milliseconds") = 10000)
        .def(
            "next", [](GuardedRows& self, std::size_t rows) { return batch_object(self.run([&](TableRows& table) { return table.next(rows); })); },
            py::arg("rows"));
}

}  // namespace npuwh

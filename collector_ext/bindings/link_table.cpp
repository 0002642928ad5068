#include "links/link_table.hpp"

#include <memory>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/guarded.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using sqlite_file::SpillFile;
using GuardedTable = Guarded<LinkTable>;

void add(GuardedTable& self, const py::object& key, const py::args& columns) {
    const Int64Input keys(key, "key");
    std::vector<std::unique_ptr<Int64Input>> inputs;
    std::vector<ColumnView> views;
    for (const auto& column : columns) {
        inputs.push_back(std::make_unique<Int64Input>(column, "column"));
        views.push_back(inputs.back()->view());
    }
    self.run([&](LinkTable& table) { table.add(keys.view(), views); });
}

py::list find(GuardedTable& self, const py::object& key) {
    const Int64Input keys(key, "key");
    std::vector<Column> found = self.run([&](LinkTable& table) { return table.find(keys.view()); });
    py::list columns;
    for (Column& column : found) {
        columns.append(Int64Column{std::make_shared<const Column>(std::move(column))});
    }
    return columns;
}

}  // namespace

void bind_link_table(py::module_& module) {
    py::class_<SpillFile, std::shared_ptr<SpillFile>>(module, "LinkFile").def(py::init<int>(), py::arg("handle"));
    py::class_<GuardedTable>(module, "LinkTable")
        .def(py::init<std::shared_ptr<SpillFile>, std::size_t, std::size_t>(), py::arg("file"), py::arg("columns"),
             py::arg("memory_bytes"))
        .def("add", &add, py::arg("key"))
        .def("find", &find, py::arg("key"))
        .def_property_readonly("memory_bytes", [](GuardedTable& self) {
            return self.run([](const LinkTable& table) { return table.memory(); });
        });
}

}  // namespace npuwh

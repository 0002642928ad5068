#include "sweep/keyed_sums.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/guarded.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using GuardedSums = Guarded<KeyedSums>;
using Inputs = std::vector<std::unique_ptr<Int64Input>>;

Inputs inputs_of(const py::list& columns, const char* name) {
    Inputs inputs;
    for (const py::handle column : columns) {
        inputs.push_back(std::make_unique<Int64Input>(column, name));
    }
    return inputs;
}

std::vector<ColumnView> views_of(const Inputs& inputs) {
    std::vector<ColumnView> views;
    for (const auto& input : inputs) {
        views.push_back(input->view());
    }
    return views;
}

void feed(GuardedSums& self, const py::list& keys, const py::list& values) {
    const Inputs key_inputs = inputs_of(keys, "key");
    const Inputs value_inputs = inputs_of(values, "value");
    self.run([&](KeyedSums& sums) { sums.feed(views_of(key_inputs), views_of(value_inputs)); });
}

std::shared_ptr<GroupSums> take(GuardedSums& self, std::size_t least) {
    return std::make_shared<GroupSums>(self.run([least](KeyedSums& sums) { return sums.take(least); }));
}

using Groups = std::shared_ptr<GroupSums>;

Int64Column column_of(const Groups& groups, const Column& column) {
    return {std::shared_ptr<const Column>(groups, &column)};
}

template <Column ValueSums::*member>
py::list value_columns(const Groups& groups) {
    py::list columns;
    for (const ValueSums& value : groups->values) {
        columns.append(column_of(groups, value.*member));
    }
    return columns;
}

py::list key_columns(const Groups& groups) {
    py::list columns;
    for (const Column& key : groups->keys) {
        columns.append(column_of(groups, key));
    }
    return columns;
}

}  // namespace

void bind_keyed_sums(py::module_& module) {
    py::class_<GroupSums, Groups>(module, "GroupSums")
        .def_property_readonly("keys", &key_columns)
        .def_property_readonly("counts", &value_columns<&ValueSums::count>)
        .def_property_readonly("sums", &value_columns<&ValueSums::sum>)
        .def_property_readonly("least", &value_columns<&ValueSums::least>)
        .def_property_readonly("most", &value_columns<&ValueSums::most>);
    py::class_<GuardedSums>(module, "KeyedSums")
        .def(py::init<std::size_t, std::size_t>(), py::arg("keys"), py::arg("values"))
        .def("feed", &feed, py::arg("keys"), py::arg("values"))
        .def("take", &take, py::arg("least") = 0);
}

}  // namespace npuwh

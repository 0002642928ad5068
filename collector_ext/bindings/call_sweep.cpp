#include "sweep/call_sweep.hpp"

#include <memory>

#include "bindings/bindings.hpp"
#include "bindings/guarded.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using GuardedSweep = Guarded<CallSweep>;

std::shared_ptr<CallLinks> feed(GuardedSweep& self, const py::object& kind, const py::object& start, const py::object& end,
                                const py::object& thread, const py::object& level, const py::object& item,
                                const py::object& type) {
    const Int64Input kinds(kind, "kind");
    const Int64Input starts(start, "start");
    const Int64Input ends(end, "end");
    const Int64Input threads(thread, "thread");
    const Int64Input levels(level, "level");
    const Int64Input items(item, "item");
    const Int64Input types(type, "type");
    return std::make_shared<CallLinks>(self.run([&](CallSweep& sweep) {
        return sweep.feed(kinds.view(), starts.view(), ends.view(), threads.view(), levels.view(), items.view(), types.view());
    }));
}

}  // namespace

void bind_call_sweep(py::module_& module) {
    bind_table<CallLinks>(module, "CallLinks",
                          {{"acl", &CallLinks::acl},
                           {"model", &CallLinks::model},
                           {"node", &CallLinks::node},
                           {"outer", &CallLinks::outer},
                           {"comm", &CallLinks::comm},
                           {"parent", &CallLinks::parent},
                           {"model_item", &CallLinks::model_item},
                           {"node_item", &CallLinks::node_item},
                           {"outer_item", &CallLinks::outer_item},
                           {"comm_item", &CallLinks::comm_item},
                           {"node_type", &CallLinks::node_type},
                           {"outer_type", &CallLinks::outer_type},
                           {"comm_type", &CallLinks::comm_type}});
    py::class_<GuardedSweep>(module, "CallSweep")
        .def(py::init<>())
        .def("feed", &feed, py::arg("kind"), py::arg("start"), py::arg("end"), py::arg("thread"), py::arg("level"),
             py::arg("item"), py::arg("type"));
}

}  // namespace npuwh

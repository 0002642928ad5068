// Calls that are open where operators start.
#include <memory>

#include "bindings/bindings.hpp"
#include "bindings/guarded.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"
#include "sweep/stack_sweep.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using GuardedStacks = Guarded<StackSweep>;

std::shared_ptr<StackedOps> feed(GuardedStacks& self, const py::object& thread, const py::object& event,
                                 const py::object& code, const py::object& row) {
    const Int64Input threads(thread, "thread");
    const Int64Input events(event, "event");
    const Int64Input codes(code, "code");
    const Int64Input rows(row, "row");
    return std::make_shared<StackedOps>(self.run(
        [&](StackSweep& sweep) { return sweep.feed(threads.view(), events.view(), codes.view(), rows.view()); }));
}

template <StackLevels (StackSweep::*kTake)()>
std::shared_ptr<StackLevels> take(GuardedStacks& self) {
    return std::make_shared<StackLevels>(self.run([](StackSweep& sweep) { return (sweep.*kTake)(); }));
}

}  // namespace

void bind_stack_sweep(py::module_& module) {
    bind_table<StackedOps>(
        module, "StackedOps", {{"row", &StackedOps::row}, {"stack", &StackedOps::stack}, {"module", &StackedOps::module}});
    bind_table<StackLevels>(
        module, "StackLevels",
        {{"stack", &StackLevels::stack}, {"depth", &StackLevels::depth}, {"code", &StackLevels::code}});
    py::class_<GuardedStacks>(module, "StackSweep")
        .def(py::init<>())
        .def("feed", &feed, py::arg("thread"), py::arg("event"), py::arg("code"), py::arg("row"))
        .def("take_stacks", &take<&StackSweep::take_stacks>)
        .def("take_modules", &take<&StackSweep::take_modules>);
}

}  // namespace npuwh

#include "sweep/allocation_sweep.hpp"

#include <memory>

#include "bindings/bindings.hpp"
#include "bindings/guarded.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using GuardedSweep = Guarded<AllocationSweep>;

std::unique_ptr<GuardedSweep> make(const py::object& skipped, const py::object& framework) {
    const Int64Input skips(skipped, "skipped");
    const Int64Input own(framework, "framework");
    return std::make_unique<GuardedSweep>(skips.view(), own.view());
}

std::shared_ptr<AllocationNames> feed(GuardedSweep& self, const py::object& time, const py::object& kind, const py::object& row,
                                      const py::object& end, const py::object& name, const py::object& pid, const py::object& tid,
                                      const py::object& key) {
    const Int64Input times(time, "time");
    const Int64Input kinds(kind, "kind");
    const Int64Input rows(row, "row");
    const Int64Input ends(end, "end");
    const Int64Input names(name, "name");
    const Int64Input pids(pid, "pid");
    const Int64Input tids(tid, "tid");
    const Int64Input keys(key, "key");
    return std::make_shared<AllocationNames>(self.run([&](AllocationSweep& sweep) {
        return sweep.feed(times.view(), kinds.view(), rows.view(), ends.view(), names.view(), pids.view(), tids.view(), keys.view());
    }));
}

}  // namespace

void bind_allocation_sweep(py::module_& module) {
    bind_table<AllocationNames>(module, "AllocationNames", {{"row", &AllocationNames::row}, {"name", &AllocationNames::name}});
    py::class_<GuardedSweep>(module, "AllocationSweep")
        .def(py::init(&make), py::arg("skipped"), py::arg("framework"))
        .def("feed", &feed, py::arg("time"), py::arg("kind"), py::arg("row"), py::arg("end"), py::arg("name"), py::arg("pid"),
             py::arg("tid"), py::arg("key"));
}

}  // namespace npuwh

#include "sweep/lane_sweep.hpp"

#include <memory>

#include "bindings/bindings.hpp"
#include "bindings/guarded.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using GuardedSweep = Guarded<LaneSweep>;

Int64Column feed(GuardedSweep& self, const py::object& track, const py::object& start, const py::object& end) {
    const Int64Input tracks(track, "track");
    const Int64Input starts(start, "start");
    const Int64Input ends(end, "end");
    return {std::make_shared<const Column>(
        self.run([&](LaneSweep& sweep) { return sweep.feed(tracks.view(), starts.view(), ends.view()); }))};
}

}  // namespace

void bind_lane_sweep(py::module_& module) {
    py::class_<GuardedSweep>(module, "LaneSweep")
        .def(py::init<>())
        .def("feed", &feed, py::arg("track"), py::arg("start"), py::arg("end"));
}

}  // namespace npuwh

#include "sweep/lane_sweep.hpp"

#include <mutex>

#include "bindings/bindings.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

// The GIL is released while a sweep runs, so two Python threads could meet in it.
struct PyLaneSweep {
    LaneSweep sweep;
    std::mutex mutex;
};

}  // namespace

void bind_lane_sweep(py::module_& module) {
    py::class_<PyLaneSweep>(module, "LaneSweep")
        .def(py::init<>())
        .def(
            "feed",
            [](PyLaneSweep& self, const py::object& track, const py::object& start, const py::object& end) {
                const Int64Input tracks(track, "track");
                const Int64Input starts(start, "start");
                const Int64Input ends(end, "end");
                Column lanes;
                {
                    const py::gil_scoped_release release;
                    const std::lock_guard<std::mutex> lock(self.mutex);
                    lanes = self.sweep.feed(tracks.view(), starts.view(), ends.view());
                }
                return share_column(std::move(lanes));
            },
            py::arg("track"), py::arg("start"), py::arg("end"));
}

}  // namespace npuwh

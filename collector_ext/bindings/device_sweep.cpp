#include "sweep/device_sweep.hpp"

#include <mutex>

#include "bindings/bindings.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

struct PyDeviceLinks {
    SharedColumn wait, step, task_step, lane;

    explicit PyDeviceLinks(DeviceLinks&& links)
        : wait(share_column(std::move(links.wait))),
          step(share_column(std::move(links.step))),
          task_step(share_column(std::move(links.task_step))),
          lane(share_column(std::move(links.lane))) {}
};

struct PyBusyIntervals {
    SharedColumn device, kind, start, end, step;

    explicit PyBusyIntervals(BusyIntervals&& intervals)
        : device(share_column(std::move(intervals.device))),
          kind(share_column(std::move(intervals.kind))),
          start(share_column(std::move(intervals.start))),
          end(share_column(std::move(intervals.end))),
          step(share_column(std::move(intervals.step))) {}
};

struct PyStepTotals {
    SharedColumn step, device, computing, communication, not_overlapped, free, bubble, first_start, last_end;

    explicit PyStepTotals(StepTotals&& totals)
        : step(share_column(std::move(totals.step))),
          device(share_column(std::move(totals.device))),
          computing(share_column(std::move(totals.computing))),
          communication(share_column(std::move(totals.communication))),
          not_overlapped(share_column(std::move(totals.not_overlapped))),
          free(share_column(std::move(totals.free))),
          bubble(share_column(std::move(totals.bubble))),
          first_start(share_column(std::move(totals.first_start))),
          last_end(share_column(std::move(totals.last_end))) {}
};

// The GIL is released while a sweep runs, so two Python threads could meet in it.
struct PyDeviceSweep {
    DeviceSweep sweep;
    std::mutex mutex;

    PyDeviceSweep(const ColumnView& ids, const ColumnView& text_starts, const ColumnView& text_ends,
                  const ColumnView& task_starts, const ColumnView& task_ends)
        : sweep(ids, text_starts, text_ends, task_starts, task_ends) {}
};

template <class Call>
auto without_gil(PyDeviceSweep& self, Call call) {
    const py::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(self.mutex);
    return call(self.sweep);
}

}  // namespace

void bind_device_sweep(py::module_& module) {
    py::class_<PyDeviceLinks>(module, "DeviceLinks")
        .def_readonly("wait", &PyDeviceLinks::wait)
        .def_readonly("step", &PyDeviceLinks::step)
        .def_readonly("task_step", &PyDeviceLinks::task_step)
        .def_readonly("lane", &PyDeviceLinks::lane);
    py::class_<PyBusyIntervals>(module, "BusyIntervals")
        .def_readonly("device", &PyBusyIntervals::device)
        .def_readonly("kind", &PyBusyIntervals::kind)
        .def_readonly("start", &PyBusyIntervals::start)
        .def_readonly("end", &PyBusyIntervals::end)
        .def_readonly("step", &PyBusyIntervals::step);
    py::class_<PyStepTotals>(module, "StepTotals")
        .def_readonly("step", &PyStepTotals::step)
        .def_readonly("device", &PyStepTotals::device)
        .def_readonly("computing", &PyStepTotals::computing)
        .def_readonly("communication", &PyStepTotals::communication)
        .def_readonly("not_overlapped", &PyStepTotals::not_overlapped)
        .def_readonly("free", &PyStepTotals::free)
        .def_readonly("bubble", &PyStepTotals::bubble)
        .def_readonly("first_start", &PyStepTotals::first_start)
        .def_readonly("last_end", &PyStepTotals::last_end);
    py::class_<PyDeviceSweep>(module, "DeviceSweep")
        .def(py::init([](const py::object& step_ids, const py::object& text_starts, const py::object& text_ends,
                         const py::object& task_starts, const py::object& task_ends) {
                 const Int64Input ids(step_ids, "step_ids");
                 const Int64Input text_from(text_starts, "text_starts");
                 const Int64Input text_to(text_ends, "text_ends");
                 const Int64Input task_from(task_starts, "task_starts");
                 const Int64Input task_to(task_ends, "task_ends");
                 return std::make_unique<PyDeviceSweep>(ids.view(), text_from.view(), text_to.view(), task_from.view(),
                                                        task_to.view());
             }),
             py::arg("step_ids"), py::arg("text_starts"), py::arg("text_ends"), py::arg("task_starts"),
             py::arg("task_ends"))
        .def(
            "feed",
            [](PyDeviceSweep& self, const py::object& kind, const py::object& start, const py::object& end,
               const py::object& device, const py::object& track) {
                const Int64Input kinds(kind, "kind");
                const Int64Input starts(start, "start");
                const Int64Input ends(end, "end");
                const Int64Input devices(device, "device");
                const Int64Input tracks(track, "track");
                return PyDeviceLinks(without_gil(self, [&](DeviceSweep& sweep) {
                    return sweep.feed(kinds.view(), starts.view(), ends.view(), devices.view(), tracks.view());
                }));
            },
            py::arg("kind"), py::arg("start"), py::arg("end"), py::arg("device"), py::arg("track"))
        .def("take_intervals",
             [](PyDeviceSweep& self) {
                 return PyBusyIntervals(without_gil(self, [](DeviceSweep& sweep) { return sweep.take_intervals(); }));
             })
        .def("finish",
             [](PyDeviceSweep& self) {
                 return PyBusyIntervals(without_gil(self, [](DeviceSweep& sweep) { return sweep.finish(); }));
             })
        .def("step_totals", [](PyDeviceSweep& self) {
            return PyStepTotals(without_gil(self, [](DeviceSweep& sweep) { return sweep.step_totals(); }));
        });
}

}  // namespace npuwh

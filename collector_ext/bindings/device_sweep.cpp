#include "sweep/device_sweep.hpp"

#include <memory>

#include "bindings/bindings.hpp"
#include "bindings/guarded.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using GuardedSweep = Guarded<DeviceSweep>;

std::unique_ptr<GuardedSweep> make(const py::object& step_ids, const py::object& text_starts, const py::object& text_ends,
                                   const py::object& task_starts, const py::object& task_ends) {
    const Int64Input ids(step_ids, "step_ids");
    const Int64Input text_from(text_starts, "text_starts");
    const Int64Input text_to(text_ends, "text_ends");
    const Int64Input task_from(task_starts, "task_starts");
    const Int64Input task_to(task_ends, "task_ends");
    return std::make_unique<GuardedSweep>(ids.view(), text_from.view(), text_to.view(), task_from.view(), task_to.view());
}

std::shared_ptr<DeviceLinks> feed(GuardedSweep& self, const py::object& kind, const py::object& start, const py::object& end,
                                  const py::object& device, const py::object& track) {
    const Int64Input kinds(kind, "kind");
    const Int64Input starts(start, "start");
    const Int64Input ends(end, "end");
    const Int64Input devices(device, "device");
    const Int64Input tracks(track, "track");
    return std::make_shared<DeviceLinks>(self.run([&](DeviceSweep& sweep) {
        return sweep.feed(kinds.view(), starts.view(), ends.view(), devices.view(), tracks.view());
    }));
}

std::shared_ptr<BusyIntervals> take_intervals(GuardedSweep& self) {
    return std::make_shared<BusyIntervals>(self.run([](DeviceSweep& sweep) { return sweep.take_intervals(); }));
}

std::shared_ptr<BusyIntervals> finish(GuardedSweep& self) {
    return std::make_shared<BusyIntervals>(self.run([](DeviceSweep& sweep) { return sweep.finish(); }));
}

std::shared_ptr<StepTotals> step_totals(GuardedSweep& self) {
    return std::make_shared<StepTotals>(self.run([](const DeviceSweep& sweep) { return sweep.step_totals(); }));
}

}  // namespace

void bind_device_sweep(py::module_& module) {
    bind_table<DeviceLinks>(module, "DeviceLinks",
                            {{"wait", &DeviceLinks::wait},
                             {"step", &DeviceLinks::step},
                             {"task_step", &DeviceLinks::task_step},
                             {"lane", &DeviceLinks::lane}});
    bind_table<BusyIntervals>(module, "BusyIntervals",
                              {{"device", &BusyIntervals::device},
                               {"kind", &BusyIntervals::kind},
                               {"start", &BusyIntervals::start},
                               {"end", &BusyIntervals::end},
                               {"step", &BusyIntervals::step},
                               {"copies", &BusyIntervals::copies},
                               {"copy_ns", &BusyIntervals::copy_ns}});
    bind_table<StepTotals>(module, "StepTotals",
                           {{"step", &StepTotals::step},
                            {"device", &StepTotals::device},
                            {"computing", &StepTotals::computing},
                            {"communication", &StepTotals::communication},
                            {"not_overlapped", &StepTotals::not_overlapped},
                            {"free", &StepTotals::free},
                            {"bubble", &StepTotals::bubble},
                            {"first_start", &StepTotals::first_start},
                            {"last_end", &StepTotals::last_end}});
    py::class_<GuardedSweep>(module, "DeviceSweep")
        .def(py::init(&make), py::arg("step_ids"), py::arg("text_starts"), py::arg("text_ends"), py::arg("task_starts"),
             py::arg("task_ends"))
        .def("feed", &feed, py::arg("kind"), py::arg("start"), py::arg("end"), py::arg("device"), py::arg("track"))
        .def("take_intervals", &take_intervals)
        .def("finish", &finish)
        .def("step_totals", &step_totals);
}

}  // namespace npuwh

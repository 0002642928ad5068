// Ticks as nanoseconds.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "bindings/bindings.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"
#include "decode/clock.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

template <class Clock>
Int64Column column_ns(const Clock& clock, const py::object& ticks) {
    const Int64Input input(ticks, "ticks");
    Column result(input.view().size());
    {
        const py::gil_scoped_release release;
        for (std::size_t row = 0; row < result.size(); ++row) {
            result[row] = clock.ns(input.view()[row]);
        }
    }
    return {std::make_shared<const Column>(std::move(result))};
}

}  // namespace

void bind_clocks(py::module_& module) {
    py::class_<TickClock>(module, "TickClock",
                          "PROF ticks as ns, exact: base_ns + (tick - base_tick) * 1000 / mhz, rounded down; mhz is decimal text.  An "
                          "empty mhz says that ticks are ns: tick + base_ns.")
        .def(py::init([](const std::string& mhz, std::int64_t base_tick, std::int64_t base_ns) {
                 return mhz.empty() ? TickClock(base_ns) : TickClock(Frequency::parse(mhz), base_tick, base_ns);
             }),
             py::arg("mhz"), py::arg("base_tick"), py::arg("base_ns"))
        .def("ns", &TickClock::ns, py::arg("tick"))
        .def("duration_ns", &TickClock::duration_ns, py::arg("ticks"))
        .def("column_ns", &column_ns<TickClock>, py::arg("ticks"));
    py::class_<FrameworkClock>(module, "FrameworkClock",
                               "FRAMEWORK ticks as ns, with the reference reader's arithmetic of doubles; without a frequency ticks are ns.")
        .def(py::init<double, std::int64_t, std::int64_t, std::int64_t>(), py::arg("mhz"), py::arg("start_tick"),
             py::arg("start_ns"), py::arg("offset_ns"))
        .def(py::init<std::int64_t>(), py::arg("offset_ns"))
        .def("ns", &FrameworkClock::ns, py::arg("tick"))
        .def("column_ns", &column_ns<FrameworkClock>, py::arg("ticks"));
    module.def(
        "latched_ns",
        [](std::int64_t base_ns, std::int64_t ticks, const std::string& mhz) {
            return latched_ns(base_ns, ticks, Frequency::parse(mhz));
        },
        py::arg("base_ns"), py::arg("ticks"), py::arg("mhz"), "When the device's counter was latched: base_ns + round(ticks * 1000 / mhz).");
    module.def(
        "microseconds_to_ns", [](const std::string& text) { return microseconds_to_ns(text); }, py::arg("text"),
        "Microseconds as text to ns; at most three decimals count.");
}

}  // namespace npuwh

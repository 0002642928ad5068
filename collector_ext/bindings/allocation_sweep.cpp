#include "sweep/allocation_sweep.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/guarded.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"
#include "bindings/row_sorter.hpp"
#include "sort/sorted_reader.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using GuardedSweep = Guarded<AllocationSweep>;

constexpr std::size_t kReadRows = 4096;

AllocationSweep::Next reading(const PySorter& sorter, const std::vector<std::string>& columns) {
    const auto reader = std::make_shared<sort::SortedReader>(sorter.sorter, columns, std::vector<std::string>());
    return [reader](std::vector<std::int64_t>& out) { return reader->next_words(kReadRows, kNone, out); };
}

std::unique_ptr<GuardedSweep> make(const PySorter& operators, const PySorter& queue, const py::object& skipped, const py::object& framework) {
    const Int64Input skips(skipped, "skipped");
    const Int64Input own(framework, "framework");
    const py::gil_scoped_release release;
    return std::make_unique<GuardedSweep>(reading(operators, {"start", "end", "name", "tid"}),
                                          reading(queue, {"time", "kind", "end", "pid", "tid", "key"}), skips.view(), own.view());
}

std::shared_ptr<AllocationNames> feed(GuardedSweep& self, const py::object& time, const py::object& row, const py::object& pid,
                                      const py::object& tid) {
    const Int64Input times(time, "time");
    const Int64Input rows(row, "row");
    const Int64Input pids(pid, "pid");
    const Int64Input tids(tid, "tid");
    return std::make_shared<AllocationNames>(
        self.run([&](AllocationSweep& sweep) { return sweep.feed(times.view(), rows.view(), pids.view(), tids.view()); }));
}

}  // namespace

void bind_allocation_sweep(py::module_& module) {
    bind_table<AllocationNames>(module, "AllocationNames", {{"row", &AllocationNames::row}, {"name", &AllocationNames::name}});
    py::class_<GuardedSweep>(module, "AllocationSweep")
        .def(py::init(&make), py::arg("operators"), py::arg("queue"), py::arg("skipped"), py::arg("framework"))
        .def("feed", &feed, py::arg("time"), py::arg("row"), py::arg("pid"), py::arg("tid"))
        .def("finish", [](GuardedSweep& self) {
            return std::make_shared<AllocationNames>(self.run([](AllocationSweep& sweep) { return sweep.finish(); }));
        });
}

}  // namespace npuwh

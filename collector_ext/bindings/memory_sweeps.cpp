// Blocks of memory, and ranges of the task queue.
#include <pybind11/stl.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/guarded.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"
#include "bindings/row_sorter.hpp"
#include "sweep/block_sweep.hpp"
#include "sweep/mark_sweep.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using GuardedBlocks = Guarded<BlockSweep>;
using GuardedMarks = Guarded<MarkSweep>;

std::unique_ptr<Int64Input> input_of(const py::dict& columns, const char* name) {
    if (!columns.contains(name)) {
        throw py::value_error(std::string("BlockSweep.feed: there is no column ") + name);
    }
    return std::make_unique<Int64Input>(columns[name], name);
}

py::dict columns_of(BlockSweep::Columns&& columns) {
    py::dict named;
    for (std::size_t column = 0; column < columns.size(); ++column) {
        named[BlockSweep::name_of(static_cast<BlockSweep::Result>(column))] = Int64Column{std::make_shared<const Column>(std::move(columns[column]))};
    }
    return named;
}

py::dict feed_records(GuardedBlocks& self, const py::dict& columns) {
    std::vector<std::unique_ptr<Int64Input>> inputs;
    std::array<ColumnView, BlockSweep::kFields> records;
    for (std::size_t field = 0; field < records.size(); ++field) {
        inputs.push_back(input_of(columns, BlockSweep::name_of(static_cast<BlockSweep::Field>(field))));
        records[field] = inputs.back()->view();
    }
    BlockSweep::Columns found;
    self.run([&](BlockSweep& sweep) { sweep.feed(records, found); });
    return columns_of(std::move(found));
}

std::shared_ptr<MarkRanges> feed_marks(GuardedMarks& self, const py::object& half, const py::object& is_end, const py::object& tid,
                                       const py::object& pid, const py::object& name, const py::object& time, const py::object& key,
                                       const py::object& row) {
    const Int64Input halves(half, "half");
    const Int64Input ends(is_end, "is_end");
    const Int64Input tids(tid, "tid");
    const Int64Input pids(pid, "pid");
    const Int64Input names(name, "name");
    const Int64Input times(time, "time");
    const Int64Input keys(key, "key");
    const Int64Input rows(row, "row");
    return std::make_shared<MarkRanges>(self.run([&](MarkSweep& sweep) {
        return sweep.feed(halves.view(), ends.view(), tids.view(), pids.view(), names.view(), times.view(), keys.view(), rows.view());
    }));
}

}  // namespace

void bind_memory_sweeps(py::module_& module) {
    py::class_<GuardedBlocks>(module, "BlockSweep")
        .def(py::init<>())
        .def("feed", &feed_records, py::arg("columns"))
        .def("finish", [](GuardedBlocks& self) {
            BlockSweep::Columns found;
            self.run([&](BlockSweep& sweep) { sweep.finish(found); });
            return columns_of(std::move(found));
        });
    bind_table<MarkRanges>(module, "MarkRanges",
                           {{"half", &MarkRanges::half},
                            {"tid", &MarkRanges::tid},
                            {"pid", &MarkRanges::pid},
                            {"name", &MarkRanges::name},
                            {"start", &MarkRanges::start},
                            {"end", &MarkRanges::end},
                            {"key", &MarkRanges::key},
                            {"row", &MarkRanges::row}});
    py::class_<GuardedMarks>(module, "MarkSweep")
        .def(py::init<>())
        .def("feed", &feed_marks, py::arg("half"), py::arg("is_end"), py::arg("tid"), py::arg("pid"), py::arg("name"), py::arg("time"),
             py::arg("key"), py::arg("row"));
}

}  // namespace npuwh

#include "sweep/call_locator.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>

#include "bindings/bindings.hpp"
#include "bindings/guarded.hpp"
#include "bindings/int64_input.hpp"
#include "bindings/row_sorter.hpp"
#include "sort/sorted_reader.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using GuardedLocator = Guarded<CallLocator>;

constexpr std::size_t kReadRows = 4096;

std::unique_ptr<GuardedLocator> make(const PySorter& calls) {
    const py::gil_scoped_release release;
    const std::vector<std::string> columns{"start", "end", "thread", "level", "item", "type"};
    const auto reader = std::make_shared<sort::SortedReader>(calls.sorter, columns, std::vector<std::string>());
    return std::make_unique<GuardedLocator>([reader](std::vector<std::int64_t>& out) { return reader->next_words(kReadRows, kNone, out); });
}

std::unique_ptr<Int64Block> locate(GuardedLocator& self, const py::object& time, const py::object& thread, const std::vector<std::string>& links) {
    const Int64Input times(time, "time");
    const Int64Input threads(thread, "thread");
    std::vector<CallLocator::Link> wanted;
    for (const std::string& name : links) {
        wanted.push_back(CallLocator::link_named(name));
        if (wanted.back() == CallLocator::kLinks) {
            throw py::value_error("CallLocator.locate: there is no link " + name);
        }
    }
    auto block = std::make_unique<Int64Block>(Int64Block{links.size(), times.view().size(), {}});
    self.run([&](CallLocator& locator) { locator.locate(times.view(), threads.view(), wanted, block->values); });
    return block;
}

}  // namespace

void bind_call_locator(py::module_& module) {
    py::class_<GuardedLocator>(module, "CallLocator")
        .def(py::init(&make), py::arg("calls"))
        .def("locate", &locate, py::arg("time"), py::arg("thread"), py::arg("links"));
}

}  // namespace npuwh

#include "sweep/host_sweep.hpp"

#include <memory>

#include "bindings/bindings.hpp"
#include "bindings/guarded.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using GuardedSweep = Guarded<HostSweep>;

std::unique_ptr<GuardedSweep> make(const py::object& step_ids, const py::object& step_starts, const py::object& step_ends,
                                   std::int64_t first_op_id, std::int64_t first_python_id, std::int64_t first_api_id,
                                   std::int64_t first_queue_id, bool has_queue) {
    const Int64Input ids(step_ids, "step_ids");
    const Int64Input starts(step_starts, "step_starts");
    const Int64Input ends(step_ends, "step_ends");
    const HostSweep::FirstIds first_ids{first_op_id, first_python_id, first_api_id, first_queue_id};
    return std::make_unique<GuardedSweep>(ids.view(), starts.view(), ends.view(), first_ids, has_queue);
}

std::shared_ptr<HostLinks> feed(GuardedSweep& self, const py::object& kind, const py::object& start, const py::object& end,
                                const py::object& thread, const py::object& name, const py::object& key,
                                const py::object& module) {
    const Int64Input kinds(kind, "kind");
    const Int64Input starts(start, "start");
    const Int64Input ends(end, "end");
    const Int64Input threads(thread, "thread");
    const Int64Input names(name, "name");
    const Int64Input keys(key, "key");
    const Int64Input modules(module, "module");
    return std::make_shared<HostLinks>(self.run([&](HostSweep& sweep) {
        return sweep.feed(kinds.view(), starts.view(), ends.view(), threads.view(), names.view(), keys.view(), modules.view());
    }));
}

std::shared_ptr<QueueTasks> take_queue_tasks(GuardedSweep& self) {
    return std::make_shared<QueueTasks>(self.run([](HostSweep& sweep) { return sweep.take_queue_tasks(); }));
}

std::shared_ptr<QueueTasks> finish(GuardedSweep& self) {
    return std::make_shared<QueueTasks>(self.run([](HostSweep& sweep) { return sweep.finish(); }));
}

}  // namespace

void bind_host_sweep(py::module_& module) {
    bind_table<HostLinks>(module, "HostLinks",
                          {{"id", &HostLinks::id},
                           {"parent", &HostLinks::parent},
                           {"depth", &HostLinks::depth},
                           {"lane", &HostLinks::lane},
                           {"op", &HostLinks::op},
                           {"rule", &HostLinks::rule},
                           {"queue", &HostLinks::queue},
                           {"number", &HostLinks::number},
                           {"step", &HostLinks::step},
                           {"inside", &HostLinks::inside},
                           {"python", &HostLinks::python},
                           {"framework", &HostLinks::framework},
                           {"framework_name", &HostLinks::framework_name},
                           {"frame", &HostLinks::frame},
                           {"frame_name", &HostLinks::frame_name},
                           {"module", &HostLinks::module},
                           {"outer_module", &HostLinks::outer_module},
                           {"outer_name", &HostLinks::outer_name},
                           {"outer_key", &HostLinks::outer_key}});
    bind_table<QueueTasks>(module, "QueueTasks",
                           {{"id", &QueueTasks::id},
                            {"correlation", &QueueTasks::correlation},
                            {"op", &QueueTasks::op},
                            {"step", &QueueTasks::step},
                            {"enqueue_start", &QueueTasks::enqueue_start},
                            {"enqueue_end", &QueueTasks::enqueue_end},
                            {"enqueue_thread", &QueueTasks::enqueue_thread},
                            {"enqueue_name", &QueueTasks::enqueue_name},
                            {"dequeue_start", &QueueTasks::dequeue_start},
                            {"dequeue_end", &QueueTasks::dequeue_end},
                            {"dequeue_thread", &QueueTasks::dequeue_thread},
                            {"dequeue_name", &QueueTasks::dequeue_name}});
    py::class_<GuardedSweep>(module, "HostSweep")
        .def(py::init(&make), py::arg("step_ids"), py::arg("step_starts"), py::arg("step_ends"), py::arg("first_op_id"),
             py::arg("first_python_id"), py::arg("first_api_id"), py::arg("first_queue_id"), py::arg("has_queue"))
        .def("feed", &feed, py::arg("kind"), py::arg("start"), py::arg("end"), py::arg("thread"), py::arg("name"),
             py::arg("key"), py::arg("module"))
        .def("take_queue_tasks", &take_queue_tasks)
        .def("finish", &finish);
}

}  // namespace npuwh

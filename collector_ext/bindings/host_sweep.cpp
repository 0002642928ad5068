#include "sweep/host_sweep.hpp"

#include <mutex>

#include "bindings/bindings.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

struct PyHostLinks {
    SharedColumn id, parent, depth, lane, op, rule, queue, step, inside;

    explicit PyHostLinks(HostLinks&& links)
        : id(share_column(std::move(links.id))),
          parent(share_column(std::move(links.parent))),
          depth(share_column(std::move(links.depth))),
          lane(share_column(std::move(links.lane))),
          op(share_column(std::move(links.op))),
          rule(share_column(std::move(links.rule))),
          queue(share_column(std::move(links.queue))),
          step(share_column(std::move(links.step))),
          inside(share_column(std::move(links.inside))) {}
};

struct PyQueueTasks {
    SharedColumn id, correlation, op, step;
    SharedColumn enqueue_start, enqueue_end, enqueue_thread, enqueue_name;
    SharedColumn dequeue_start, dequeue_end, dequeue_thread, dequeue_name;

    explicit PyQueueTasks(QueueTasks&& tasks)
        : id(share_column(std::move(tasks.id))),
          correlation(share_column(std::move(tasks.correlation))),
          op(share_column(std::move(tasks.op))),
          step(share_column(std::move(tasks.step))),
          enqueue_start(share_column(std::move(tasks.enqueue_start))),
          enqueue_end(share_column(std::move(tasks.enqueue_end))),
          enqueue_thread(share_column(std::move(tasks.enqueue_thread))),
          enqueue_name(share_column(std::move(tasks.enqueue_name))),
          dequeue_start(share_column(std::move(tasks.dequeue_start))),
          dequeue_end(share_column(std::move(tasks.dequeue_end))),
          dequeue_thread(share_column(std::move(tasks.dequeue_thread))),
          dequeue_name(share_column(std::move(tasks.dequeue_name))) {}
};

// The GIL is released while a sweep runs, so two Python threads could meet in it.
struct PyHostSweep {
    HostSweep sweep;
    std::mutex mutex;

    PyHostSweep(const ColumnView& ids, const ColumnView& starts, const ColumnView& ends, HostSweep::FirstIds first_ids,
                bool has_queue)
        : sweep(ids, starts, ends, first_ids, has_queue) {}
};

template <class Call>
auto without_gil(PyHostSweep& self, Call call) {
    const py::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(self.mutex);
    return call(self.sweep);
}

}  // namespace

void bind_host_sweep(py::module_& module) {
    py::class_<PyHostLinks>(module, "HostLinks")
        .def_readonly("id", &PyHostLinks::id)
        .def_readonly("parent", &PyHostLinks::parent)
        .def_readonly("depth", &PyHostLinks::depth)
        .def_readonly("lane", &PyHostLinks::lane)
        .def_readonly("op", &PyHostLinks::op)
        .def_readonly("rule", &PyHostLinks::rule)
        .def_readonly("queue", &PyHostLinks::queue)
        .def_readonly("step", &PyHostLinks::step)
        .def_readonly("inside", &PyHostLinks::inside);
    py::class_<PyQueueTasks>(module, "QueueTasks")
        .def_readonly("id", &PyQueueTasks::id)
        .def_readonly("correlation", &PyQueueTasks::correlation)
        .def_readonly("op", &PyQueueTasks::op)
        .def_readonly("step", &PyQueueTasks::step)
        .def_readonly("enqueue_start", &PyQueueTasks::enqueue_start)
        .def_readonly("enqueue_end", &PyQueueTasks::enqueue_end)
        .def_readonly("enqueue_thread", &PyQueueTasks::enqueue_thread)
        .def_readonly("enqueue_name", &PyQueueTasks::enqueue_name)
        .def_readonly("dequeue_start", &PyQueueTasks::dequeue_start)
        .def_readonly("dequeue_end", &PyQueueTasks::dequeue_end)
        .def_readonly("dequeue_thread", &PyQueueTasks::dequeue_thread)
        .def_readonly("dequeue_name", &PyQueueTasks::dequeue_name);
    py::class_<PyHostSweep>(module, "HostSweep")
        .def(py::init([](const py::object& step_ids, const py::object& step_starts, const py::object& step_ends,
                         std::int64_t first_op_id, std::int64_t first_python_id, std::int64_t first_api_id,
                         std::int64_t first_queue_id, bool has_queue) {
                 const Int64Input ids(step_ids, "step_ids");
                 const Int64Input starts(step_starts, "step_starts");
                 const Int64Input ends(step_ends, "step_ends");
                 const HostSweep::FirstIds first_ids{first_op_id, first_python_id, first_api_id, first_queue_id};
                 return std::make_unique<PyHostSweep>(ids.view(), starts.view(), ends.view(), first_ids, has_queue);
             }),
             py::arg("step_ids"), py::arg("step_starts"), py::arg("step_ends"), py::arg("first_op_id"),
             py::arg("first_python_id"), py::arg("first_api_id"), py::arg("first_queue_id"), py::arg("has_queue"))
        .def(
            "feed",
            [](PyHostSweep& self, const py::object& kind, const py::object& start, const py::object& end,
               const py::object& thread, const py::object& name, const py::object& key) {
                const Int64Input kinds(kind, "kind");
                const Int64Input starts(start, "start");
                const Int64Input ends(end, "end");
                const Int64Input threads(thread, "thread");
                const Int64Input names(name, "name");
                const Int64Input keys(key, "key");
                return PyHostLinks(without_gil(self, [&](HostSweep& sweep) {
                    return sweep.feed(kinds.view(), starts.view(), ends.view(), threads.view(), names.view(), keys.view());
                }));
            },
            py::arg("kind"), py::arg("start"), py::arg("end"), py::arg("thread"), py::arg("name"), py::arg("key"))
        .def("take_queue_tasks",
             [](PyHostSweep& self) {
                 return PyQueueTasks(without_gil(self, [](HostSweep& sweep) { return sweep.take_queue_tasks(); }));
             })
        .def("finish", [](PyHostSweep& self) {
            return PyQueueTasks(without_gil(self, [](HostSweep& sweep) { return sweep.finish(); }));
        });
}

}  // namespace npuwh

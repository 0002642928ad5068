// The Python module `warehouse._recorder`: a recording and its producers; translates and decides nothing.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <pthread.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/host_sampler.hpp"
#include "core/producer_abi.hpp"
#include "core/recorder.hpp"
#include "tracer/python_tracer.hpp"

namespace py = pybind11;
using namespace npuwh::core;

namespace {

ThreadLog* log_of_thread() noexcept { return Recorder::instance().thread_log(); }

uint32_t number_of(const char* text, size_t size) { return Recorder::instance().number_of({text, size}); }

uint32_t number_of_op(const char* name, size_t size) { return Recorder::instance().number_of_op({name, size}); }

void count_missed() noexcept { Recorder::count_missed(/*is_frame=*/false); }

// Lives as long as the process: producers keep the pointer.
ProducerAbi* producer_abi(const std::atomic<bool>* is_on, const std::atomic<uint32_t>* generation) {
    static ProducerAbi abi;
    abi.uses_counter = tick_kind() == TickKind::kCounter;
    abi.is_on = is_on;
    abi.generation = generation;
    abi.thread_log = &log_of_thread;
    abi.number_of = &number_of;
    abi.number_of_op = &number_of_op;
    abi.count_missed = &count_missed;
    return &abi;
}

void prepare(const std::string& folder, const std::string& facts_json, size_t ring_bytes, int64_t chunk_bytes,
             int64_t chunk_ns, int64_t flush_ns, int64_t disk_bytes, const std::vector<std::string>& include_ops,
             const std::vector<std::string>& exclude_ops) {
    RecorderOptions options;
    options.folder = folder;
    options.facts_json = facts_json;
    options.ring_bytes = ring_bytes;
    options.limits = {chunk_bytes, chunk_ns, flush_ns, disk_bytes};
    options.ops = {include_ops, exclude_ops};
    const py::gil_scoped_release release;
    Recorder::instance().prepare(options);
}

// A finished range of the program's own, where no torch is there to tell of it; `is_kept`: also in a pause.
bool range(const std::string& name, int64_t start, int64_t end, int scope, bool is_kept) {
    Recorder& recorder = Recorder::instance();
    ThreadLog* log = is_kept ? recorder.open_log() : recorder.thread_log();
    if (log == nullptr) return false;
    const uint32_t number = recorder.number_of_op(name);
    if (number == kLeftOut) return false;
    return log->op({{}, start, end, -1, 0, number, kNoText, kNoText, log->facts.number, 0, 0,
                    static_cast<uint8_t>(scope), 0, 0});
}

bool mark(int64_t start, int64_t end, int64_t range, const std::string& message, const std::string& domain) {
    Recorder& recorder = Recorder::instance();
    ThreadLog* log = recorder.thread_log();
    if (log == nullptr) {
        count_missed();
        return false;
    }
    auto* record = log->begin<MarkRecord>(Kind::kMark, 0, end);
    if (record == nullptr) return false;
    record->start = start;
    record->end = end;
    record->range = range;
    record->message = recorder.number_of(message);
    record->domain = recorder.number_of(domain);
    record->end_thread = log->facts.number;
    record->flags = 0;
    log->finish(record);
    return true;
}

bool gc(int64_t start, int64_t end, int generation, int collected) {
    ThreadLog* log = Recorder::instance().thread_log();
    if (log == nullptr) return false;
    auto* record = log->begin<GcRecord>(Kind::kGc, 0, end);
    if (record == nullptr) return false;
    record->start = start;
    record->end = end;
    record->generation = generation;
    record->collected = collected;
    log->finish(record);
    return true;
}

// What a module or an optimizer holds, as text (warehouse/profiler/parameters.py).
bool parameter(uint64_t key, const std::string& text, bool is_optimizer) {
    Recorder& recorder = Recorder::instance();
    ThreadLog* log = recorder.thread_log();
    if (log == nullptr) return false;
    const int64_t now = now_ticks();
    auto* record = log->begin<ParameterRecord>(Kind::kParameter, 0, now);
    if (record == nullptr) return false;
    record->time = now;
    record->key = key;
    record->text = recorder.number_of(text);
    record->is_optimizer = is_optimizer;
    log->finish(record);
    return true;
}

// Those of many objects that are of a class, by their type alone: what an object says of itself may be code.
py::list instances_of(const py::list& objects, const py::type& wanted) {
    auto* kind = reinterpret_cast<PyTypeObject*>(wanted.ptr());
    std::unordered_map<PyTypeObject*, bool> known;
    py::list found;
    for (Py_ssize_t place = 0; place < PyList_GET_SIZE(objects.ptr()); ++place) {
        PyObject* each = PyList_GET_ITEM(objects.ptr(), place);
        const auto [entry, is_new] = known.try_emplace(Py_TYPE(each), false);
        if (is_new) entry->second = PyType_IsSubtype(Py_TYPE(each), kind) != 0;
        if (entry->second) found.append(py::reinterpret_borrow<py::object>(each));
    }
    return found;
}

HostSampler* host_sampler = nullptr;  // guarded by the GIL

void stop_host() {
    HostSampler* ended = std::exchange(host_sampler, nullptr);
    const py::gil_scoped_release release;
    delete ended;
}

// `parts`: cpu, mem, disk, network.
void start_host(const std::vector<std::string>& parts, int64_t period_ns) {
    // a forked child has no such thread, and leaves the object as it is
    static const int installed = pthread_atfork(nullptr, nullptr, [] { host_sampler = nullptr; });
    if (installed != 0) throw std::runtime_error("no fork handler can be set");
    unsigned wanted = 0;
    for (const std::string& part : parts) {
        if (part == "cpu") wanted |= host_part::kCpu;
        if (part == "mem") wanted |= host_part::kMemory;
        if (part == "disk") wanted |= host_part::kDisk;
        if (part == "network") wanted |= host_part::kNetwork;
    }
    stop_host();
    if (wanted != 0) host_sampler = new HostSampler(wanted, period_ns);
}

py::dict counters() {
    const RecorderCounters found = Recorder::instance().counters();
    py::dict out;
    out["ops"] = found.ops;
    out["frames"] = found.frames;
    out["other_records"] = found.other_records;
    out["lost_events"] = found.lost_events;
    out["lost_frames"] = found.lost_frames;
    out["bytes_written"] = found.bytes_written;
    out["ring_peak_bytes"] = found.ring_peak_bytes;
    out["threads"] = found.threads;
    out["refused_threads"] = found.refused_threads;
    return out;
}

}  // namespace

PYBIND11_MODULE(_recorder, module) {
    module.def("prepare", &prepare, py::arg("folder"), py::kw_only(), py::arg("facts_json"), py::arg("ring_bytes"),
               py::arg("chunk_bytes"), py::arg("chunk_ns"), py::arg("flush_ns"), py::arg("disk_bytes"),
               py::arg("include_ops") = std::vector<std::string>(), py::arg("exclude_ops") = std::vector<std::string>());
    module.def("start", [] { Recorder::instance().start(); });
    module.def("pause", [] { Recorder::instance().pause(); });
    module.def("stop", [] { Recorder::instance().stop(); }, py::call_guard<py::gil_scoped_release>());
    module.def(
        "finish", [](const std::string& facts_json) { Recorder::instance().finish(facts_json); },
        py::arg("facts_json") = "", py::call_guard<py::gil_scoped_release>());
    module.def("is_on", [] { return Recorder::instance().is_on(); });
    module.def("is_open", [] { return Recorder::instance().is_open(); });
    module.def("state", [] { return Recorder::instance().state(); });
    module.def("reason", [] { return Recorder::instance().reason(); });
    module.def("counters", &counters);
    module.def("now_ticks", &now_ticks);
    module.def("count_missed", &count_missed);
    module.def("range", &range, py::arg("name"), py::arg("start"), py::arg("end"), py::arg("scope"),
               py::arg("is_kept") = false);
    module.def("name_thread", [](int64_t tid, std::string name) {
        Recorder::instance().name_thread(tid, std::move(name));
    });
    module.def("mark", &mark);
    module.def("gc", &gc);
    module.def("parameter", &parameter);
    module.def("instances_of", &instances_of);
    module.def("start_host", &start_host, py::arg("parts"), py::arg("period_ns"));
    module.def("stop_host", &stop_host);
    module.def("producer_abi", [] {
        Recorder& recorder = Recorder::instance();
        return reinterpret_cast<uintptr_t>(producer_abi(recorder.on_flag(), recorder.generation_counter()));
    });
    module.def("start_tracer", [](const py::object& module_call) {
        const int of_others = npuwh::tracer::start(module_call.is_none() ? nullptr : module_call.ptr());
        if (of_others < 0) throw py::error_already_set();
        return of_others;
    });
    module.def("set_module_call", [](const py::object& module_call) { npuwh::tracer::set_module_call(module_call.ptr()); });
    module.def("hide_folder", &npuwh::tracer::hide_folder);
    module.def(
        "let_pass", [](const py::object& code, bool is_runner) { npuwh::tracer::let_pass(code.ptr(), is_runner); },
        py::arg("code"), py::arg("is_runner") = false);
    module.def("leave_thread_out", &npuwh::tracer::leave_thread_out);
    module.def("start_tracer_on_thread", &npuwh::tracer::start_thread, py::arg("replaces") = false);
    module.def("resume_tracer", &npuwh::tracer::resume);
    module.def("stop_tracer", &npuwh::tracer::stop);
}

// Rows out of a warehouse as text, by the SQLite that Python has loaded.
#include <pybind11/stl.h>

#include <array>
#include <cerrno>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

#include "bindings/bindings.hpp"
#include "sqlite_rows/refused.hpp"
#include "sqlite_rows/row_export.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using sqlite_rows::Library;
using sqlite_rows::RowReader;

void write_all(int handle, std::string_view text) {
    for (std::size_t written = 0; written < text.size();) {
#if defined(_WIN32)
        const auto count = _write(handle, text.data() + written, static_cast<unsigned>(text.size() - written));
#else
        const auto count = ::write(handle, text.data() + written, text.size() - written);
#endif
        if (count >= 0) {
            written += static_cast<std::size_t>(count);
        } else if (errno != EINTR) {
            throw std::system_error(errno, std::generic_category());
        }
    }
}

// Takes text for a descriptor or a function; the first comma of an array of events becomes its bracket.
class Sink {
public:
    Sink(const py::object& target, bool is_first) : target_(target), is_first_(is_first) {
        handle_ = py::isinstance<py::int_>(target) ? target.cast<int>() : -1;
    }
    void write(std::string_view text) {
        if (text.empty()) {
            return;
        }
        if (is_first_) {
            is_first_ = false;
            write_as_it_is("[");
            text.remove_prefix(1);
        }
        write_as_it_is(text);
    }

private:
    void write_as_it_is(std::string_view text) {
        if (handle_ >= 0) {
            write_all(handle_, text);
        } else {
            const py::gil_scoped_acquire acquire;
            target_(py::bytes(text.data(), text.size()));
        }
    }
    const py::object& target_;
    bool is_first_;
    int handle_;
};

std::optional<std::size_t> optional_size(const py::dict& from, const char* key) {
    return from[key].cast<std::optional<std::size_t>>();
}

sqlite_rows::OutputColumn output_column(const py::handle& from) {
    const auto parts = py::cast<py::tuple>(from);  // name, kind, slot, text, remembered
    return {parts[0].cast<std::string>(), cell_kind(parts[1].cast<std::string>()), parts[2].cast<std::optional<std::size_t>>(),
            parts[3].cast<std::optional<std::string>>(), parts[4].cast<std::optional<std::size_t>>()};
}

sqlite_rows::Arm arm(const py::handle& from) {
    const auto dict = py::cast<py::dict>(from);
    sqlite_rows::Arm arm;
    arm.statement = dict["statement"].cast<std::string>();
    arm.values = dict["values"].cast<std::vector<std::int64_t>>();
    for (const py::handle column : dict["columns"]) {
        arm.columns.push_back(output_column(column));
    }
    for (const py::handle each : dict["remembered"]) {
        const auto parts = py::cast<py::tuple>(each);
        arm.remembered.push_back({parts[0].cast<std::string>(), parts[1].cast<std::vector<std::size_t>>()});
    }
    return arm;
}

sqlite_rows::Shape shape(const std::string& name) {
    return name == "csv" ? sqlite_rows::Shape::csv : name == "events" ? sqlite_rows::Shape::events : sqlite_rows::Shape::flows;
}

sqlite_rows::Section section(const py::handle& from) {
    const auto dict = py::cast<py::dict>(from);
    sqlite_rows::Section section;
    section.shape = shape(dict["shape"].cast<std::string>());
    for (const py::handle each : dict["arms"]) {
        section.arms.push_back(arm(each));
    }
    section.is_fed = dict["is_fed"].cast<bool>();
    section.order_slot = optional_size(dict, "order");
    for (const py::handle each : dict["ties"]) {
        const auto [slot, is_descending] = each.cast<std::pair<std::size_t, bool>>();
        section.ties.push_back({slot, is_descending});
    }
    if (!dict["bounds"].is_none()) {
        section.is_ranged = true;
        section.bounds = dict["bounds"].cast<std::vector<std::int64_t>>();
    }
    if (!dict["limits"].is_none()) {
        std::tie(section.first, section.last) = dict["limits"].cast<std::pair<std::int64_t, std::int64_t>>();
    }
    section.process_slot = optional_size(dict, "process");
    section.thread_slot = optional_size(dict, "thread");
    section.lane_pass = optional_size(dict, "lane_pass");
    section.lane_slot = dict["lane_id"].cast<std::size_t>();
    return section;
}

using Pass = std::tuple<std::string, std::vector<std::int64_t>, std::array<std::size_t, 4>>;

py::tuple run(RowReader& self, const py::iterable& sections, const std::vector<Pass>& passes,
              const std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>>& lanes, const py::object& target, bool is_first) {
    sqlite_rows::Export wanted;
    for (const py::handle each : sections) {
        wanted.sections.push_back(section(each));
    }
    for (const auto& [statement, values, slots] : passes) {
        wanted.lane_passes.push_back({statement, values, slots});
    }
    for (const auto& [thread, start, lane] : lanes) {
        wanted.slice_lanes.put(thread, start, lane);
    }
    Sink sink(target, is_first);
    sqlite_rows::Exported exported;
    {
        const py::gil_scoped_release release;
        exported = self.run(wanted, [&sink](const TextBuffer& text) { sink.write(text.view()); }, [] {
            const py::gil_scoped_acquire acquire;
            if (PyErr_CheckSignals() != 0) {
                throw py::error_already_set();
            }
        });
    }
    std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>> threads;
    for (const auto& [process, thread] : exported.threads) {
        threads.emplace_back(process, thread == sqlite_rows::kNoThread ? std::nullopt : std::make_optional(thread));
    }
    return py::make_tuple(exported.rows, threads);
}

}  // namespace

void bind_row_reader(py::module_& module) {
    py::register_exception<sqlite_rows::Unavailable>(module, "LibraryUnavailableError", PyExc_RuntimeError);
    static PyObject* refused = PyErr_NewException("warehouse._native.RowsRefusedError", PyExc_RuntimeError, nullptr);
    module.attr("RowsRefusedError") = py::handle(refused);
    static PyObject* out_of_order = PyErr_NewException("warehouse._native.RowsOutOfOrderError", refused, nullptr);
    module.attr("RowsOutOfOrderError") = py::handle(out_of_order);
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const sqlite_rows::OutOfOrder& error) {
            PyErr_SetString(out_of_order, error.what());
        } catch (const sqlite_rows::Refused& error) {
            PyErr_SetString(refused, error.what());
        } catch (const sqlite_rows::SqliteError& error) {
            PyErr_SetString(refused, error.what());
        }
    });
    py::class_<Library, std::shared_ptr<Library>>(module, "SqliteLibrary")
        .def(py::init([](const std::string& extension, const std::string& version) {
                 return std::const_pointer_cast<Library>(Library::of(extension, version));
             }),
             py::arg("extension"), py::arg("version"))
        .def("memory_used", [](const Library& self) { return self.call().memory_used(); });
    py::class_<RowReader>(module, "RowReader")
        .def(py::init([](const std::shared_ptr<Library>& library, const std::string& uri, const std::vector<std::string>& setup,
                         int busy_milliseconds, std::size_t threads) {
                 const py::gil_scoped_release release;
                 return std::make_unique<RowReader>(library, uri, busy_milliseconds, setup, threads);
             }),
             py::arg("library"), py::arg("uri"), py::arg("setup"), py::kw_only(), py::arg("busy_milliseconds") = 10000,
             py::arg("threads") = 2)
        .def("run", &run, py::arg("sections"), py::arg("lane_passes"), py::arg("lanes"), py::arg("target"), py::arg("is_first"));
}

}  // namespace npuwh

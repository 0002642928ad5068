#include "sqlite_file/database_writer.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/column_input.hpp"
#include "bindings/guarded.hpp"
#include "bindings/int64_column.hpp"
#include "sqlite_file/errors.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using sqlite_file::DatabaseWriter;
using GuardedWriter = Guarded<DatabaseWriter>;

// Lets Ctrl-C end a long write.
void look_for_signals() {
    const py::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) {
        throw py::error_already_set();
    }
}

std::unique_ptr<GuardedWriter> make(int handle, int spill_handle, const std::vector<std::string>& statements, std::size_t page_size,
                                    std::uint32_t application_id, std::uint32_t user_version, std::size_t memory_bytes,
                                    bool statistics, const std::vector<std::string>& unordered, const std::string& strings) {
    sqlite_file::WriterOptions options{page_size, application_id, user_version, memory_bytes, statistics, unordered, strings};
    return std::make_unique<GuardedWriter>(handle, spill_handle, statements, std::move(options), look_for_signals);
}

std::size_t append(GuardedWriter& self, const std::string& table, const py::object& columns) {
    std::vector<std::unique_ptr<ColumnInput>> inputs;
    DatabaseWriter::Columns sources;
    py::object owner;
    if (py::hasattr(columns, "__arrow_c_array__")) {
        const py::tuple capsules = columns.attr("__arrow_c_array__")();
        sources = columns_of_batch(capsules);
        owner = capsules;
    } else {
        for (const auto& item : py::dict(columns)) {
            const std::string name = py::str(item.first);
            inputs.push_back(std::make_unique<ColumnInput>(item.second, name));
            sources.emplace_back(name, inputs.back()->source());
        }
    }
    return self.run([&](DatabaseWriter& writer) { return writer.append(table, sources); });
}

Int64Column intern(GuardedWriter& self, const py::object& texts) {
    const ColumnInput input(texts, "texts");
    return {std::make_shared<const Column>(self.run([&](DatabaseWriter& writer) { return writer.intern(input.source()); }))};
}

}  // namespace

void bind_database_writer(py::module_& module) {
    static PyObject* constraint_failed = PyErr_NewException("warehouse._native.ConstraintError", PyExc_ValueError, nullptr);
    static PyObject* unsupported = PyErr_NewException("warehouse._native.UnsupportedError", PyExc_ValueError, nullptr);
    module.attr("ConstraintError") = py::handle(constraint_failed);
    module.attr("UnsupportedError") = py::handle(unsupported);
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const sqlite_file::ConstraintFailed& error) {
            PyErr_SetString(constraint_failed, error.what());
        } catch (const sqlite_file::Unsupported& error) {
            PyErr_SetString(unsupported, error.what());
        } catch (const std::system_error& error) {
            errno = error.code().value();
            PyErr_SetFromErrno(PyExc_OSError);
        }
    });
    py::class_<GuardedWriter>(module, "DatabaseWriter")
        .def(py::init(&make), py::arg("handle"), py::arg("spill_handle"), py::arg("statements"), py::kw_only(),
             py::arg("page_size") = 16384, py::arg("application_id") = 0, py::arg("user_version") = 0,
             py::arg("memory_bytes") = std::size_t{64} << 20, py::arg("statistics") = true,
             py::arg("unordered") = std::vector<std::string>(), py::arg("strings") = std::string())
        .def("append", &append, py::arg("table"), py::arg("columns"))
        .def("intern", &intern, py::arg("texts"))
        .def("last_rowid", [](GuardedWriter& self, const std::string& table) {
            return self.run([&](const DatabaseWriter& writer) { return writer.last_rowid(table); });
        }, py::arg("table"))
        .def("mark", [](GuardedWriter& self) { self.run([](DatabaseWriter& writer) { writer.mark(); }); })
        .def("rewind", [](GuardedWriter& self) { self.run([](DatabaseWriter& writer) { writer.rewind(); }); })
        .def("release", [](GuardedWriter& self) { self.run([](DatabaseWriter& writer) { writer.release(); }); })
        .def("finish", [](GuardedWriter& self) { self.run([](DatabaseWriter& writer) { writer.finish(); }); });
}

}  // namespace npuwh

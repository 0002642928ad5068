#include "sqlite_file/database_writer.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/column_input.hpp"
#include "bindings/int64_column.hpp"
#include "sqlite_file/errors.hpp"
#include "sqlite_file/work_feed.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using sqlite_file::DatabaseWriter;
using sqlite_file::NewStrings;
using sqlite_file::WorkFeed;

constexpr WorkFeed::Patience kPatience{100};  // between looks for Ctrl-C

// A writer whose work is done in a thread of its own, `ahead` bytes of which may wait; with 0 every call waits for what it began.
class FedWriter {
public:
    FedWriter(int handle, int spill_handle, const std::vector<std::string>& statements, sqlite_file::WriterOptions options,
              std::size_t ahead)
        : is_ahead_(ahead > 0),
          writer_(handle, spill_handle, statements, std::move(options), [this] { stop_if_cancelled(); }),
          feed_(std::make_unique<WorkFeed>(ahead)) {}

    std::size_t append(const std::string& table, const py::object& columns);
    Int64Column intern(const py::object& texts);
    std::int64_t last_rowid(const std::string& table) {
        settle();
        return writer_.last_rowid(table);
    }
    void mark() {
        settle();
        writer_.mark();
    }
    // What went wrong since the mark is taken back with the rest.
    void rewind() {
        feed_->forget_failure();
        settle();
        writer_.rewind();
    }
    void release() {
        settle();
        writer_.release();
    }
    void finish() {
        put({[this] { writer_.finish(); }, 0, nullptr});
        settle();
    }
    // Waits until all is done.
    void settle() {
        keep_trying([this] { return feed_->wait(kPatience); });
    }

private:
    struct Inputs {
        std::vector<std::unique_ptr<ColumnInput>> columns;
        py::object batch;
    };

    void stop_if_cancelled() const {
        if (feed_ != nullptr && feed_->is_cancelled()) {
            throw sqlite_file::Cancelled();
        }
    }

    void put(WorkFeed::Work work) {
        keep_trying([&] { return feed_->put(work, kPatience); });
        if (!is_ahead_) {
            settle();
        }
    }

    // Without the GIL; Ctrl-C ends the work.
    template <class Try>
    void keep_trying(Try attempt) {
        feed_->take_done();  // what Python owns is let go of here
        for (;;) {
            {
                const py::gil_scoped_release release;
                if (attempt()) {
                    break;
                }
            }
            if (PyErr_CheckSignals() != 0) {
                feed_->cancel();
                throw py::error_already_set();
            }
        }
        feed_->take_done();
    }

    bool is_ahead_;
    DatabaseWriter writer_;
    std::unique_ptr<WorkFeed> feed_;
    std::mutex interning_;
};

std::size_t FedWriter::append(const std::string& table, const py::object& columns) {
    const auto inputs = std::make_shared<Inputs>();
    const auto sources = std::make_shared<DatabaseWriter::Columns>();
    if (py::hasattr(columns, "__arrow_c_array__")) {
        const py::tuple capsules = columns.attr("__arrow_c_array__")();
        *sources = columns_of_batch(capsules);
        inputs->batch = capsules;
    } else {
        for (const auto& item : py::dict(columns)) {
            const std::string name = py::str(item.first);
            inputs->columns.push_back(std::make_unique<ColumnInput>(item.second, name, is_ahead_));
            sources->emplace_back(name, inputs->columns.back()->source());
        }
    }
    const std::size_t rows = writer_.count_rows(table, *sources);
    std::size_t bytes = 0;
    for (const auto& source : *sources) {
        bytes += source.second.size();
    }
    put({[this, table, sources] { writer_.append(table, *sources); }, bytes, inputs});
    return rows;
}

Int64Column FedWriter::intern(const py::object& texts) {
    const ColumnInput input(texts, "texts");
    const auto fresh = std::make_shared<NewStrings>();
    auto ids = std::make_shared<Column>();
    std::unique_lock<std::mutex> in_order;  // strings are appended in the order of their numbers
    {
        const py::gil_scoped_release release;
        in_order = std::unique_lock<std::mutex>(interning_);
        *ids = writer_.number(input.source(), *fresh);
    }
    if (!fresh->ends.empty()) {
        put({[this, fresh] { writer_.append(*fresh); }, fresh->bytes.size() + fresh->ends.size() * sizeof(std::size_t), nullptr});
    }
    return {ids};
}

std::unique_ptr<FedWriter> make(int handle, int spill_handle, const std::vector<std::string>& statements, std::size_t page_size,
                                std::uint32_t application_id, std::uint32_t user_version, std::size_t memory_bytes,
                                bool statistics, const std::vector<std::string>& unordered, const std::string& strings,
                                std::size_t ahead_bytes) {
    sqlite_file::WriterOptions options{page_size, application_id, user_version, memory_bytes, statistics, unordered, strings};
    return std::make_unique<FedWriter>(handle, spill_handle, statements, std::move(options), ahead_bytes);
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
    py::class_<FedWriter>(module, "DatabaseWriter")
        .def(py::init(&make), py::arg("handle"), py::arg("spill_handle"), py::arg("statements"), py::kw_only(),
             py::arg("page_size") = 16384, py::arg("application_id") = 0, py::arg("user_version") = 0,
             py::arg("memory_bytes") = std::size_t{64} << 20, py::arg("statistics") = true,
             py::arg("unordered") = std::vector<std::string>(), py::arg("strings") = std::string(), py::arg("ahead_bytes") = 0)
        .def("append", &FedWriter::append, py::arg("table"), py::arg("columns"))
        .def("intern", &FedWriter::intern, py::arg("texts"))
        .def("last_rowid", &FedWriter::last_rowid, py::arg("table"))
        .def("settle", &FedWriter::settle)
        .def("mark", &FedWriter::mark)
        .def("rewind", &FedWriter::rewind)
        .def("release", &FedWriter::release)
        .def("finish", &FedWriter::finish);
}

}  // namespace npuwh

#include "bindings/decode_decoder.hpp"

#include <pybind11/numpy.h>

#include <cstdint>
#include <string_view>

#include "bindings/bindings.hpp"
#include "bindings/decode_batch.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

// Paths are bytes to the system: they come back as Python itself decodes them.
py::object path_object(const std::string& path) {
    return py::reinterpret_steal<py::object>(
        PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<py::ssize_t>(path.size())));
}

py::dict file_dict(const FileLedger& file) {
    py::dict row;
    row["size_bytes"] = file.size_bytes;
    row["bytes_seen"] = file.bytes_seen();
    row["bytes_decoded"] = file.bytes_decoded;
    row["bytes_rejected"] = file.bytes_rejected;
    row["records_decoded"] = file.records_decoded;
    row["records_rejected"] = file.records_rejected;
    return row;
}

py::dict ledger_dict(const Ledger& ledger) {
    py::list files;
    for (const FileLedger& file : ledger.files()) {
        py::dict row = file_dict(file);
        row["path"] = path_object(file.path);
        files.append(std::move(row));
    }
    py::list faults;
    for (const FaultCount& fault : ledger.faults()) {
        py::dict row;
        row["code"] = fault.kind->code;
        row["text"] = fault.kind->text;
        row["file"] = fault.file;
        row["first_offset"] = fault.first_offset;
        row["count"] = fault.count;
        row["bytes"] = fault.bytes;
        faults.append(std::move(row));
    }
    py::dict result = file_dict(ledger.total());
    result["files"] = std::move(files);
    result["faults"] = std::move(faults);
    return result;
}

}  // namespace

std::vector<std::string> path_list(const py::iterable& paths) {
    if (py::isinstance<py::str>(paths) || py::isinstance<py::bytes>(paths)) {
        throw py::type_error("paths is one path; give a list of paths");
    }
    std::vector<std::string> result;
    for (const py::handle& path : paths) {
        PyObject* encoded = nullptr;
        if (PyUnicode_FSConverter(path.ptr(), &encoded) == 0) {
            throw py::error_already_set();
        }
        const auto bytes = py::reinterpret_steal<py::bytes>(encoded);
        result.emplace_back(static_cast<std::string_view>(bytes));
    }
    return result;
}

py::object PyDecoder::next() {
    return batch_object(alone([](BatchDecoder& decoder) { return decoder.next(); }));
}

py::object PyDecoder::take(const std::string& kind) {
    return batch_object(alone([&](BatchDecoder& decoder) { return decoder.take(kind); }));
}

py::object PyDecoder::strings() {
    return batch_object(alone([](BatchDecoder& decoder) { return decoder.strings().take(); }));
}

py::dict PyDecoder::ledger() {
    return ledger_dict(alone([](BatchDecoder& decoder) { return decoder.ledger(); }));
}

namespace {

py::tuple intern(StringTable& table, const py::list& texts) {
    py::array_t<std::int64_t> numbers(static_cast<py::ssize_t>(texts.size()));
    auto found = numbers.mutable_unchecked<1>();
    std::int64_t repaired = 0;
    const std::lock_guard<std::mutex> lock(table.mutex());
    for (std::size_t at = 0; at < texts.size(); ++at) {
        const auto interned = table.intern(static_cast<std::string_view>(py::cast<py::bytes>(texts[at])));
        found(static_cast<py::ssize_t>(at)) = interned.id;
        repaired += interned.was_repaired ? 1 : 0;
    }
    return py::make_tuple(numbers, repaired);
}

}  // namespace

void bind_decoder(py::module_& module) {
    py::class_<StringTable, SharedStrings>(
        module, "StringTable",
        "Numbers for texts, dense from first_id; decoders may share one.  take() gives the new (id, value) rows, then None.")
        .def(py::init<std::int64_t>(), py::arg("first_id") = 0)
        .def("intern", &intern, py::arg("texts"),
             "(numbers, how many of the texts are no UTF-8 and were repaired) of texts, bytes each.")
        .def("take", [](StringTable& self) {
            SharedBatch batch;
            {
                const py::gil_scoped_release release;
                const std::lock_guard<std::mutex> lock(self.mutex());
                batch = self.take();
            }
            return batch_object(batch);
        });
    py::class_<PyDecoder>(module, "Decoder", "Reads one stream of records, a batch at a time.")
        .def("next", &PyDecoder::next, "The next rows as a NativeBatch, or None at the end.")
        .def("take", &PyDecoder::take, py::arg("kind"), "Rows of another kind that came up since the last call, or None.")
        .def("strings", &PyDecoder::strings, "New texts since the last call as columns id, value, or None.  Call until None.")
        .def("ledger", &PyDecoder::ledger, "What became of the bytes so far: totals, `files` and `faults`.");
}

}  // namespace npuwh

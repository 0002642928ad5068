// The decoders of FRAMEWORK files.
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/decode_decoder.hpp"
#include "decode/framework/framework_decoder.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

struct PyFrameworkDecoder : PyDecoder {
    using PyDecoder::PyDecoder;
};

py::list kind_list() {
    py::list names;
    for (const std::string& name : framework_kinds()) {
        names.append(name);
    }
    return names;
}

}  // namespace

void bind_framework_decoder(py::module_& module) {
    py::class_<PyFrameworkDecoder, PyDecoder>(module, "FrameworkDecoder",
                                              "Decodes one kind of file in FRAMEWORK/; times are ticks, texts numbers of strings().")
        .def(py::init([](const std::string& kind, const py::iterable& paths, std::size_t window_bytes, std::size_t batch_rows,
                         SharedStrings strings, bool with_tensors) {
                 DecoderInput input;
                 input.paths = path_list(paths);
                 input.window_bytes = window_bytes;
                 input.batch_rows = batch_rows;
                 input.strings = std::move(strings);
                 return std::make_unique<PyFrameworkDecoder>(make_framework_decoder(kind, input, with_tensors));
             }),
             py::arg("kind"), py::arg("paths"), py::arg("window_bytes") = DecoderInput{}.window_bytes,
             py::arg("batch_rows") = DecoderInput{}.batch_rows, py::arg("strings") = SharedStrings(),
             py::arg("with_tensors") = false)
        .def_static("kinds", &kind_list);
}

}  // namespace npuwh

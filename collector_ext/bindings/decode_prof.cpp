// The decoders of PROF streams, and the metrics of PMU records.
#include <pybind11/stl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/decode_batch.hpp"
#include "bindings/decode_decoder.hpp"
#include "bindings/int64_input.hpp"
#include "decode/prof/pmu_metrics.hpp"
#include "decode/prof/prof_decoder.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using prof::kPmuCounters;

struct PyProfDecoder : PyDecoder {
    PyProfDecoder(const prof::ProfReader& plain, std::unique_ptr<prof::ProfReader> decoder)
        : PyDecoder(std::move(decoder)), prof(plain) {}

    const prof::ProfReader& prof;  // the base owns it
};

py::list stream_list() {
    py::list streams;
    std::string last;
    for (std::size_t index = 0; const prof::StreamFormat* const format = prof::format_at(index); ++index) {
        if (format->name != last) {  // both forms of a stream stand together
            streams.append(format->name);
        }
        last = format->name;
    }
    return streams;
}

std::unique_ptr<PyProfDecoder> make_decoder(const std::string& stream, const py::iterable& paths, const std::string& platform_version,
                                            const std::string& version, bool is_sampled, bool is_expanded, std::size_t window_bytes,
                                            std::size_t batch_rows, SharedStrings strings, std::size_t reorder, std::size_t most_open) {
    prof::ProfInput input;
    input.paths = path_list(paths);
    input.window_bytes = window_bytes;
    input.batch_rows = batch_rows;
    input.strings = std::move(strings);
    input.collection = {platform_version, version, is_sampled, is_expanded};
    input.limits.reorder = reorder;
    input.limits.open = most_open;
    auto decoder = prof::make_prof_decoder(stream, input);
    if (!decoder) {
        throw py::value_error("ProfDecoder: no stream '" + stream + "'; ProfDecoder.streams() lists those there are");
    }
    const prof::ProfReader& plain = *decoder;
    return std::make_unique<PyProfDecoder>(plain, std::move(decoder));
}

struct PyPmuMetrics {
    prof::PmuMetrics metrics;

    SharedBatch evaluate(const std::vector<ColumnView>& counters, const ColumnView& cycles, const ColumnView& blocks,
                         const ColumnView& mhz, std::uint64_t cores, double nominal_mhz) const {
        std::vector<ColumnSpec> schema;
        for (const char* const name : metrics.names()) {
            schema.push_back({name, ColumnType::float64, false});
        }
        auto batch = std::make_shared<RecordBatch>(schema, cycles.size());
        std::vector<double> values;
        prof::PmuSample sample;
        sample.cores = cores;
        sample.nominal_clock_hz = nominal_mhz * 1e6;
        for (std::size_t row = 0; row < cycles.size(); ++row) {
            sample.total_cycles = static_cast<std::uint64_t>(cycles[row]);
            for (std::size_t place = 0; place < kPmuCounters; ++place) {
                sample.counters[place] = static_cast<std::uint64_t>(counters[place][row]);
            }
            sample.blocks = static_cast<std::uint64_t>(blocks[row]);
            sample.clock_hz = static_cast<double>(mhz[row]) * 1e6;
            metrics.evaluate(sample, values);
            for (std::size_t column = 0; column < values.size(); ++column) {
                batch->column(column).add_real(values[column]);
            }
        }
        return batch;
    }
};

}  // namespace

void bind_prof_decoder(py::module_& module) {
    const prof::ProfInput defaults;
    py::class_<PyProfDecoder, PyDecoder>(module, "ProfDecoder",
                                         "Decodes one stream of a PROF directory; times are ticks, texts numbers of strings().")
        .def(py::init(&make_decoder), py::arg("stream"), py::arg("paths"), py::kw_only(), py::arg("platform_version") = "5",
             py::arg("version") = "1.0", py::arg("is_sampled") = false, py::arg("is_expanded") = false,
             py::arg("window_bytes") = defaults.window_bytes, py::arg("batch_rows") = defaults.batch_rows,
             py::arg("strings") = SharedStrings(), py::arg("reorder") = defaults.limits.reorder,
             py::arg("most_open") = defaults.limits.open)
        .def_property_readonly(
            "kind", [](const PyProfDecoder& self) { return self.prof.kind(); }, "Of the rows that next() gave last, or None.")
        .def_static("streams", &stream_list);
    py::class_<PyPmuMetrics>(module, "PmuMetrics", "Ratios, times (ns) and bandwidths (GB/s) from the counters of one kind of core.")
        .def(py::init([](const std::string& group, const std::vector<std::uint32_t>& events) {
                 return std::make_unique<PyPmuMetrics>(PyPmuMetrics{prof::PmuMetrics(group, events)});
             }),
             py::arg("group"), py::arg("events"))
        .def_static("groups", &prof::PmuMetrics::groups)
        .def_property_readonly("names", [](const PyPmuMetrics& self) { return self.metrics.names(); })
        .def(
            "evaluate",
            [](const PyPmuMetrics& self, const py::sequence& counters, const py::object& total_cycles, const py::object& blocks,
               const py::object& mhz, std::uint64_t cores, double nominal_mhz) {
                if (counters.size() != kPmuCounters) {
                    throw py::value_error("PmuMetrics.evaluate: " + std::to_string(counters.size()) + " counter columns, not " +
                                          std::to_string(kPmuCounters));
                }
                const Int64Input cycle_input(total_cycles, "total_cycles");
                const Int64Input block_input(blocks, "blocks");
                const Int64Input mhz_input(mhz, "mhz");
                const std::size_t rows = cycle_input.view().size();
                require_rows("PmuMetrics.evaluate", "blocks", block_input.view(), rows);
                require_rows("PmuMetrics.evaluate", "mhz", mhz_input.view(), rows);
                std::vector<std::unique_ptr<Int64Input>> counter_inputs;
                std::vector<ColumnView> counter_views;
                for (const py::handle counter : counters) {
                    counter_inputs.push_back(std::make_unique<Int64Input>(counter, "counters"));
                    counter_views.push_back(counter_inputs.back()->view());
                    require_rows("PmuMetrics.evaluate", "counters", counter_views.back(), rows);
                }
                SharedBatch batch;
                {
                    const py::gil_scoped_release release;
                    batch = self.evaluate(counter_views, cycle_input.view(), block_input.view(), mhz_input.view(), cores, nominal_mhz);
                }
                return batch_object(batch);
            },
            py::arg("counters"), py::arg("total_cycles"), py::arg("blocks"), py::arg("mhz"), py::kw_only(), py::arg("cores"),
            py::arg("nominal_mhz"));
}

}  // namespace npuwh

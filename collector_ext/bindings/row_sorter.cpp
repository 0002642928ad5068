// Sorters of rows and the memory they share.
#include "bindings/row_sorter.hpp"

#include <pybind11/stl.h>

#include <cstring>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/column_input.hpp"
#include "bindings/decode_batch.hpp"
#include "bindings/guarded.hpp"
#include "decode/arrow_abi.hpp"
#include "sort/sorted_reader.hpp"
#include "sweep/columns.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using sort::RowSorter;
using sort::SortColumn;
using sort::SortKey;
using sort::SpillFolder;
using sort::WordColumn;
using sqlite_file::ColumnSource;

// A reader that puts the next rows together in a thread of its own, while those before are worked on.
class ReaderAhead {
public:
    ReaderAhead(std::shared_ptr<RowSorter> sorter, const std::vector<std::string>& columns, const std::vector<std::string>& together)
        : reader_(std::move(sorter), columns, together) {}

    const sort::SortedReader& reader() const { return reader_; }

    SharedBatch next(std::size_t rows) {
        return taken(batch_, rows, [](sort::SortedReader& reader, std::size_t most) { return reader.next(most); },
                     [](const SharedBatch& batch) { return batch ? batch->rows() : 0; });
    }

    Int64Block next_columns(std::size_t rows) {
        const auto read = [](sort::SortedReader& reader, std::size_t most) {
            Int64Block block;
            block.columns = reader.columns();
            block.rows = reader.next_words(most, kNone, block.values);
            return block;
        };
        return taken(block_, rows, read, [](const Int64Block& block) { return block.rows; });
    }

    Int64Block columns_between(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& last) {
        require_one_way(batch_.valid() || block_.valid());
        Int64Block block;
        block.columns = reader_.columns();
        block.rows = reader_.words_between(first, last, kNone, block.values);
        return block;
    }

private:
    static constexpr std::size_t kFewRows = 1024;  // not worth a thread

    static void require_one_way(bool is_other) {
        if (is_other) {
            throw std::logic_error("SortedReader: rows are read in two ways");
        }
    }

    template <class Rows, class Read, class Count>
    Rows taken(std::future<Rows>& following, std::size_t most, Read read, Count count) {
        require_one_way(following.valid() ? most_ != most : batch_.valid() || block_.valid());
        most_ = most;
        Rows rows = following.valid() ? following.get() : read(reader_, most);
        if (const std::size_t found = count(rows); found >= most && found >= kFewRows) {
            following = std::async(std::launch::async, [this, read, most] { return read(reader_, most); });
        }
        return rows;
    }

    sort::SortedReader reader_;
    std::size_t most_ = 0;
    std::future<SharedBatch> batch_;  // waited for before the reader goes
    std::future<Int64Block> block_;
};

using GuardedReader = Guarded<ReaderAhead>;

ColumnType type_of(const std::string& format, const std::string& name) {
    if (format == "g") {
        return ColumnType::float64;
    }
    if (format == "L") {
        return ColumnType::uint64;
    }
    if (format != "l") {
        throw py::type_error("RowSorter: column " + name + " is of format '" + format + "', not of 64-bit numbers");
    }
    return ColumnType::int64;
}

std::unique_ptr<PySorter> make(const std::vector<SortKey>& keys, const std::shared_ptr<SpillFolder>& folder, const py::object& schema) {
    auto made = std::make_unique<PySorter>();
    made->sorter = RowSorter::make(keys, folder);
    if (!schema.is_none()) {
        const auto capsule = py::reinterpret_borrow<py::object>(schema.attr("__arrow_c_schema__")());
        const auto* fields = static_cast<const ArrowSchema*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_schema"));
        if (fields == nullptr) {
            throw py::error_already_set();
        }
        for (std::int64_t place = 0; place < fields->n_children; ++place) {
            const ArrowSchema& field = *fields->children[place];
            made->columns.push_back({field.name, type_of(field.format, field.name), (field.flags & ARROW_FLAG_NULLABLE) != 0});
        }
    }
    return made;
}

void add(PySorter& self, const py::object& batch) {
    const py::tuple capsules = batch.attr("__arrow_c_array__")();
    const auto* schema = static_cast<const ArrowSchema*>(PyCapsule_GetPointer(capsules[0].ptr(), "arrow_schema"));
    const auto* array = static_cast<const ArrowArray*>(PyCapsule_GetPointer(capsules[1].ptr(), "arrow_array"));
    if (schema == nullptr || array == nullptr) {
        throw py::error_already_set();
    }
    if (std::strcmp(schema->format, "+s") != 0) {
        throw py::type_error("RowSorter.add: expected an Arrow record batch");
    }
    std::vector<SortColumn> names;
    std::vector<WordColumn> columns;
    for (std::int64_t place = 0; place < schema->n_children; ++place) {
        const ArrowSchema& field = *schema->children[place];
        const ArrowArray& child = *array->children[place];
        names.push_back({field.name, type_of(field.format, field.name), (field.flags & ARROW_FLAG_NULLABLE) != 0});
        const auto first = static_cast<std::size_t>(array->offset + child.offset);
        const auto* values = static_cast<const std::int64_t*>(child.buffers[1]);
        const auto* validity = child.null_count == 0 ? nullptr : static_cast<const std::uint8_t*>(child.buffers[0]);
        if (child.null_count == child.length || values == nullptr) {
            columns.push_back({nullptr, nullptr, 0, child.length == 0 ? WordColumn::Kind::varying : WordColumn::Kind::null});
        } else {
            columns.push_back({values + first, validity, validity == nullptr ? 0 : first, WordColumn::Kind::varying});
        }
    }
    const py::gil_scoped_release release;
    self.sorter->append(names, columns, static_cast<std::size_t>(array->length));
}

WordColumn words_of(const ColumnSource& source, const SortColumn& column, std::size_t rows, bool is_sparse) {
    if (source.kind == ColumnSource::Kind::null) {
        return {nullptr, nullptr, 0, WordColumn::Kind::null};
    }
    if (source.kind != (column.type == ColumnType::float64 ? ColumnSource::Kind::float64 : ColumnSource::Kind::int64)) {
        throw py::type_error("RowSorter.add_columns: column " + column.name + " is not of its type");
    }
    const auto* values = static_cast<const std::int64_t*>(source.values);
    if (source.is_constant) {
        return {values, nullptr, 0, WordColumn::Kind::constant};
    }
    if (source.length != static_cast<std::int64_t>(rows)) {
        throw py::value_error("RowSorter.add_columns: column " + column.name + " has " + std::to_string(source.length) + " rows, not " +
                              std::to_string(rows));
    }
    const auto first = static_cast<std::size_t>(source.offset);
    const WordColumn::Kind kind = is_sparse ? WordColumn::Kind::sparse : WordColumn::Kind::varying;
    return {values + first, source.valid, source.valid == nullptr ? 0 : first, kind};
}

std::vector<std::uint32_t> places_where(const py::object& where, std::size_t rows) {
    const py::buffer_info flags = py::reinterpret_borrow<py::buffer>(where).request();
    if (flags.ndim != 1 || flags.itemsize != 1 || flags.strides[0] != 1 || flags.size != static_cast<py::ssize_t>(rows)) {
        throw py::type_error("RowSorter.add_columns: `where` is not one bool a row");
    }
    const auto* flag = static_cast<const std::uint8_t*>(flags.ptr);
    std::vector<std::uint32_t> places;
    for (std::size_t row = 0; row < rows; ++row) {
        if (flag[row] != 0) {
            places.push_back(static_cast<std::uint32_t>(row));
        }
    }
    return places;
}

void add_columns(PySorter& self, std::size_t rows, const py::dict& columns, const py::object& where, const py::tuple& sparse) {
    if (self.columns.empty()) {
        for (const auto& item : columns) {
            self.columns.push_back({py::str(item.first), ColumnType::int64, false});
        }
    }
    std::vector<std::unique_ptr<ColumnInput>> inputs;
    std::vector<WordColumn> words;
    std::size_t found = 0;
    for (const SortColumn& column : self.columns) {
        const py::str name(column.name);
        if (!columns.contains(name)) {
            words.push_back({nullptr, nullptr, 0, WordColumn::Kind::null});
            continue;
        }
        ++found;
        inputs.push_back(std::make_unique<ColumnInput>(columns[name], column.name));
        words.push_back(words_of(inputs.back()->source(), column, rows, sparse.contains(name)));
    }
    if (found != columns.size()) {
        throw py::value_error("RowSorter.add_columns: there are columns that the sorter does not have");
    }
    if (where.is_none()) {
        const py::gil_scoped_release release;
        self.sorter->append(self.columns, words, rows);
    } else {
        const std::vector<std::uint32_t> places = places_where(where, rows);
        const py::gil_scoped_release release;
        self.sorter->append_some(self.columns, words, places);
    }
}

std::unique_ptr<GuardedReader> read(const PySorter& self, const std::vector<std::string>& columns, const std::vector<std::string>& together) {
    const py::gil_scoped_release release;
    return std::make_unique<GuardedReader>(self.sorter, columns, together);
}

py::object block_object(Int64Block&& block) {
    return block.rows == 0 ? py::none() : py::cast(std::make_unique<Int64Block>(std::move(block)));
}

}  // namespace

void bind_row_sorter(py::module_& module) {
    py::class_<SpillFolder, std::shared_ptr<SpillFolder>>(module, "SpillFolder")
        .def(py::init([](const py::bytes& place, std::size_t memory_bytes) { return std::make_shared<SpillFolder>(place, memory_bytes); }),
             py::arg("place"), py::arg("memory_bytes"))
        .def_property_readonly("held_bytes", &SpillFolder::held);
    py::class_<Int64Block>(module, "Int64Block", py::buffer_protocol()).def_buffer([](Int64Block& block) {
        const auto row_bytes = static_cast<py::ssize_t>(block.rows * sizeof(std::int64_t));
        return py::buffer_info(block.values.data(), sizeof(std::int64_t), "q", 2,
                               {static_cast<py::ssize_t>(block.columns), static_cast<py::ssize_t>(block.rows)},
                               {row_bytes, static_cast<py::ssize_t>(sizeof(std::int64_t))});
    });
    py::class_<GuardedReader>(module, "SortedReader")
        .def_property_readonly("names", [](GuardedReader& self) { return self.run([](const ReaderAhead& reader) { return reader.reader().names(); }); })
        .def(
            "next",
            [](GuardedReader& self, std::size_t rows) {
                return batch_object(self.run([&](ReaderAhead& reader) { return reader.next(rows); }));
            },
            py::arg("rows"))
        .def(
            "next_columns",
            [](GuardedReader& self, std::size_t rows) {
                return block_object(self.run([&](ReaderAhead& reader) { return reader.next_columns(rows); }));
            },
            py::arg("rows"))
        .def(
            "columns_between",
            [](GuardedReader& self, const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& last) {
                return block_object(self.run([&](ReaderAhead& reader) { return reader.columns_between(first, last); }));
            },
            py::arg("first"), py::arg("last"));
    py::class_<PySorter>(module, "RowSorter")
        .def(py::init(&make), py::arg("keys"), py::arg("folder"), py::arg("schema") = py::none())
        .def("add", &add, py::arg("batch"))
        .def("add_columns", &add_columns, py::arg("rows"), py::arg("columns"), py::arg("where") = py::none(),
             py::arg("sparse") = py::tuple())
        .def("spill", [](PySorter& self) {
            const py::gil_scoped_release release;
            self.sorter->spill();
        })
        .def("read", &read, py::arg("columns") = std::vector<std::string>(), py::arg("together") = std::vector<std::string>())
        .def_property_readonly("rows", [](const PySorter& self) { return self.sorter->rows(); })
        .def_property_readonly("held_bytes", [](const PySorter& self) { return self.sorter->held(); });
}

}  // namespace npuwh

// Rows of Python values as CSV or JSON text.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "text/cell_text.hpp"
#include "text/field_text.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

// UTF-8 of a str; `storage` is used where Python has no ready one.
std::string_view utf8(PyObject* text, std::string& storage) {
    Py_ssize_t size = 0;
    if (const char* ready = PyUnicode_AsUTF8AndSize(text, &size)) {
        return {ready, static_cast<std::size_t>(size)};
    }
    if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError) == 0) {
        throw py::error_already_set();
    }
    PyErr_Clear();  // lone surrogates
    const auto bytes = py::reinterpret_steal<py::bytes>(PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass"));
    if (!bytes) {
        throw py::error_already_set();
    }
    storage = without_surrogates(static_cast<std::string_view>(bytes));
    return storage;
}

std::int64_t integer_of(PyObject* cell, std::size_t row, std::size_t column) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(cell, &overflow);
    if (overflow != 0) {
        throw py::value_error("RowWriter: row " + std::to_string(row) + ", column " + std::to_string(column) +
                              " is an int beyond 64 bits");
    }
    return value;
}

// Calls append(kind, value) with the value as the C++ type of its Python type; not for None.
template <class Append>
void with_value(CellKind kind, PyObject* cell, std::size_t row, std::size_t column, std::string& storage, Append append) {
    if (PyUnicode_Check(cell) != 0) {
        append(kind, utf8(cell, storage));
    } else if (PyFloat_Check(cell) != 0 && takes_float(kind)) {
        append(kind, PyFloat_AS_DOUBLE(cell));
    } else if (PyLong_Check(cell) != 0) {
        append(kind, integer_of(cell, row, column));
    } else {
        throw py::type_error("RowWriter: row " + std::to_string(row) + ", column " + std::to_string(column) + " is a " +
                             Py_TYPE(cell)->tp_name + "; cells are str, int, None and, but for times, float");
    }
}

// A list or tuple of rows, each a list or tuple of cells.
class Rows {
public:
    explicit Rows(const py::handle& rows)
        : rows_(py::reinterpret_steal<py::object>(PySequence_Fast(rows.ptr(), "RowWriter: rows must be a list of tuples"))) {
        if (!rows_) {
            throw py::error_already_set();
        }
    }
    std::size_t size() const { return static_cast<std::size_t>(PySequence_Fast_GET_SIZE(rows_.ptr())); }
    // Cells of a row; borrowed.
    PyObject** cells(std::size_t row, std::size_t columns) const {
        PyObject* const cells = PySequence_Fast_GET_ITEM(rows_.ptr(), static_cast<Py_ssize_t>(row));
        if (PyTuple_Check(cells) == 0 && PyList_Check(cells) == 0) {
            throw py::type_error("RowWriter: row " + std::to_string(row) + " is a " + Py_TYPE(cells)->tp_name +
                                 ", not a tuple");
        }
        const auto size = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(cells));
        if (size != columns) {
            throw py::value_error("RowWriter: row " + std::to_string(row) + " has " + std::to_string(size) +
                                  " cells, the writer has " + std::to_string(columns) + " columns");
        }
        return PySequence_Fast_ITEMS(cells);
    }

private:
    py::object rows_;
};

class RowWriter {
public:
    RowWriter(const std::vector<std::string>& kinds, std::vector<std::string> names) : names_(std::move(names)) {
        for (const std::string& kind : kinds) {
            kinds_.push_back(cell_kind(kind));
        }
        if (!names_.empty() && names_.size() != kinds_.size()) {
            throw py::value_error("RowWriter: " + std::to_string(kinds_.size()) + " kinds but " +
                                  std::to_string(names_.size()) + " names");
        }
        for (std::size_t column = 0; column < names_.size(); ++column) {
            const std::string_view name = names_[column];
            constexpr std::string_view prefix = "args:";
            const bool is_argument = name.substr(0, prefix.size()) == prefix;
            TextBuffer key;
            append_json_string(key, is_argument ? name.substr(prefix.size()) : name);
            key += ':';
            (is_argument ? arguments_ : members_).push_back({column, std::string(key.view())});
            if (name == "args") {
                whole_arguments_ = column;
            }
        }
    }

    py::bytes csv_header() const {
        require_names();
        TextBuffer out;
        for (std::size_t column = 0; column < names_.size(); ++column) {
            out += column == 0 ? "" : ",";
            append_csv_field(out, names_[column]);
        }
        out += "\r\n";
        return py::bytes(out.data(), out.size());
    }

    py::bytes csv(const py::object& object) const {
        const Rows rows(object);
        TextBuffer out;
        std::string storage;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            PyObject** const cells = rows.cells(row, kinds_.size());
            const std::size_t row_start = out.size();
            for (std::size_t column = 0; column < kinds_.size(); ++column) {
                if (column > 0) {
                    out += ',';
                }
                if (cells[column] != Py_None) {
                    with_value(kinds_[column], cells[column], row, column, storage,
                               [&out](CellKind kind, auto value) { append_csv_cell(out, kind, value); });
                }
            }
            if (kinds_.size() == 1 && out.size() == row_start) {
                out += "\"\"";  // a lone empty field, so that the line is not read as no row at all
            }
            out += "\r\n";
        }
        return py::bytes(out.data(), out.size());
    }

    py::bytes json_events(const py::object& object) const {
        require_names();
        const Rows rows(object);
        TextBuffer out;
        std::string storage;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            PyObject** const cells = rows.cells(row, kinds_.size());
            out += row == 0 ? "{" : ",\n{";
            const bool has_members = append_members(out, members_, cells, row, storage);
            const std::size_t before = out.size();
            out += has_members ? ",\"args\":{" : "\"args\":{";
            if (append_members(out, arguments_, cells, row, storage)) {
                if (whole_arguments_ < kinds_.size() && cells[whole_arguments_] != Py_None) {
                    throw py::value_error("RowWriter: row " + std::to_string(row) +
                                          " has both args and a value in an args: column");
                }
                out += '}';
            } else {
                out.cut(before);
            }
            out += '}';
        }
        return py::bytes(out.data(), out.size());
    }

private:
    struct Member {
        std::size_t column;
        std::string key;  // "name":
    };

    bool append_members(TextBuffer& out, const std::vector<Member>& members, PyObject** cells, std::size_t row,
                        std::string& storage) const {
        bool has_members = false;
        for (const Member& member : members) {
            if (cells[member.column] == Py_None) {
                continue;
            }
            if (has_members) {
                out += ',';
            }
            has_members = true;
            out += member.key;
            with_value(kinds_[member.column], cells[member.column], row, member.column, storage,
                       [&out](CellKind kind, auto value) { append_json_cell(out, kind, value); });
        }
        return has_members;
    }

    void require_names() const {
        if (names_.size() != kinds_.size()) {
            throw py::value_error("RowWriter: made without names");
        }
    }

    std::vector<std::string> names_;
    std::vector<CellKind> kinds_;
    std::vector<Member> members_;
    std::vector<Member> arguments_;
    std::size_t whole_arguments_ = static_cast<std::size_t>(-1);  // column named "args", if there is one
};

}  // namespace

void bind_row_writer(py::module_& module) {
    py::class_<RowWriter>(module, "RowWriter")
        .def(py::init([](const py::iterable& kinds, const py::iterable& names) {
                 std::vector<std::string> kind_list;
                 for (const py::handle kind : kinds) {
                     kind_list.push_back(py::cast<std::string>(kind));
                 }
                 std::vector<std::string> name_list;
                 for (const py::handle name : names) {
                     name_list.push_back(py::cast<std::string>(name));
                 }
                 return std::make_unique<RowWriter>(kind_list, std::move(name_list));
             }),
             py::arg("kinds"), py::arg("names") = py::tuple())
        .def("csv_header", &RowWriter::csv_header)
        .def("csv", &RowWriter::csv, py::arg("rows"))
        .def("json_events", &RowWriter::json_events, py::arg("rows"));
}

}  // namespace npuwh

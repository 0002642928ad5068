// Rows of Python values as CSV or JSON text.
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "text/field_text.hpp"
#include "text/number_text.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

enum class CellKind { text, integer, stamp, floating, fixed3, fixed6, trim3, json, ns_us };

CellKind cell_kind(const std::string& name) {
    static constexpr std::array<std::pair<std::string_view, CellKind>, 9> kNames{{{"text", CellKind::text},
                                                                                 {"int", CellKind::integer},
                                                                                 {"stamp", CellKind::stamp},
                                                                                 {"float", CellKind::floating},
                                                                                 {"fixed3", CellKind::fixed3},
                                                                                 {"fixed6", CellKind::fixed6},
                                                                                 {"trim3", CellKind::trim3},
                                                                                 {"json", CellKind::json},
                                                                                 {"ns_us", CellKind::ns_us}}};
    for (const auto& known : kNames) {
        if (known.first == name) {
            return known.second;
        }
    }
    throw py::value_error("RowWriter: no kind '" + name +
                          "'; kinds are text, int, stamp, float, fixed3, fixed6, trim3, json, ns_us");
}

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

void append_number(std::string& out, CellKind kind, double value) {
    switch (kind) {
        case CellKind::fixed3:
            append_fixed(out, value, 3);
            break;
        case CellKind::fixed6:
            append_fixed(out, value, 6);
            break;
        case CellKind::trim3:
            append_trimmed(out, value);
            break;
        default:
            append_repr(out, value);
    }
}

void append_number(std::string& out, CellKind kind, std::int64_t value) {
    switch (kind) {
        case CellKind::fixed3:
            append_integer(out, value);
            out += ".000";
            break;
        case CellKind::fixed6:
            append_integer(out, value);
            out += ".000000";
            break;
        case CellKind::stamp:
        case CellKind::ns_us:
            append_microseconds(out, value);
            break;
        default:
            append_integer(out, value);
    }
}

[[noreturn]] void reject_cell(std::size_t row, std::size_t column, PyObject* cell) {
    throw py::type_error("RowWriter: row " + std::to_string(row) + ", column " + std::to_string(column) + " is a " +
                         Py_TYPE(cell)->tp_name + "; cells are str, int, float or None");
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

void append_csv_cell(std::string& out, CellKind kind, PyObject* cell, std::size_t row, std::size_t column,
                     std::string& storage, std::string& guarded) {
    if (cell == Py_None) {
        return;
    }
    if (PyUnicode_Check(cell) != 0) {
        std::string_view text = utf8(cell, storage);
        const bool is_number_kind = kind != CellKind::text && kind != CellKind::json;
        const bool needs_guard = kind != CellKind::json && is_formula(text) && !(is_number_kind && is_plain_number(text));
        if (needs_guard || kind == CellKind::stamp) {
            guarded.assign(needs_guard ? "'" : "");
            guarded += text;
            if (kind == CellKind::stamp) {
                guarded += '\t';
            }
            text = guarded;
        }
        append_csv_field(out, text);
        return;
    }
    if (PyFloat_Check(cell) != 0 && kind != CellKind::ns_us && kind != CellKind::stamp) {
        append_number(out, kind, PyFloat_AS_DOUBLE(cell));
        return;
    }
    if (PyLong_Check(cell) != 0) {
        append_number(out, kind, integer_of(cell, row, column));
        if (kind == CellKind::stamp) {
            out += '\t';
        }
        return;
    }
    reject_cell(row, column, cell);
}

void append_json_cell(std::string& out, CellKind kind, PyObject* cell, std::size_t row, std::size_t column,
                      std::string& storage) {
    if (PyUnicode_Check(cell) != 0) {
        if (kind == CellKind::json) {
            out += utf8(cell, storage);
        } else {
            append_json_string(out, utf8(cell, storage));
        }
        return;
    }
    const char* const quote = kind == CellKind::stamp || kind == CellKind::text ? "\"" : "";
    out += quote;
    if (PyFloat_Check(cell) != 0 && kind != CellKind::ns_us && kind != CellKind::stamp) {
        const double value = PyFloat_AS_DOUBLE(cell);
        if (std::isfinite(value)) {
            append_number(out, kind, value);
        } else {
            out += "null";
        }
    } else if (PyLong_Check(cell) != 0) {
        append_number(out, kind, integer_of(cell, row, column));
    } else {
        reject_cell(row, column, cell);
    }
    out += quote;
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
            std::string key;
            append_json_string(key, is_argument ? name.substr(prefix.size()) : name);
            key += ':';
            (is_argument ? arguments_ : members_).push_back({column, std::move(key)});
            if (name == "args") {
                whole_arguments_ = column;
            }
        }
    }

    py::bytes csv_header() const {
        require_names();
        std::string out;
        for (std::size_t column = 0; column < names_.size(); ++column) {
            out += column == 0 ? "" : ",";
            append_csv_field(out, names_[column]);
        }
        out += "\r\n";
        return py::bytes(out);
    }

    py::bytes csv(const py::object& object) const {
        const Rows rows(object);
        std::string out;
        std::string storage;
        std::string guarded;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            PyObject** const cells = rows.cells(row, kinds_.size());
            const std::size_t row_start = out.size();
            for (std::size_t column = 0; column < kinds_.size(); ++column) {
                if (column > 0) {
                    out += ',';
                }
                append_csv_cell(out, kinds_[column], cells[column], row, column, storage, guarded);
            }
            if (kinds_.size() == 1 && out.size() == row_start) {
                out += "\"\"";  // a lone empty field, so that the line is not read as no row at all
            }
            out += "\r\n";
        }
        return py::bytes(out);
    }

    py::bytes json_events(const py::object& object) const {
        require_names();
        const Rows rows(object);
        std::string out;
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
                out.resize(before);
            }
            out += '}';
        }
        return py::bytes(out);
    }

private:
    struct Member {
        std::size_t column;
        std::string key;  // "name":
    };

    bool append_members(std::string& out, const std::vector<Member>& members, PyObject** cells, std::size_t row,
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
            append_json_cell(out, kinds_[member.column], cells[member.column], row, member.column, storage);
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

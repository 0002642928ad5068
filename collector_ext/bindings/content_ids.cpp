#include <memory>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/column_input.hpp"
#include "bindings/guarded.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"
#include "sqlite_file/string_ids.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using sqlite_file::StringIds;
using GuardedIds = Guarded<StringIds>;

// Rows of numbers, each as the bytes that it is known by.
class Rows {
public:
    explicit Rows(const py::sequence& columns) {
        for (const auto& column : columns) {
            inputs_.push_back(std::make_unique<Int64Input>(column, "column"));
            require_rows("ContentIds", std::to_string(inputs_.size() - 1).c_str(), inputs_.back()->view(), size());
        }
        row_.resize(inputs_.size());
    }

    std::size_t size() const { return inputs_.empty() ? 0 : inputs_[0]->view().size(); }
    const std::uint8_t* bytes(std::size_t row) {
        for (std::size_t column = 0; column < row_.size(); ++column) {
            row_[column] = inputs_[column]->view()[row];
        }
        return reinterpret_cast<const std::uint8_t*>(row_.data());
    }
    std::size_t row_bytes() const { return row_.size() * sizeof(std::int64_t); }

private:
    std::vector<std::unique_ptr<Int64Input>> inputs_;
    Column row_;
};

// Numbers of texts, -1 for null, and the places of those that are new.
class TextIds : public StringIds {};
using GuardedTexts = Guarded<TextIds>;

py::tuple text_ids(GuardedTexts& self, const py::object& texts) {
    const ColumnInput input(texts, "texts");
    const sqlite_file::ColumnSource& source = input.source();
    using Kind = sqlite_file::ColumnSource::Kind;
    if (source.dictionary != nullptr || source.is_constant || (source.kind != Kind::text32 && source.kind != Kind::text64)) {
        throw py::type_error("texts: expected an Arrow array of text without dictionary");
    }
    auto found = std::make_shared<Column>();
    auto fresh = std::make_shared<Column>();
    self.run([&](TextIds& known) {
        found->resize(static_cast<std::size_t>(source.length), kNone);
        for (std::int64_t row = 0; row < source.length; ++row) {
            if (source.is_null(row)) {
                continue;
            }
            const auto [begin, size] = source.text(row);
            const auto [id, is_new] = known.id(begin, size);
            (*found)[static_cast<std::size_t>(row)] = id;
            if (is_new) {
                fresh->push_back(row);
            }
        }
    });
    return py::make_tuple(Int64Column{found}, Int64Column{fresh});
}

py::tuple ids(GuardedIds& self, const py::sequence& columns) {
    Rows rows(columns);
    auto found = std::make_shared<Column>();
    auto fresh = std::make_shared<Column>();
    self.run([&](StringIds& known) {
        found->reserve(rows.size());
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const auto [id, is_new] = known.id(rows.bytes(row), rows.row_bytes());
            found->push_back(id);
            if (is_new) {
                fresh->push_back(static_cast<std::int64_t>(row));
            }
        }
    });
    return py::make_tuple(Int64Column{found}, Int64Column{fresh});
}

void remember(GuardedIds& self, const py::object& numbers, const py::sequence& columns) {
    const Int64Input input(numbers, "ids");
    Rows rows(columns);
    require_rows("ContentIds", "ids", input.view(), rows.size());
    self.run([&](StringIds& known) {
        for (std::size_t row = 0; row < rows.size(); ++row) {
            known.remember(rows.bytes(row), rows.row_bytes(), input.view()[row]);
        }
    });
}

}  // namespace

void bind_content_ids(py::module_& module) {
    py::class_<GuardedIds>(module, "ContentIds")
        .def(py::init<>())
        .def("ids", &ids, py::arg("columns"))
        .def("remember", &remember, py::arg("ids"), py::arg("columns"))
        .def("rewind", [](GuardedIds& self, std::int64_t last) { self.run([&](StringIds& known) { known.rewind(last); }); },
             py::arg("last"))
        .def_property_readonly("last", [](GuardedIds& self) { return self.run([](const StringIds& known) { return known.last(); }); });
    py::class_<GuardedTexts>(module, "TextIds")
        .def(py::init<>())
        .def("ids", &text_ids, py::arg("texts"))
        .def("rewind", [](GuardedTexts& self, std::int64_t last) { self.run([&](TextIds& known) { known.rewind(last); }); },
             py::arg("last"))
        .def_property_readonly("last", [](GuardedTexts& self) { return self.run([](const TextIds& known) { return known.last(); }); });
}

}  // namespace npuwh

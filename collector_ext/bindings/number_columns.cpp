#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/column_input.hpp"
#include "bindings/guarded.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"
#include "bindings/nullable.hpp"
#include "links/number_map.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using sqlite_file::ColumnSource;

// Calls visit(row, value) with -1 for null.
template <class Visit>
void each_number(const ColumnSource& source, Visit visit) {
    const auto* values = static_cast<const std::int64_t*>(source.values) + source.offset;
    for (std::int64_t row = 0; row < source.length; ++row) {
        visit(static_cast<std::size_t>(row), source.valid != nullptr && source.is_null(row) ? kNone : values[row]);
    }
}

const ColumnSource& numbers_of(const ColumnInput& input, const char* what) {
    const ColumnSource& source = input.source();
    if (source.is_constant || source.dictionary != nullptr || (source.kind != ColumnSource::Kind::int64 && source.length > 0)) {
        throw py::type_error(std::string(what) + ": expected a column of int64");
    }
    return source;
}

Int64Column filled(const py::object& column) {
    const ColumnInput input(column, "column");
    const ColumnSource& source = numbers_of(input, "column");
    auto result = std::make_shared<Column>(static_cast<std::size_t>(source.length));
    each_number(source, [&](std::size_t row, std::int64_t value) { (*result)[row] = value; });
    return {result};
}

py::list take_rows(const py::sequence& columns, const py::object& places) {
    const Int64Input rows(places, "places");
    std::vector<std::unique_ptr<ColumnInput>> inputs;
    for (const auto& column : columns) {
        inputs.push_back(std::make_unique<ColumnInput>(column, "column"));
    }
    std::vector<Column> taken(inputs.size());
    {
        const py::gil_scoped_release release;
        for (std::size_t column = 0; column < inputs.size(); ++column) {
            const ColumnSource& source = inputs[column]->source();
            if (source.kind != ColumnSource::Kind::int64 || source.is_constant || source.dictionary != nullptr) {
                if (source.kind == ColumnSource::Kind::null && !source.is_constant) {
                    taken[column].assign(rows.view().size(), kNone);
                    continue;
                }
                throw std::invalid_argument("column " + std::to_string(column) + " is not of int64");
            }
            const auto* values = static_cast<const std::int64_t*>(source.values) + source.offset;
            taken[column].resize(rows.view().size());
            for (std::size_t row = 0; row < rows.view().size(); ++row) {
                const std::int64_t place = rows.view()[row];
                if (place < 0 || place >= source.length) {
                    throw std::out_of_range("place " + std::to_string(place) + " of " + std::to_string(source.length) + " rows");
                }
                taken[column][row] = source.valid != nullptr && source.is_null(place) ? kNone : values[place];
            }
        }
    }
    py::list result;
    for (Column& column : taken) {
        result.append(Int64Column{std::make_shared<const Column>(std::move(column))});
    }
    return result;
}

// What is known of the strings of a source, by their numbers in it.
class StringNumbers {
public:
    struct Known {
        std::int64_t id;
        std::int64_t form;
    };

    void add(const ColumnView& number, const ColumnView& id, const ColumnView& form) {
        require_rows("StringNumbers.add", "id", id, number.size());
        require_rows("StringNumbers.add", "form", form, number.size());
        for (std::size_t row = 0; row < number.size(); ++row) {
            known_.add(number[row], {id[row], form[row]});
        }
    }
    void set_words(const ColumnView& ids) { words_.assign(ids.data(), ids.data() + ids.size()); }

    // Ids; `instead` where there is none, -1 for `dropped`.  Counts numbers without text, and those of words it does not know.
    Column ids(const ColumnSource& numbers, std::int64_t instead, std::int64_t dropped, std::int64_t& lost, std::int64_t& unknown_words) {
        Column result(static_cast<std::size_t>(numbers.length));
        each_number(numbers, [&](std::size_t row, std::int64_t number) {
            std::int64_t id = kNone;
            if (number < kNone) {
                const auto word = static_cast<std::uint64_t>(-2 - number);
                word < words_.size() ? id = words_[word] : ++unknown_words;
            } else if (number != kNone) {
                id = known_.find(number).id;
            }
            lost += id == kNone && number != kNone;
            result[row] = id == kNone ? instead : id == dropped ? kNone : id;
        });
        return result;
    }
    Column forms(const ColumnSource& numbers) {
        Column result(static_cast<std::size_t>(numbers.length));
        each_number(numbers, [&](std::size_t row, std::int64_t number) { result[row] = known_.find(number).form; });
        return result;
    }

private:
    NumberMap<Known> known_{Known{kNone, 0}};
    Column words_;
};

using GuardedNumbers = Guarded<StringNumbers>;

py::tuple ids(GuardedNumbers& self, const py::object& column, std::int64_t instead, std::int64_t dropped) {
    const ColumnInput input(column, "column");
    const ColumnSource& source = numbers_of(input, "column");
    std::int64_t lost = 0;
    std::int64_t unknown_words = 0;
    auto found = std::make_shared<Column>(
        self.run([&](StringNumbers& known) { return known.ids(source, instead, dropped, lost, unknown_words); }));
    return py::make_tuple(Int64Column{found}, lost, unknown_words);
}

Int64Column forms(GuardedNumbers& self, const py::object& column) {
    const ColumnInput input(column, "column");
    const ColumnSource& source = numbers_of(input, "column");
    return {std::make_shared<const Column>(self.run([&](StringNumbers& known) { return known.forms(source); }))};
}

void add(GuardedNumbers& self, const py::object& number, const py::object& id, const py::object& form) {
    const Int64Input numbers(number, "numbers");
    const Int64Input found(id, "ids");
    const Int64Input shapes(form, "forms");
    self.run([&](StringNumbers& known) { known.add(numbers.view(), found.view(), shapes.view()); });
}

void set_words(GuardedNumbers& self, const py::object& id) {
    const Int64Input found(id, "ids");
    self.run([&](StringNumbers& known) { known.set_words(found.view()); });
}

py::list list_of(const Nullable& self) {
    const Int64Input input(self.values, "values");
    py::list list(input.view().size());
    for (std::size_t row = 0; row < input.view().size(); ++row) {
        const std::int64_t value = input.view()[row];
        list[row] = value == kNone ? py::object(py::none()) : py::object(py::int_(value));
    }
    return list;
}

}  // namespace

void bind_number_columns(py::module_& module) {
    py::class_<Nullable>(module, "Nullable")
        .def(py::init([](py::object values) { return Nullable{std::move(values)}; }), py::arg("values"))
        .def_readonly("values", &Nullable::values)
        .def("__len__", [](const Nullable& self) { return py::len(self.values); })
        .def("tolist", &list_of);
    module.def("filled", &filled, py::arg("column"));
    module.def("take_rows", &take_rows, py::arg("columns"), py::arg("places"));
    py::class_<GuardedNumbers>(module, "StringNumbers")
        .def(py::init<>())
        .def("add", &add, py::arg("numbers"), py::arg("ids"), py::arg("forms"))
        .def("set_words", &set_words, py::arg("ids"))
        .def("ids", &ids, py::arg("column"), py::arg("instead") = kNone, py::arg("dropped") = kNone)
        .def("forms", &forms, py::arg("column"));
}

}  // namespace npuwh

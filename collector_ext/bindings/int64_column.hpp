// Columns of int64 that Python may keep, and tables of them.
#pragma once

#include <pybind11/pybind11.h>

#include <initializer_list>
#include <memory>
#include <utility>

#include "sweep/columns.hpp"

namespace npuwh {

// One column; it keeps the table it is part of.
struct Int64Column {
    std::shared_ptr<const Column> values;
};

// Makes each column of a sweep's result a property of its Python class.
template <class Table>
void bind_table(pybind11::module_& module, const char* name,
                std::initializer_list<std::pair<const char*, Column Table::*>> columns) {
    pybind11::class_<Table, std::shared_ptr<Table>> table(module, name);
    for (const auto& column : columns) {
        const auto member = column.second;
        table.def_property_readonly(column.first, [member](const std::shared_ptr<Table>& self) {
            return Int64Column{std::shared_ptr<const Column>(self, &((*self).*member))};
        });
    }
}

}  // namespace npuwh

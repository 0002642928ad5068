// A column of int64 that Python may keep.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <utility>

#include "sweep/columns.hpp"

namespace npuwh {

struct Int64Column {
    Column values;
};
using SharedColumn = std::shared_ptr<Int64Column>;

inline SharedColumn share_column(Column&& values) {
    return std::make_shared<Int64Column>(Int64Column{std::move(values)});
}

}  // namespace npuwh

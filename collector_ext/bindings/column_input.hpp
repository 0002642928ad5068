// A column of any type that a Python object owns.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "sqlite_file/column_source.hpp"

namespace npuwh {

// Takes an Arrow array (anything with __arrow_c_array__), a contiguous buffer of int64 or double, or one None, int, float, str or
// bytes for all rows.  Keeps it alive and locked until destroyed, which needs the GIL.  With `copies`, what its owner could change
// meanwhile, a buffer that is not read-only, is copied.
class ColumnInput {
public:
    ColumnInput(const pybind11::handle& object, const std::string& name, bool copies = false);
    ~ColumnInput();
    ColumnInput(const ColumnInput&) = delete;
    ColumnInput& operator=(const ColumnInput&) = delete;

    const sqlite_file::ColumnSource& source() const { return source_; }

private:
    void take_buffer(const pybind11::handle& object, const std::string& name, bool copies);
    void take_arrow(const pybind11::handle& object, const std::string& name);
    void take_bytes(const char* bytes, std::size_t size, sqlite_file::ColumnSource::Kind kind);
    bool take_scalar(const pybind11::handle& object, const std::string& name);

    Py_buffer buffer_{};
    bool has_buffer_ = false;
    pybind11::object owner_;
    std::vector<std::uint64_t> copy_;
    std::int64_t integer_ = 0;
    double real_ = 0;
    std::int64_t starts_[2] = {0, 0};
    sqlite_file::ColumnSource source_;
};

// The columns of an Arrow record batch (a struct array), each with its name; they live as long as the capsules.
std::vector<std::pair<std::string, sqlite_file::ColumnSource>> columns_of_batch(const pybind11::tuple& capsules);

}  // namespace npuwh

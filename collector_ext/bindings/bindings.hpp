// The parts of the Python module.
#pragma once

#include <pybind11/pybind11.h>

namespace npuwh {

void bind_allocation_sweep(pybind11::module_& module);
void bind_columns(pybind11::module_& module);
void bind_call_locator(pybind11::module_& module);
void bind_content_ids(pybind11::module_& module);
void bind_host_sweep(pybind11::module_& module);
void bind_device_sweep(pybind11::module_& module);
void bind_keyed_sums(pybind11::module_& module);
void bind_op_totals(pybind11::module_& module);
void bind_lane_sweep(pybind11::module_& module);
void bind_memory_sweeps(pybind11::module_& module);
void bind_row_sorter(pybind11::module_& module);
void bind_link_table(pybind11::module_& module);
void bind_number_columns(pybind11::module_& module);
void bind_row_writer(pybind11::module_& module);
void bind_row_reader(pybind11::module_& module);
void bind_table_rows(pybind11::module_& module);
void bind_stack_sweep(pybind11::module_& module);
void bind_clocks(pybind11::module_& module);
void bind_decode_batch(pybind11::module_& module);
void bind_decoder(pybind11::module_& module);
void bind_framework_decoder(pybind11::module_& module);
void bind_prof_decoder(pybind11::module_& module);
void bind_database_writer(pybind11::module_& module);

}  // namespace npuwh

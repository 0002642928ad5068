#include "bindings/bindings.hpp"

PYBIND11_MODULE(_native, module) {
    module.doc() = "npuwh's native core: sweeps over sorted events, rows as text, and files of SQLite";
    npuwh::bind_columns(module);
    npuwh::bind_content_ids(module);
    npuwh::bind_host_sweep(module);
    npuwh::bind_device_sweep(module);
    npuwh::bind_keyed_sums(module);
    npuwh::bind_op_totals(module);
    npuwh::bind_lane_sweep(module);
    npuwh::bind_row_sorter(module);
    npuwh::bind_call_locator(module);
    npuwh::bind_allocation_sweep(module);
    npuwh::bind_memory_sweeps(module);
    npuwh::bind_link_table(module);
    npuwh::bind_number_columns(module);
    npuwh::bind_row_writer(module);
    npuwh::bind_row_reader(module);
    npuwh::bind_table_rows(module);
    npuwh::bind_stack_sweep(module);
    npuwh::bind_clocks(module);
    npuwh::bind_decode_batch(module);
    npuwh::bind_decoder(module);
    npuwh::bind_framework_decoder(module);
    npuwh::bind_prof_decoder(module);
    npuwh::bind_database_writer(module);
}

#include <pybind11/pybind11.h>

PYBIND11_MODULE(_native, module) { module.doc() = "npuwh's native core: sweeps and text"; }

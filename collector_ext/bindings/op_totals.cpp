#include "sweep/op_totals.hpp"

#include <memory>

#include "bindings/bindings.hpp"
#include "bindings/guarded.hpp"
#include "bindings/int64_column.hpp"
#include "bindings/int64_input.hpp"

namespace py = pybind11;

namespace npuwh {
namespace {

using GuardedTotals = Guarded<OpTotals>;

void add_host(GuardedTotals& self, const py::object& kind, const py::object& start, const py::object& end, const py::object& name,
              const py::object& key, const py::object& module, const std::shared_ptr<HostLinks>& links) {
    const Int64Input kinds(kind, "kind");
    const Int64Input starts(start, "start");
    const Int64Input ends(end, "end");
    const Int64Input names(name, "name");
    const Int64Input keys(key, "key");
    const Int64Input modules(module, "module");
    self.run([&](OpTotals& totals) {
        totals.add_host(kinds.view(), starts.view(), ends.view(), names.view(), keys.view(), modules.view(), *links);
    });
}

void add_work(GuardedTotals& self, const py::object& op, const py::object& kernel, const py::object& duration,
              const py::object& flags) {
    const Int64Input ops(op, "op");
    const Int64Input kernels(kernel, "kernel");
    const Int64Input durations(duration, "duration");
    const Int64Input flag_bits(flags, "flags");
    self.run([&](OpTotals& totals) { totals.add_work(ops.view(), kernels.view(), durations.view(), flag_bits.view()); });
}

bool walk(GuardedTotals& self) {
    return self.run([](OpTotals& totals) { return totals.walk(); });
}

std::shared_ptr<OpNameTotals> take_names(GuardedTotals& self, std::size_t least) {
    return std::make_shared<OpNameTotals>(self.run([least](OpTotals& totals) { return totals.take_names(least); }));
}

std::shared_ptr<ModuleTotals> take_modules(GuardedTotals& self, std::size_t least) {
    return std::make_shared<ModuleTotals>(self.run([least](OpTotals& totals) { return totals.take_modules(least); }));
}

std::shared_ptr<KernelOpTotals> take_kernels(GuardedTotals& self, std::size_t least) {
    return std::make_shared<KernelOpTotals>(self.run([least](OpTotals& totals) { return totals.take_kernels(least); }));
}

std::shared_ptr<OpWork> take_ops(GuardedTotals& self) {
    return std::make_shared<OpWork>(self.run([](OpTotals& totals) { return totals.take_ops(); }));
}

}  // namespace

void bind_op_totals(py::module_& module) {
    bind_table<OpWork>(module, "OpWork",
                       {{"id", &OpWork::id},
                        {"inner", &OpWork::inner},
                        {"count", &OpWork::count},
                        {"device", &OpWork::device},
                        {"device_total", &OpWork::device_total},
                        {"communication", &OpWork::communication},
                        {"vendor", &OpWork::vendor},
                        {"vendor_total", &OpWork::vendor_total},
                        {"ai_core", &OpWork::ai_core},
                        {"ai_core_total", &OpWork::ai_core_total}});
    bind_table<OpNameTotals>(module, "OpNameTotals",
                             {{"name", &OpNameTotals::name},
                              {"calls", &OpNameTotals::calls},
                              {"host", &OpNameTotals::host},
                              {"inner", &OpNameTotals::inner},
                              {"longest", &OpNameTotals::longest},
                              {"count", &OpNameTotals::count},
                              {"device", &OpNameTotals::device},
                              {"device_total", &OpNameTotals::device_total},
                              {"communication", &OpNameTotals::communication}});
    bind_table<ModuleTotals>(module, "ModuleTotals",
                             {{"name", &ModuleTotals::name},
                              {"is_frame", &ModuleTotals::is_frame},
                              {"calls", &ModuleTotals::calls},
                              {"host", &ModuleTotals::host},
                              {"ops", &ModuleTotals::ops},
                              {"kernels", &ModuleTotals::kernels},
                              {"device", &ModuleTotals::device}});
    bind_table<KernelOpTotals>(module, "KernelOpTotals",
                               {{"kernel", &KernelOpTotals::kernel},
                                {"op", &KernelOpTotals::op},
                                {"framework", &KernelOpTotals::framework},
                                {"module", &KernelOpTotals::module},
                                {"count", &KernelOpTotals::count},
                                {"device", &KernelOpTotals::device},
                                {"longest", &KernelOpTotals::longest}});
    py::class_<GuardedTotals>(module, "OpTotals")
        .def(py::init<std::int64_t, int, std::size_t>(), py::arg("first_op_id"), py::arg("spill_handle"), py::arg("most_held"))
        .def("add_host", &add_host, py::arg("kind"), py::arg("start"), py::arg("end"), py::arg("name"), py::arg("key"),
             py::arg("module"), py::arg("links"))
        .def("add_work", &add_work, py::arg("op"), py::arg("kernel"), py::arg("duration"), py::arg("flags"))
        .def("walk", &walk)
        .def("take_names", &take_names, py::arg("least") = 0)
        .def("take_modules", &take_modules, py::arg("least") = 0)
        .def("take_kernels", &take_kernels, py::arg("least") = 0)
        .def("take_ops", &take_ops);
    module.attr("COUNTED") = static_cast<std::int64_t>(kCounted);
    module.attr("VENDOR_LINK") = static_cast<std::int64_t>(kVendorLink);
    module.attr("AI_CORE") = static_cast<std::int64_t>(kAiCore);
    module.attr("COMMUNICATION") = static_cast<std::int64_t>(kCommunication);
    module.attr("TAKEN_BACK") = static_cast<std::int64_t>(kTakenBack);
    module.attr("SCHEDULING") = kScheduling;
}

}  // namespace npuwh

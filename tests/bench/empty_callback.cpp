// The least that torch's hook costs: a callback that does nothing.  Built by tests/bench/observer_cost.py.
#include <ATen/record_function.h>

#include <cstdint>
#include <memory>

namespace {
std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction&) { return nullptr; }
void on_end(const at::RecordFunction&, at::ObserverContext*) {}
}  // namespace

extern "C" {
uint64_t add_empty() { return at::addThreadLocalCallback(at::RecordFunctionCallback(&on_start, &on_end)); }
void remove_empty(uint64_t handle) { at::removeCallback(handle); }
}

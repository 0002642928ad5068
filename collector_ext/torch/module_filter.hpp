// Which operators belong to the modules that a recording wants: those of their forward calls, and of the backward nodes
// that these made.
#pragma once

#include <ATen/record_function.h>

#include <atomic>
#include <cstdint>

namespace npuwh::torch_observer::module_filter {

extern std::atomic<bool> is_used;

// Wanted modules that are open on the calling thread, and backward nodes of theirs.
__attribute__((tls_model("initial-exec"))) extern thread_local uint32_t open_modules;

void enter();
void leave();

// Whether the operator that begins is a backward node of a wanted module.
bool is_of_module(const at::RecordFunction& function);

void forget();

}  // namespace npuwh::torch_observer::module_filter

// Calls and returns of Python and C functions, by CPython's profile hook.
#pragma once

#include <Python.h>

#include <cstdint>

namespace npuwh::tracer {

// Begin on every thread of the interpreter; `module_call` is the code object whose calls are calls of a module with the
// module as first argument (torch.nn.Module.__call__), or nullptr.  The GIL is held.  False with a Python error set if it
// cannot begin.
bool start(PyObject* module_call);

// As given to `start`, for a program that imports torch later.  The GIL is held.
void set_module_call(PyObject* module_call);

// On the calling thread, if it was not there when the others began.
bool start_thread();

// After a pause of the recording: threads tell of the calls that are open now, since nobody saw what happened meanwhile.
void resume();

// End on every thread.
void stop();

}  // namespace npuwh::tracer

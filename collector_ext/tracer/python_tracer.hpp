// Calls and returns of Python and C functions, by CPython's profile hook.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

namespace npuwh::tracer {

// Begin on every thread of the interpreter; `module_call` is the code object whose calls are calls of a module with the
// module as first argument (torch.nn.Module.__call__), or nullptr.  The GIL is held.  How many threads are left out as
// another profiler's hook is on them; -1 with a Python error set if it cannot begin.
int start(PyObject* module_call);

// As given to `start`, for a program that imports torch later.  The GIL is held.
void set_module_call(PyObject* module_call);

// Calls of functions of files below `folder` (which ends with a separator) are not recorded, nor what they call; but for
// those with a `code` that was let pass, which call the program that is recorded: they alone are left out, and for a
// runner's, which calls all of the program, also what it was called by.  The GIL is held.
void hide_folder(std::string folder);
void let_pass(PyObject* code, bool is_runner);

// Whether calls of a thread, which is none of the program's, are left out.  The GIL is held.
void leave_thread_out(int64_t tid, bool is_left_out);

// On the calling thread, if it was not there when the others began.  False while it is off, or where another profiler's
// hook is, unless that is to be replaced.
bool start_thread(bool replaces);

// After a pause of the recording: threads tell of the calls that are open now, since nobody saw what happened meanwhile.
void resume();

// End on every thread, and leave hooks of others as they are.  How many threads have lost ours to somebody else since
// the start, and with it what was called from then on.
int stop();

}  // namespace npuwh::tracer

#include "tracer/python_tracer.hpp"

#include <frameobject.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/recorder.hpp"
#include "core/thread_log.hpp"
#include "core/ticks.hpp"

namespace npuwh::tracer {

namespace {

using core::FrameEvent;
using core::Recorder;
using core::ThreadLog;

// Everything here is guarded by the GIL.
struct State {
    bool is_on = false;
    uint64_t session = 0;  // counts the starts
    uint32_t generation = 0;  // of the recording
    int64_t start_ticks = 0;
    Py_ssize_t extra = -1;  // index of our slot in code objects
    PyObject* module_call = nullptr;
    std::vector<uint64_t> hooked;  // threads that were given our hook
    std::unordered_map<const void*, uint32_t> c_functions;  // by method definition
    std::unordered_map<std::string, uint32_t> modules;  // by class and address
};
State state;

// What the hook needs on one thread; looked up again in each session of the tracer.
struct ThreadState {
    ThreadLog* log = nullptr;
    uint64_t session = 0;
    uint32_t depth = 0;
};
thread_local ThreadState thread;

void* get_extra(PyObject* code) {
    void* found = nullptr;
#if PY_VERSION_HEX >= 0x030C0000
    PyUnstable_Code_GetExtra(code, state.extra, &found);
#else
    _PyCode_GetExtra(code, state.extra, &found);
#endif
    return found;
}

void set_extra(PyObject* code, void* value) {
#if PY_VERSION_HEX >= 0x030C0000
    PyUnstable_Code_SetExtra(code, state.extra, value);
#else
    _PyCode_SetExtra(code, state.extra, value);
#endif
}

std::string text_of(PyObject* text) {
    Py_ssize_t size = 0;
    const char* bytes = text != nullptr ? PyUnicode_AsUTF8AndSize(text, &size) : nullptr;
    if (bytes == nullptr) {
        PyErr_Clear();
        return "<unknown>";
    }
    return {bytes, static_cast<size_t>(size)};
}

// `file(line): function`, once for each code object and recording: its number waits in the code object itself, so that
// another one at the same address is another one.
uint32_t number_of_code(PyCodeObject* code) {
    const auto known = reinterpret_cast<uintptr_t>(get_extra(reinterpret_cast<PyObject*>(code)));
    if (static_cast<uint32_t>(known >> 32) == state.generation) return static_cast<uint32_t>(known);
    const std::string name = text_of(code->co_filename) + "(" + std::to_string(code->co_firstlineno) +
                             "): " + text_of(code->co_name);
    const uint32_t number = Recorder::instance().number_of(name);
    set_extra(reinterpret_cast<PyObject*>(code),
              reinterpret_cast<void*>(static_cast<uintptr_t>(state.generation) << 32 | number));
    return number;
}

uint32_t number_of_c_function(PyObject* function) {
    const void* key = PyCFunction_Check(function)
                          ? static_cast<const void*>(reinterpret_cast<PyCFunctionObject*>(function)->m_ml)
                          : static_cast<const void*>(function);
    const auto found = state.c_functions.find(key);
    if (found != state.c_functions.end()) return found->second;
    PyObject* repr = PyObject_Repr(function);
    const uint32_t number = Recorder::instance().number_of(text_of(repr));
    Py_XDECREF(repr);
    PyErr_Clear();
    state.c_functions.emplace(key, number);
    return number;
}

// `Class######address` of the module that a call of `Module.__call__` has as first argument.
uint32_t number_of_module(PyFrameObject* frame, PyCodeObject* code) {
    PyObject* module = nullptr;
#if PY_VERSION_HEX >= 0x030C0000
    module = PyFrame_GetVarString(frame, "self");
#else
    PyFrame_FastToLocals(frame);
    PyObject* locals = PyObject_GetAttrString(reinterpret_cast<PyObject*>(frame), "f_locals");
    if (locals != nullptr) module = PyMapping_GetItemString(locals, "self");
    Py_XDECREF(locals);
#endif
    if (module == nullptr) {
        PyErr_Clear();
        return number_of_code(code);
    }
    std::string name = Py_TYPE(module)->tp_name;
    name = name.substr(name.rfind('.') + 1) + "######" + std::to_string(reinterpret_cast<uintptr_t>(module));
    Py_DECREF(module);
    const auto found = state.modules.find(name);
    if (found != state.modules.end()) return found->second;
    const uint32_t number = Recorder::instance().number_of(name);
    state.modules.emplace(std::move(name), number);
    return number;
}

uint32_t number_of_frame(PyFrameObject* frame) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const uint32_t number = __builtin_expect(reinterpret_cast<PyObject*>(code) == state.module_call, 0)
                                ? number_of_module(frame, code)
                                : number_of_code(code);
    Py_DECREF(code);
    return number;
}

// Calls that were open when the tracer began, outermost first; `innermost` is the last of them.  A thread tells of them
// at its first event: whatever was entered since the start has an event of its own.
void tell_open_frames(PyFrameObject* innermost) {
    std::vector<uint32_t> numbers;
    Py_XINCREF(innermost);
    for (PyFrameObject* frame = innermost; frame != nullptr;) {
        numbers.push_back(number_of_frame(frame));
        PyFrameObject* outer = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = outer;
    }
    for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
        thread.log->frame(state.start_ticks, *number, FrameEvent::kCall, thread.depth++);
    }
}

// False if the thread is not recorded.
bool enter_session(PyFrameObject* frame, int what) {
    thread = {Recorder::instance().thread_log(), state.session, 0};
    if (thread.log == nullptr) return false;
    if (what == PyTrace_CALL) {
        PyFrameObject* caller = PyFrame_GetBack(frame);
        tell_open_frames(caller);
        Py_XDECREF(caller);
    } else {
        tell_open_frames(frame);
    }
    return true;
}

// Nothing is recorded: of a tracer that ended while another's hook was in the way the last one goes here.
__attribute__((noinline)) void meet_end() {
    if (!state.is_on) PyEval_SetProfile(nullptr, nullptr);
}

int on_event(PyObject*, PyFrameObject* frame, int what, PyObject* callable) {
    if (__builtin_expect(!Recorder::instance().is_on(), 0)) {
        meet_end();
        return 0;
    }
    if (__builtin_expect(thread.session != state.session, 0)) {
        if (!enter_session(frame, what)) return 0;
    } else if (__builtin_expect(thread.log == nullptr, 0)) {
        return 0;
    }
    ThreadLog* log = thread.log;
    switch (what) {
        case PyTrace_CALL: {
            const uint32_t number = number_of_frame(frame);
            log->frame(core::now_ticks(), number, FrameEvent::kCall, thread.depth++);
            break;
        }
        case PyTrace_RETURN:
            if (thread.depth != 0) --thread.depth;
            log->frame(core::now_ticks(), 0, FrameEvent::kReturn, thread.depth);
            break;
        case PyTrace_C_CALL: {
            const uint32_t number = number_of_c_function(callable);
            log->frame(core::now_ticks(), number, FrameEvent::kCCall, thread.depth++);
            break;
        }
        case PyTrace_C_RETURN:
        case PyTrace_C_EXCEPTION:
            if (thread.depth != 0) --thread.depth;
            log->frame(core::now_ticks(), 0, FrameEvent::kCReturn, thread.depth);
            break;
        default:
            break;
    }
    return 0;
}

PyThreadState* first_thread() { return PyInterpreterState_ThreadHead(PyThreadState_GetInterpreter(PyThreadState_Get())); }

bool is_of_others(const PyThreadState* each) {
    return each->c_profilefunc != nullptr && each->c_profilefunc != on_event;
}

// Put the hook on, or take it off, wherever there is none of somebody else; how many threads have one.
int set_where_free(Py_tracefunc function) {
    int of_others = 0;
    for (PyThreadState* each = first_thread(); each != nullptr; each = PyThreadState_Next(each)) {
        of_others += is_of_others(each);
    }
#if PY_VERSION_HEX >= 0x030C0000
    // with a hook of somebody else on one of them only the calling thread can be reached by itself; on the others a
    // hook of ours goes at its next event
    if (of_others == 0) {
        PyEval_SetProfileAllThreads(function, nullptr);
    } else if (!is_of_others(PyThreadState_Get())) {
        PyEval_SetProfile(function, nullptr);
    }
#else
    for (PyThreadState* each = first_thread(); each != nullptr; each = PyThreadState_Next(each)) {
        if (is_of_others(each) || (function == nullptr && each->c_profilefunc == nullptr)) continue;
        if (_PyEval_SetProfile(each, function, nullptr) < 0) PyErr_Clear();
    }
#endif
    return of_others;
}

// The threads that have our hook, by their ids: pointers are used again.
std::vector<uint64_t> threads_with_hook() {
    std::vector<uint64_t> found;
    for (PyThreadState* each = first_thread(); each != nullptr; each = PyThreadState_Next(each)) {
        if (each->c_profilefunc == on_event) found.push_back(PyThreadState_GetID(each));
    }
    return found;
}

// Threads that are alive and had our hook, and have it no longer.
int taken_hooks() {
    int taken = 0;
    for (PyThreadState* each = first_thread(); each != nullptr; each = PyThreadState_Next(each)) {
        const uint64_t id = PyThreadState_GetID(each);
        const bool was_ours = std::find(state.hooked.begin(), state.hooked.end(), id) != state.hooked.end();
        taken += was_ours && each->c_profilefunc != on_event;
    }
    return taken;
}

}  // namespace

int start(PyObject* module_call) {
    if (state.extra < 0) {
#if PY_VERSION_HEX >= 0x030C0000
        state.extra = PyUnstable_Eval_RequestCodeExtraIndex(nullptr);
#else
        state.extra = _PyEval_RequestCodeExtraIndex(nullptr);
#endif
        if (state.extra < 0) {
            PyErr_SetString(PyExc_RuntimeError, "the interpreter has no room left for another tracer");
            return -1;
        }
    }
    stop();
    Py_XINCREF(module_call);
    state.module_call = module_call;
    state.generation = Recorder::instance().generation();
    state.start_ticks = core::now_ticks();
    ++state.session;
    state.is_on = true;
    const int of_others = set_where_free(on_event);
    state.hooked = threads_with_hook();
    return of_others;
}

void set_module_call(PyObject* module_call) {
    Py_XINCREF(module_call);
    Py_XSETREF(state.module_call, module_call);
}

bool start_thread(bool replaces) {
    PyThreadState* mine = PyThreadState_Get();
    if (!state.is_on || (is_of_others(mine) && !replaces)) return false;
    if (mine->c_profilefunc == on_event) return true;
    PyEval_SetProfile(on_event, nullptr);
    state.hooked.push_back(PyThreadState_GetID(mine));
    return true;
}

void resume() {
    if (!state.is_on) return;
    state.start_ticks = core::now_ticks();
    ++state.session;
}

int stop() {
    if (!state.is_on) return 0;
    state.is_on = false;
    const int taken = taken_hooks();
    state.hooked.clear();
    set_where_free(nullptr);
    state.c_functions.clear();
    state.modules.clear();
    Py_CLEAR(state.module_call);
    return taken;
}

}  // namespace npuwh::tracer

#include "tracer/python_tracer.hpp"

#include <frameobject.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <set>
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

// Instead of the number of a name: code of this package, which is no part of the program that is recorded.
constexpr uint32_t kHidden = 0xFFFF'FFFF;  // with all that it calls
constexpr uint32_t kPassing = 0xFFFF'FFFE;  // it calls the program, so that only its own frame and C calls are left out
constexpr uint32_t kRunner = 0xFFFF'FFFD;  // as kPassing; and what called it is not the program either

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
    std::string own_folder;  // where files of this package lie; empty: nothing is left out
    std::set<int64_t> left_out;  // threads that are not the program's
    std::unordered_map<const void*, uint32_t> passing;  // code objects, which are kept, with kPassing or kRunner
};
State state;

// What the hook needs on one thread; looked up again in each session of the tracer.
struct ThreadState {
    ThreadLog* log = nullptr;
    uint64_t session = 0;
    bool is_refused = false;  // there was no memory for a log
    uint32_t depth = 0;
    uint32_t hidden = 0;  // open calls from the outermost kHidden one on
    uint32_t passing_at = kNone;  // depth at which the innermost kPassing call was entered
    std::vector<uint32_t> passing;  // those of the others around it
    static constexpr uint32_t kNone = 0xFFFF'FFFF;

    void enter_passing() {
        passing.push_back(passing_at);
        passing_at = depth;
    }
    void leave_passing() {
        passing_at = passing.back();
        passing.pop_back();
    }
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
    const std::string file = text_of(code->co_filename);
    uint32_t number;
    if (const auto found = state.passing.find(code); found != state.passing.end()) {
        number = found->second;
    } else if (!state.own_folder.empty() && file.compare(0, state.own_folder.size(), state.own_folder) == 0) {
        number = kHidden;
    } else {
        number = Recorder::instance().number_of(file + "(" + std::to_string(code->co_firstlineno) +
                                                "): " + text_of(code->co_name));
    }
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

// A zero byte, which no name of an operator has, then `Class######address` of the module that a call of `Module.__call__` has as first argument.
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
    name = '\0' + name.substr(name.rfind('.') + 1) + "######" + std::to_string(reinterpret_cast<uintptr_t>(module));
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

// A call of a Python function.
inline void enter(uint32_t number, int64_t time) {
    if (__builtin_expect(number < kRunner, 1)) {
        if (__builtin_expect(thread.hidden == 0, 1)) {
            thread.log->frame(time, number, FrameEvent::kCall, thread.depth++);
        } else {
            ++thread.hidden;
        }
    } else if (number == kHidden || thread.hidden != 0) {
        ++thread.hidden;
    } else {
        thread.enter_passing();
    }
}

// Calls that were open when the tracer began, outermost first; `innermost` is the last of them.  A thread tells of them
// at its first event: whatever was entered since the start has an event of its own.
void tell_open_frames(PyFrameObject* innermost) {
    std::vector<uint32_t> numbers;
    Py_XINCREF(innermost);
    for (PyFrameObject* frame = innermost; frame != nullptr;) {
        numbers.push_back(number_of_frame(frame));
        if (numbers.back() == kRunner) {
            Py_DECREF(frame);
            break;
        }
        PyFrameObject* outer = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = outer;
    }
    for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
        enter(*number, state.start_ticks);
    }
}

// False if the thread is not recorded.
bool enter_session(PyFrameObject* frame, int what) {
    thread = ThreadState();
    thread.session = state.session;
    if (state.left_out.count(static_cast<int64_t>(syscall(SYS_gettid))) != 0) return false;
    thread.log = Recorder::instance().thread_log(/*is_frame=*/true);
    thread.is_refused = thread.log == nullptr && Recorder::instance().is_on();
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
    if (state.is_on) {
        Recorder::count_missed(/*is_frame=*/true);
    } else {
        PyEval_SetProfile(nullptr, nullptr);
    }
}

int on_event(PyObject*, PyFrameObject* frame, int what, PyObject* callable) {
    if (__builtin_expect(!Recorder::instance().is_on(), 0)) {
        meet_end();
        return 0;
    }
    if (__builtin_expect(thread.session != state.session, 0)) {
        if (!enter_session(frame, what)) return 0;
    } else if (__builtin_expect(thread.log == nullptr, 0)) {
        if (thread.is_refused) Recorder::count_refused(/*is_frame=*/true);
        return 0;
    }
    ThreadLog* log = thread.log;
    switch (what) {
        case PyTrace_CALL:
            if (__builtin_expect(thread.hidden != 0, 0)) {
                ++thread.hidden;
            } else {
                const uint32_t number = number_of_frame(frame);
                enter(number, core::now_ticks());
            }
            break;
        case PyTrace_RETURN:
            if (__builtin_expect(thread.hidden != 0, 0)) {
                --thread.hidden;
            } else if (__builtin_expect(thread.passing_at == thread.depth, 0)) {
                thread.leave_passing();
            } else {
                if (thread.depth != 0) --thread.depth;
                log->frame(core::now_ticks(), 0, FrameEvent::kReturn, thread.depth);
            }
            break;
        case PyTrace_C_CALL: {
            if (__builtin_expect(thread.hidden != 0 || thread.passing_at == thread.depth, 0)) break;
            const uint32_t number = number_of_c_function(callable);
            log->frame(core::now_ticks(), number, FrameEvent::kCCall, thread.depth++);
            break;
        }
        case PyTrace_C_RETURN:
        case PyTrace_C_EXCEPTION:
            if (__builtin_expect(thread.hidden != 0 || thread.passing_at == thread.depth, 0)) break;
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

void hide_folder(std::string folder) { state.own_folder = std::move(folder); }

void let_pass(PyObject* code, bool is_runner) {
    if (state.passing.emplace(code, is_runner ? kRunner : kPassing).second) Py_INCREF(code);
}

void leave_thread_out(int64_t tid, bool is_left_out) {
    if (is_left_out) {
        state.left_out.insert(tid);
    } else {
        state.left_out.erase(tid);
    }
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

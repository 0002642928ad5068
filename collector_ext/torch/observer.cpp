// Ranges of the framework: a RecordFunction callback that writes one record an operator into its thread's ring.
#include <ATen/record_function.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/csrc/profiler/util.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/producer_abi.hpp"
#include "core/ticks.hpp"
#include "torch/input_description.hpp"
#include "torch/module_filter.hpp"
#include "torch/observer.hpp"

namespace npuwh::core::detail {
bool uses_counter = false;  // set from the recorder's, so that both read one clock
}

namespace npuwh::torch_observer {

using core::Kind;
using core::OpRecord;
using core::ThreadLog;

const core::ProducerAbi* recorder = nullptr;
std::atomic<uint32_t> last_ended{kNoSession};

namespace {

std::atomic<int64_t> least_ticks{0};
std::atomic<bool> has_memory_everywhere{false};

// Of the recorder, at hand.
const std::atomic<bool>* is_on = nullptr;
const std::atomic<uint32_t>* recorded_generation = nullptr;

struct InputBuffers;

// What a thread knows of the recording; looked up again when another one has begun.
struct ThreadState {
    ThreadLog* log = nullptr;
    uint32_t generation = 0;
    void* free_contexts = nullptr;
    InputBuffers* free_buffers = nullptr;
    core::NameCache names;  // of operators: numbers, or core::kLeftOut
    core::NameCache texts;  // of TorchScript's stacks and modules

    ~ThreadState();
};

// Plain words in the static block of thread storage, which a module that is loaded late has some room in: every
// operator reads them several times.
__attribute__((tls_model("initial-exec"))) thread_local ThreadState* state = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local bool is_thread_over = false;

struct StateOwner {
    bool is_used = false;
    ~StateOwner() {
        delete state;
        state = nullptr;
        is_thread_over = true;
    }
};
thread_local StateOwner owner;

// The observer that a thread has of its own; those that inherit it have none.
struct OwnObserver {
    uint64_t handle = 0;
    uint32_t session = kNoSession;

    void remove() {
        if (handle != 0) at::removeCallback(std::exchange(handle, 0));
    }
};
thread_local OwnObserver own_observer;

// The first operator of a thread in a recording; nullptr if the thread is not recorded.
__attribute__((noinline)) ThreadState* meet(uint32_t generation) {
    if (is_thread_over) return nullptr;  // operators of destructors at the thread's end
    if (is_over(own_observer.session)) {
        own_observer.remove();  // another thread ended the recording that it is of
        return nullptr;
    }
    ThreadLog* log = recorder->thread_log();
    if (log == nullptr) return nullptr;
    if (state == nullptr) {
        owner.is_used = true;
        state = new ThreadState();
    }
    if (state->generation != generation) {
        state->names.clear();
        state->texts.clear();
    }
    state->log = log;
    state->generation = generation;
    return state;
}

// The calling thread's state, or nullptr while nothing is recorded.
inline ThreadState* current() {
    if (__builtin_expect(!is_on->load(std::memory_order_acquire), 0)) {
        recorder->count_missed();
        return nullptr;
    }
    const uint32_t generation = recorded_generation->load(std::memory_order_relaxed);
    ThreadState* mine = state;
    if (__builtin_expect(mine != nullptr && mine->generation == generation, 1)) return mine;
    return meet(generation);
}

uint32_t number_of_text(const std::vector<std::string>& parts) {
    if (parts.empty()) return core::kNoText;
    std::string joined = parts[0];
    for (size_t each = 1; each < parts.size(); ++each) joined.append(1, ';').append(parts[each]);
    return state->texts.number(joined, [](std::string_view text) {
        return recorder->number_of(text.data(), text.size());
    });
}

// Where in a script the thread is, innermost first; nothing outside scripts.
uint32_t script_stack() {
    const std::vector<torch::jit::StackEntry> stack = torch::jit::currentCallstack();
    if (stack.empty()) return core::kNoText;
    return number_of_text(torch::profiler::impl::callstackStr(torch::profiler::impl::prepareCallstack(stack)));
}

// What an operator's inputs are, while it runs; used again by the thread's later operators.
struct InputBuffers {
    Bytes shapes;
    Bytes tensors;
    InputBuffers* next = nullptr;
};

// From an operator's start to its end; both it and its buffers come from lists of the thread, so that an operator
// allocates nothing.
struct Context : at::ObserverContext {
    int64_t start = 0;
    ThreadLog* log = nullptr;
    InputBuffers* inputs = nullptr;
    uint32_t generation = 0;
    uint32_t stack = core::kNoText;
    uint32_t module = core::kNoText;
    uint16_t depth = 0;
    bool has_entered = false;  // a wanted module's backward node

    ~Context() override {
        if (inputs == nullptr) return;
        if (state == nullptr) {
            delete inputs;
            return;
        }
        inputs->next = state->free_buffers;
        state->free_buffers = inputs;
    }
    static void* operator new(size_t size) {
        if (state->free_contexts != nullptr) {
            void* found = state->free_contexts;
            state->free_contexts = *static_cast<void**>(found);
            return found;
        }
        void* made = std::malloc(size);
        if (made == nullptr) throw std::bad_alloc();
        return made;
    }
    static void operator delete(void* memory) noexcept {
        if (state == nullptr) {
            std::free(memory);
            return;
        }
        *static_cast<void**>(memory) = state->free_contexts;
        state->free_contexts = memory;
    }
};

ThreadState::~ThreadState() {
    while (free_contexts != nullptr) {
        void* next = *static_cast<void**>(free_contexts);
        std::free(free_contexts);
        free_contexts = next;
    }
    while (free_buffers != nullptr) {
        InputBuffers* next = free_buffers->next;
        delete free_buffers;
        free_buffers = next;
    }
}

std::unique_ptr<Context> begin(ThreadState& mine) {
    auto context = std::make_unique<Context>();
    context->log = mine.log;
    context->generation = mine.generation;
    context->depth = mine.log->op_depth++;
    return context;
}

// What is taken at an operator's start beside the time.
constexpr int kShapes = 1;
constexpr int kTensors = 2;
constexpr int kScriptStack = 4;
constexpr int kScriptModule = 8;

void take_inputs(const at::RecordFunction& function, Context& context, bool has_tensors) {
    InputBuffers* inputs = state->free_buffers;
    if (inputs != nullptr) {
        state->free_buffers = inputs->next;
        inputs->shapes.clear();
        inputs->tensors.clear();
    } else {
        inputs = new InputBuffers();
    }
    context.inputs = inputs;
    describe_shapes(function.inputs(), inputs->shapes);
    if (has_tensors) describe_tensors(function.inputs(), inputs->tensors);
}

template <int kTakes>
std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& function) {
    ThreadState* mine = current();
    if (mine == nullptr) return nullptr;
    if (__builtin_expect(has_memory_everywhere.load(std::memory_order_relaxed), 0)) hold_memory();
    bool enters = false;
    if (__builtin_expect(module_filter::is_used.load(std::memory_order_relaxed), 0)) {
        enters = module_filter::is_of_module(function);
        // ranges of the user's own, steps among them, are always taken
        if (!enters && module_filter::open_modules == 0 && function.scope() != at::RecordScope::USER_SCOPE) {
            return nullptr;
        }
    }
    auto context = begin(*mine);
    if (__builtin_expect(enters, 0)) {
        context->has_entered = true;
        ++module_filter::open_modules;
    }
    if constexpr ((kTakes & (kScriptStack | kScriptModule)) != 0) {
        if (function.scope() != at::RecordScope::BACKWARD_FUNCTION) {  // as torch's own profilers do
            if constexpr ((kTakes & kScriptStack) != 0) context->stack = script_stack();
            if constexpr ((kTakes & kScriptModule) != 0) {
                context->module = number_of_text(torch::jit::currentModuleHierarchy());
            }
        }
    }
    if constexpr ((kTakes & kShapes) != 0) take_inputs(function, *context, (kTakes & kTensors) != 0);
    context->start = core::now_ticks();
    return context;
}

void on_end(const at::RecordFunction& function, at::ObserverContext* started) {
    if (started == nullptr) return;
    const int64_t now = core::now_ticks();
    const auto& context = *static_cast<const Context*>(started);
    if (__builtin_expect(context.has_entered, 0) && module_filter::open_modules != 0) --module_filter::open_modules;
    // the depth comes back whether or not anything is recorded now; an asynchronous range may end on another thread
    if (state != nullptr && context.generation == state->generation && context.log == state->log) {
        state->log->op_depth = context.depth;
    }
    ThreadState* mine = current();
    if (mine == nullptr || context.generation != mine->generation) return;
    const bool is_short = now - context.start < least_ticks.load(std::memory_order_relaxed);
    if (is_short && !(function.scope() == at::RecordScope::USER_SCOPE && core::is_step(function.name()))) return;
    constexpr size_t kMost = 0xFFFF;
    const InputBuffers* inputs = context.inputs;
    const size_t shape_size = inputs != nullptr && inputs->shapes.size() <= kMost ? inputs->shapes.size() : 0;
    const size_t tensor_size = inputs != nullptr && inputs->tensors.size() <= kMost ? inputs->tensors.size() : 0;
    const uint32_t name = mine->names.number_at(function.name(), [](std::string_view text) {
        return recorder->number_of_op(text.data(), text.size());
    });
    if (__builtin_expect(name == core::kLeftOut, 0)) return;
    OpRecord op;
    op.header.depth = context.depth;
    op.start = context.start;
    op.end = now;
    op.sequence = function.seqNr();
    op.forward_thread = function.forwardThreadId();
    op.name = name;
    op.stack = context.stack;
    op.module = context.module;
    op.start_thread = context.log->facts.number;
    op.shape_size = static_cast<uint16_t>(shape_size);
    op.tensor_size = static_cast<uint16_t>(tensor_size);
    op.scope = static_cast<uint8_t>(function.scope());
    op.is_async = static_cast<uint8_t>(function.isAsync());
    op.flags = 0;
    mine->log->op(op, shape_size != 0 ? inputs->shapes.data() : nullptr,
                  tensor_size != 0 ? inputs->tensors.data() : nullptr);
}

// Threads that run operators though nobody observes them, each once a recording.
struct UnobservedThreads {
    std::mutex mutex;
    std::vector<int64_t> tids;
};
UnobservedThreads& unobserved() {
    static auto* found = new UnobservedThreads();  // threads may outlive `main`
    return *found;
}

// Beside the observers: an observed thread's own has met the recording with its first operator.
std::unique_ptr<at::ObserverContext> look_at_thread(const at::RecordFunction&) {
    if (__builtin_expect(!recorder->is_on->load(std::memory_order_acquire), 0)) return nullptr;
    const uint32_t generation = recorder->generation->load(std::memory_order_relaxed);
    if (__builtin_expect(state != nullptr && state->generation == generation, 1)) return nullptr;
    thread_local uint32_t seen_in = 0;
    thread_local uint32_t seen = 0;
    if (seen_in != generation) seen = 0;
    seen_in = generation;
    if (seen > 1 || ++seen == 1) return nullptr;
    const std::lock_guard<std::mutex> lock(unobserved().mutex);
    unobserved().tids.push_back(static_cast<int64_t>(syscall(SYS_gettid)));
    return nullptr;
}

// Observers of all threads, which any thread may take away.
struct GlobalObservers {
    std::mutex mutex;
    std::set<uint64_t> handles;
};
GlobalObservers& everywhere() {
    static auto* found = new GlobalObservers();
    return *found;
}

uint64_t add_everywhere(at::RecordFunctionCallback callback) {
    const uint64_t handle = at::addGlobalCallback(callback);
    const std::lock_guard<std::mutex> lock(everywhere().mutex);
    everywhere().handles.insert(handle);
    return handle;
}

using Start = std::unique_ptr<at::ObserverContext> (*)(const at::RecordFunction&);

template <int... kEach>
constexpr std::array<Start, sizeof...(kEach)> all_starts(std::integer_sequence<int, kEach...>) {
    return {&on_start<kEach>...};
}

constexpr auto starts = all_starts(std::make_integer_sequence<int, 16>());

}  // namespace

}  // namespace npuwh::torch_observer

extern "C" {

int npuwh_observer_connect(const npuwh::core::ProducerAbi* abi) {
    using namespace npuwh::core;
    if (abi->version != kProducerAbiVersion || abi->thread_log_size != sizeof(ThreadLog) ||
        abi->op_record_size != sizeof(OpRecord)) {
        return 1;
    }
    npuwh::core::detail::uses_counter = abi->uses_counter != 0;
    using namespace npuwh::torch_observer;
    recorder = abi;
    is_on = abi->is_on;
    recorded_generation = abi->generation;
    return 0;
}

uint64_t npuwh_observer_add(int takes, int64_t shortest_ticks, int is_standing) {
    using namespace npuwh::torch_observer;
    own_observer.remove();
    least_ticks.store(shortest_ticks, std::memory_order_relaxed);
    at::RecordFunctionCallback callback(starts[takes & 15], &on_end);
    callback.needsInputs((takes & kShapes) != 0).needsIds(false);
    has_memory_everywhere.store((takes & 48) == 48, std::memory_order_relaxed);
    if ((takes & 16) != 0) return add_everywhere(callback);
    own_observer.handle = at::addThreadLocalCallback(callback);
    own_observer.session = is_standing != 0 ? kNoSession : current_session();
    return own_observer.handle;
}

uint64_t npuwh_watch_threads() {
    using namespace npuwh::torch_observer;
    {
        const std::lock_guard<std::mutex> lock(unobserved().mutex);
        unobserved().tids.clear();
    }
    return add_everywhere(at::RecordFunctionCallback(&look_at_thread).needsInputs(false).needsIds(false));
}

int64_t npuwh_unobserved_threads(int64_t* tids, int64_t most) {
    using namespace npuwh::torch_observer;
    const std::lock_guard<std::mutex> lock(unobserved().mutex);
    const auto& found = unobserved().tids;
    for (int64_t each = 0; each < most && each < static_cast<int64_t>(found.size()); ++each) tids[each] = found[each];
    return static_cast<int64_t>(found.size());
}

void npuwh_filter_modules(int is_used) {
    using namespace npuwh::torch_observer;
    module_filter::forget();
    module_filter::is_used.store(is_used != 0, std::memory_order_relaxed);
}

void npuwh_module_enter() { npuwh::torch_observer::module_filter::enter(); }
void npuwh_module_leave() { npuwh::torch_observer::module_filter::leave(); }

void npuwh_observer_remove(uint64_t handle) {
    using namespace npuwh::torch_observer;
    if (own_observer.handle == handle) own_observer.remove();
    const std::lock_guard<std::mutex> lock(everywhere().mutex);
    if (everywhere().handles.erase(handle) != 0) at::removeCallback(handle);
}

void npuwh_end_session() {
    using namespace npuwh::torch_observer;
    last_ended.store(current_session(), std::memory_order_release);
}
}

// Ranges of the framework: a RecordFunction callback that writes one record an operator into its thread's ring.
#include <ATen/record_function.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "core/producer_abi.hpp"
#include "core/ticks.hpp"
#include "torch/input_description.hpp"
#include "torch/observer.hpp"

namespace npuwh::core::detail {
bool uses_counter = false;  // set from the recorder's, so that both read one clock
}

namespace npuwh::torch_observer {

using core::Kind;
using core::OpRecord;
using core::ThreadLog;

const core::ProducerAbi* recorder = nullptr;

namespace {

std::atomic<int64_t> least_ticks{0};

struct InputBuffers;

// What a thread knows of the recording; looked up again when another one has begun.
struct ThreadState {
    ThreadLog* log = nullptr;
    uint32_t generation = 0;
    core::NameCache names;
    void* free_contexts = nullptr;
    InputBuffers* free_buffers = nullptr;

    ~ThreadState();
};

thread_local ThreadState state;

ThreadLog* current_log() {
    if (__builtin_expect(!recorder->is_on->load(std::memory_order_acquire), 0)) return nullptr;
    const uint32_t generation = recorder->generation->load(std::memory_order_relaxed);
    if (__builtin_expect(state.generation == generation && state.log != nullptr, 1)) return state.log;
    state.log = recorder->thread_log();
    if (state.generation != generation) state.names.clear();
    state.generation = generation;
    return state.log;
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
    uint16_t depth = 0;

    ~Context() override {
        if (inputs != nullptr) {
            inputs->next = state.free_buffers;
            state.free_buffers = inputs;
        }
    }
    static void* operator new(size_t size) {
        if (state.free_contexts != nullptr) {
            void* found = state.free_contexts;
            state.free_contexts = *static_cast<void**>(found);
            return found;
        }
        void* made = std::malloc(size);
        if (made == nullptr) throw std::bad_alloc();
        return made;
    }
    static void operator delete(void* memory) noexcept {
        *static_cast<void**>(memory) = state.free_contexts;
        state.free_contexts = memory;
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

std::unique_ptr<Context> begin(ThreadLog* log) {
    auto context = std::make_unique<Context>();
    context->log = log;
    context->generation = state.generation;
    context->depth = log->op_depth++;
    return context;
}

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction&) {
    ThreadLog* log = current_log();
    if (log == nullptr) return nullptr;
    auto context = begin(log);
    context->start = core::now_ticks();
    return context;
}

template <bool kWithTensors>
std::unique_ptr<at::ObserverContext> on_start_with_inputs(const at::RecordFunction& function) {
    ThreadLog* log = current_log();
    if (log == nullptr) return nullptr;
    auto context = begin(log);
    InputBuffers* inputs = state.free_buffers;
    if (inputs != nullptr) {
        state.free_buffers = inputs->next;
        inputs->shapes.clear();
        inputs->tensors.clear();
    } else {
        inputs = new InputBuffers();
    }
    context->inputs = inputs;
    describe_shapes(function.inputs(), inputs->shapes);
    if (kWithTensors) describe_tensors(function.inputs(), inputs->tensors);
    context->start = core::now_ticks();
    return context;
}

void on_end(const at::RecordFunction& function, at::ObserverContext* started) {
    if (started == nullptr) return;
    const int64_t now = core::now_ticks();
    const auto& context = *static_cast<const Context*>(started);
    ThreadLog* log = current_log();
    if (log == nullptr || context.generation != state.generation) return;
    // an asynchronous range may end on another thread
    if (context.log == log) log->op_depth = context.depth;
    if (now - context.start < least_ticks.load(std::memory_order_relaxed)) return;
    constexpr size_t kMost = 0xFFFF;
    const InputBuffers* inputs = context.inputs;
    const size_t shape_size = inputs != nullptr && inputs->shapes.size() <= kMost ? inputs->shapes.size() : 0;
    const size_t tensor_size = inputs != nullptr && inputs->tensors.size() <= kMost ? inputs->tensors.size() : 0;
    const uint32_t name = state.names.number(std::string_view(function.name()), [](std::string_view text) {
        return recorder->number_of(text.data(), text.size());
    });
    auto* record = log->begin<OpRecord>(Kind::kOp, static_cast<uint32_t>(shape_size + tensor_size), now);
    if (record == nullptr) return;
    record->header.depth = context.depth;
    record->start = context.start;
    record->end = now;
    record->sequence = function.seqNr();
    record->forward_thread = function.forwardThreadId();
    record->name = name;
    record->stack = 0;
    record->module = 0;
    record->start_thread = context.log->facts.number;
    record->shape_size = static_cast<uint16_t>(shape_size);
    record->tensor_size = static_cast<uint16_t>(tensor_size);
    record->scope = static_cast<uint8_t>(function.scope());
    record->is_async = static_cast<uint8_t>(function.isAsync());
    record->flags = 0;
    auto* payload = reinterpret_cast<std::byte*>(record + 1);
    if (shape_size != 0) std::memcpy(payload, inputs->shapes.data(), shape_size);
    if (tensor_size != 0) std::memcpy(payload + shape_size, inputs->tensors.data(), tensor_size);
    log->finish(record);
}

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
    npuwh::torch_observer::recorder = abi;
    return 0;
}

uint64_t npuwh_observer_add(int level, int64_t shortest_ticks) {
    using namespace npuwh::torch_observer;
    least_ticks.store(shortest_ticks, std::memory_order_relaxed);
    auto callback = level == 0   ? at::RecordFunctionCallback(&on_start, &on_end)
                    : level == 1 ? at::RecordFunctionCallback(&on_start_with_inputs<false>, &on_end)
                                 : at::RecordFunctionCallback(&on_start_with_inputs<true>, &on_end);
    callback.needsInputs(level != 0).needsIds(false);
    return at::addThreadLocalCallback(callback);
}

void npuwh_observer_remove(uint64_t handle) { at::removeCallback(handle); }
}

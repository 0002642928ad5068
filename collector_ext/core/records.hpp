// What producers put into their thread's ring: plain structs, sizes fixed at compile time (batches/recorded.py has the
// columns that come of them).  Times are ticks of core/ticks.hpp; `name` and the like are numbers of core/string_table.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "core/ring.hpp"

namespace npuwh::core {

enum class Kind : uint16_t { kOp, kPlainOp, kFrame, kMemory, kMark, kGc, kQueueMark, kGap, kParameter, kHost, kCount };

constexpr uint32_t kNoText = 0;  // number of the empty text
constexpr uint32_t kLeftOut = 0xFFFF'FFFF;  // instead of the number of a name that is not wanted

// Ranges by which an analysis knows the steps: recorded whatever a filter says of others.
inline bool is_step(std::string_view name) noexcept {
    constexpr std::string_view kStep = "ProfilerStep#";
    return name.substr(0, kStep.size()) == kStep;
}

// A finished range of the framework; followed by the description of its inputs, if there is one: `shape_size` bytes
// that say types and sizes, the same for every call with the same ones, then `tensor_size` bytes that name the tensors.
struct OpRecord {
    RecordHeader header;
    int64_t start;
    int64_t end;
    int64_t sequence;  // -1: none
    uint64_t forward_thread;  // 0: none
    uint32_t name;
    uint32_t stack;   // text: frames, innermost first, joined by ';'
    uint32_t module;  // text: TorchScript modules joined by ';'
    uint32_t start_thread;
    uint16_t shape_size;
    uint16_t tensor_size;
    uint8_t scope;
    uint8_t is_async;
    uint16_t flags;
};
static_assert(sizeof(OpRecord) == 64 && std::is_trivially_copyable_v<OpRecord>);

// The same where nothing is to be told that has no place here, which is most of them: half the memory to go through.
struct PlainOpRecord {
    RecordHeader header;
    int64_t start;
    uint32_t duration;
    uint32_t name;
    int32_t sequence;
    uint8_t scope;
    uint8_t is_async;
    uint16_t flags;
};
static_assert(sizeof(PlainOpRecord) == 32 && std::is_trivially_copyable_v<PlainOpRecord>);

// Whether duration and sequence number have room in the narrow form.
inline bool fits_plain(const OpRecord& op) noexcept {
    return static_cast<uint64_t>(op.end) - static_cast<uint64_t>(op.start) <= UINT32_MAX &&
           op.sequence == static_cast<int32_t>(op.sequence);
}

// A call or return of a Python or C function, or where a loss ends: the fewest calls that were open while it lasted (those
// are the same before and behind it) and, as depth, those that are open now.
enum class FrameEvent : uint8_t { kCall, kReturn, kCCall, kCReturn, kLossEnd };
struct FrameRecord {
    int64_t time;
    uint32_t code;  // number of core/code_table; 0 for returns; calls that stayed open for the end of a loss
    uint32_t depth_and_event;  // depth << 8 | FrameEvent
};
static_assert(sizeof(FrameRecord) == 16 && std::is_trivially_copyable_v<FrameRecord>);

// One alloc (size > 0) or free (size < 0), with the allocator's totals after it.
struct MemoryRecord {
    RecordHeader header;
    int64_t time;
    uint64_t address;
    int64_t size;
    int64_t allocated;
    int64_t reserved;
    int64_t active;
    int64_t stream;
    int8_t device_type;
    int8_t device_index;
    uint8_t component;
    uint8_t action;
    uint32_t flags;
};
static_assert(sizeof(MemoryRecord) == 72 && std::is_trivially_copyable_v<MemoryRecord>);

// A mstx mark (start = end) or a finished mstx range.
struct MarkRecord {
    RecordHeader header;
    int64_t start;
    int64_t end;
    int64_t range;  // 0: mark
    uint32_t message;
    uint32_t domain;
    uint32_t end_thread;
    uint32_t flags;
};
static_assert(sizeof(MarkRecord) == 48 && std::is_trivially_copyable_v<MarkRecord>);

struct GcRecord {
    RecordHeader header;
    int64_t start;
    int64_t end;
    int32_t generation;
    int32_t collected;
};
static_assert(sizeof(GcRecord) == 32 && std::is_trivially_copyable_v<GcRecord>);

// Borders of an enqueue or a dequeue of the task queue (framework-files.md 2.4).
struct QueueMarkRecord {
    RecordHeader header;
    int64_t time;
    int64_t correlation;
    uint32_t name;
    uint32_t category;
};
static_assert(sizeof(QueueMarkRecord) == 32 && std::is_trivially_copyable_v<QueueMarkRecord>);

// Records that a full ring did not take.
struct GapRecord {
    RecordHeader header;
    int64_t first;
    int64_t last;
    int64_t count;
    uint32_t ring;  // 0 events, 1 frames
    uint32_t flags;
};
static_assert(sizeof(GapRecord) == 40 && std::is_trivially_copyable_v<GapRecord>);

// Tensors of a module or an optimizer, as text (framework-files.md 2.8).
struct ParameterRecord {
    RecordHeader header;
    int64_t time;
    uint64_t key;
    uint32_t text;
    uint32_t is_optimizer;
};
static_assert(sizeof(ParameterRecord) == 32 && std::is_trivially_copyable_v<ParameterRecord>);

// What the host did beside the program (core/host_reader.hpp).
struct HostRecord {
    RecordHeader header;
    int64_t time;
    int64_t value;
    int64_t whole;  // what the value is a part of; 0: none
    uint32_t series;
    uint32_t begins;  // 1: nothing was recorded of the time before
};
static_assert(sizeof(HostRecord) == 40 && std::is_trivially_copyable_v<HostRecord>);

}  // namespace npuwh::core

#include "core/tables.hpp"

#include <array>
#include <cstring>

namespace npuwh::core {

namespace {

using T = ColumnType;

struct TableSpec {
    std::string_view name;
    std::vector<ColumnSpec> columns;
};

const std::array<TableSpec, kTableCount>& specs() {
    // never destroyed: the dumper may still be at work when the process ends
    static const auto& all = *new std::array<TableSpec, kTableCount>{{
        {"string", {{"string", T::kUint32}, {"text", T::kBinary}}},
        {"thread", {{"thread", T::kUint32}, {"pid", T::kInt64}, {"tid", T::kInt64}, {"name", T::kUint32}}},
        {"anchor", {{"ticks", T::kInt64}, {"monotonic_raw_ns", T::kInt64}, {"realtime_ns", T::kInt64}}},
        {"op",
         {{"start_ticks", T::kInt64},
          {"end_ticks", T::kInt64},
          {"sequence_no", T::kInt64},
          {"forward_thread_no", T::kUint64},
          {"thread", T::kUint32},
          {"end_thread", T::kUint32},
          {"name", T::kUint32},
          {"stack", T::kUint32},
          {"module", T::kUint32},
          {"dtypes", T::kUint32},
          {"shapes", T::kUint32},
          {"depth", T::kUint16},
          {"scope", T::kUint8},
          {"is_async", T::kUint8},
          {"tensors", T::kBinary}}},
        {"frame",
         {{"time_ticks", T::kInt64},
          {"thread", T::kUint32},
          {"code", T::kUint32},
          {"depth", T::kUint32},
          {"event", T::kUint8}}},
        {"memory",
         {{"time_ticks", T::kInt64},
          {"address", T::kUint64},
          {"size_bytes", T::kInt64},
          {"allocated_bytes", T::kInt64},
          {"reserved_bytes", T::kInt64},
          {"active_bytes", T::kInt64},
          {"stream", T::kInt64},
          {"thread", T::kUint32},
          {"device_type", T::kInt8},
          {"device_index", T::kInt8},
          {"component", T::kUint8},
          {"action", T::kUint8}}},
        {"mark",
         {{"start_ticks", T::kInt64},
          {"end_ticks", T::kInt64},
          {"range", T::kInt64},
          {"thread", T::kUint32},
          {"end_thread", T::kUint32},
          {"message", T::kUint32},
          {"domain", T::kUint32}}},
        {"gc",
         {{"start_ticks", T::kInt64},
          {"end_ticks", T::kInt64},
          {"thread", T::kUint32},
          {"generation", T::kInt32},
          {"collected", T::kInt32}}},
        {"queue_mark",
         {{"time_ticks", T::kInt64},
          {"correlation_no", T::kInt64},
          {"thread", T::kUint32},
          {"name", T::kUint32},
          {"category", T::kUint32}}},
        {"gap",
         {{"first_ticks", T::kInt64},
          {"last_ticks", T::kInt64},
          {"count", T::kInt64},
          {"thread", T::kUint32},
          {"ring", T::kUint32}}},
        {"parameter",
         {{"time_ticks", T::kInt64},
          {"key", T::kUint64},
          {"thread", T::kUint32},
          {"text", T::kUint32},
          {"is_optimizer", T::kUint32}}},
    }};
    return all;
}

// Names of torch's scalar types by their number, as its C++ types are called (framework-files.md 2.3).
constexpr std::array<std::string_view, 28> kScalarTypes = {
    "unsigned char", "signed char", "short int", "int", "long int", "c10::Half", "float", "double",
    "c10::complex<c10::Half>", "c10::complex<float>", "c10::complex<double>", "bool", "c10::qint8", "c10::quint8",
    "c10::qint32", "c10::BFloat16", "c10::quint4x2", "c10::quint2x4", "c10::bits1x8", "c10::bits2x4", "c10::bits4x2",
    "c10::bits8", "c10::bits16", "c10::Float8_e5m2", "c10::Float8_e4m3fn", "c10::Float8_e5m2fnuz",
    "c10::Float8_e4m3fnuz", "short unsigned int"};

std::string_view scalar_type(uint8_t number) {
    return number < kScalarTypes.size() ? kScalarTypes[number] : std::string_view("unknown");
}

}  // namespace

std::string_view name_of(Table table) noexcept { return specs()[static_cast<size_t>(table)].name; }

const std::vector<ColumnSpec>& columns_of(Table table) { return specs()[static_cast<size_t>(table)].columns; }

Rows::Rows(Table table) : table_(table), columns_(columns_of(table).size()) {
    for (Column& column : columns_) column.clear();
}

size_t Rows::bytes() const noexcept {
    size_t sum = 0;
    for (const Column& column : columns_) sum += column.values.size();
    return sum;
}

void Rows::add_string(uint32_t number, std::string_view text) {
    columns_[0].push(number);
    columns_[1].push_text(text);
    ++count_;
}

void Rows::add_thread(uint32_t number, int64_t pid, int64_t tid, uint32_t name) { push(number, pid, tid, name); }

void Rows::add_anchor(const ClockAnchor& anchor) { push(anchor.ticks, anchor.monotonic_raw_ns, anchor.realtime_ns); }

void Rows::add(const OpRecord& record, uint32_t thread, uint32_t dtypes, uint32_t shapes, std::string_view tensors) {
    push(record.start, record.end, record.sequence, record.forward_thread, record.start_thread, thread, record.name,
         record.stack, record.module, dtypes, shapes, record.header.depth, record.scope, record.is_async);
    columns_.back().push_text(tensors);
}

void Rows::add(const FrameRecord& record, uint32_t thread) {
    push(record.time, thread, record.code, record.depth_and_event >> 8,
         static_cast<uint8_t>(record.depth_and_event & 0xFF));
}

void Rows::add(const MemoryRecord& record, uint32_t thread) {
    push(record.time, record.address, record.size, record.allocated, record.reserved, record.active, record.stream,
         thread, record.device_type, record.device_index, record.component, record.action);
}

void Rows::add(const MarkRecord& record, uint32_t thread) {
    push(record.start, record.end, record.range, thread, record.end_thread, record.message, record.domain);
}

void Rows::add(const GcRecord& record, uint32_t thread) {
    push(record.start, record.end, thread, record.generation, record.collected);
}

void Rows::add(const QueueMarkRecord& record, uint32_t thread) {
    push(record.time, record.correlation, thread, record.name, record.category);
}

void Rows::add(const GapRecord& record, uint32_t thread) {
    push(record.first, record.last, record.count, thread, record.ring);
}

void Rows::add(const ParameterRecord& record, uint32_t thread) {
    push(record.time, record.key, thread, record.text, record.is_optimizer);
}

void Rows::take(std::vector<std::byte>& out) {
    append_batch_message(columns_of(table_), columns_, count_, out);
    for (Column& column : columns_) column.clear();
    count_ = 0;
}

InputTexts::Numbers InputTexts::of(std::string_view description, StringTable& strings) {
    if (description.empty()) return {};
    const auto found = known_.find(std::string(description));
    if (found != known_.end()) return found->second;
    std::string dtypes;
    std::string shapes;
    bool is_first = true;
    for (size_t at = 0; at < description.size();) {
        if (!is_first) {
            dtypes += ';';
            shapes += ';';
        }
        is_first = false;
        switch (static_cast<uint8_t>(description[at++])) {
            case input_code::kTensor: {
                if (description.size() - at < 2) return {};
                dtypes += scalar_type(static_cast<uint8_t>(description[at]));
                const size_t sizes = static_cast<uint8_t>(description[at + 1]);
                at += 2;
                if (description.size() - at < 8 * sizes) return {};
                for (size_t each = 0; each < sizes; ++each, at += 8) {
                    int64_t size;
                    std::memcpy(&size, description.data() + at, 8);
                    if (each != 0) shapes += ',';
                    shapes += std::to_string(size);
                }
                break;
            }
            case input_code::kTensorList:
                dtypes += "TensorList";
                break;
            case input_code::kScalar:
                dtypes += "Scalar";
                break;
            case input_code::kScalarList:
                dtypes += "ScalarList";
                break;
            default:
                dtypes += "None";
        }
    }
    const Numbers numbers{strings.number_of(dtypes), strings.number_of(shapes)};
    known_.emplace(description, numbers);
    return numbers;
}

}  // namespace npuwh::core

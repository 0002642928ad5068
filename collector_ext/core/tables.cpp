#include "core/tables.hpp"

#include <array>

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
        {"op_form",
         {{"form", T::kUint32},
          {"forward_thread_no", T::kUint64},
          {"end_thread", T::kUint32},
          {"stack", T::kUint32},
          {"module", T::kUint32},
          {"dtypes", T::kUint32},
          {"shapes", T::kUint32},
          {"scope", T::kUint8},
          {"is_async", T::kUint8}}},
        {"op",
         {{"start_ticks", T::kInt64},
          {"duration_ticks", T::kUint32},
          {"sequence_no", T::kInt32},
          {"name", T::kUint32},
          {"form", T::kUint32},
          {"thread", T::kUint16},
          {"depth", T::kUint16}}},
        {"wide_op",
         {{"start_ticks", T::kInt64},
          {"duration_ticks", T::kInt64},
          {"sequence_no", T::kInt64},
          {"name", T::kUint32},
          {"form", T::kUint32},
          {"thread", T::kUint32},
          {"depth", T::kUint16},
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
        {"host",
         {{"time_ticks", T::kInt64},
          {"value", T::kInt64},
          {"whole", T::kInt64},
          {"series", T::kUint32},
          {"begins", T::kUint8}}},
    }};
    return all;
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

void Rows::add_form(uint32_t number, const OpForm& form) {
    push(number, form.forward_thread, form.end_thread, form.stack, form.module, form.dtypes, form.shapes, form.scope,
         form.is_async);
}

void Rows::add_op(const OpRecord& record, uint32_t form) {
    push(record.start, static_cast<uint32_t>(record.end - record.start), static_cast<int32_t>(record.sequence),
         record.name, form, static_cast<uint16_t>(record.start_thread), record.header.depth);
}

void Rows::add_wide_op(const OpRecord& record, uint32_t form, std::string_view tensors) {
    push(record.start, record.end - record.start, record.sequence, record.name, form, record.start_thread,
         record.header.depth);
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

void Rows::add(const HostRecord& record, uint32_t /*thread*/) {
    push(record.time, record.value, record.whole, record.series, static_cast<uint8_t>(record.begins));
}

void Rows::take(std::vector<std::byte>& out) {
    append_batch_message(columns_of(table_), columns_, count_, out);
    for (Column& column : columns_) column.clear();
    count_ = 0;
}

}  // namespace npuwh::core

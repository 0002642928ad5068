#include "core/dumper.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace npuwh::core {

namespace {

// a batch is put together and written while it is in the processor's cache
constexpr int64_t kBatchRows = 1 << 14;
constexpr size_t kBatchBytes = size_t{1} << 20;
constexpr int64_t kLeastRows = 64;
constexpr int64_t kRowBytes = 32;  // of an operator or a frame
constexpr int64_t kBatchesInLimit = 32;  // a batch is written whole or not at all, so a small limit has small ones
constexpr auto kPause = std::chrono::microseconds(1000);  // a ring fills in no less than tens of ms
constexpr int64_t kFirstAnchorNs = 1'000'000;  // a recording that is killed soon needs two as well
constexpr int64_t kAnchorNs = 1'000'000'000;
constexpr int64_t kFirstFlushNs = 200'000'000;  // and what it recorded in files

const char* ended_by(const std::string& state, int error) {
    if (state == "complete") return "stop";
    if (state == "disk-budget") return "disk limit";
    return error == ENOSPC || error == EDQUOT ? "disk full" : "disk error";
}

int64_t batch_rows(const DumpLimits& limits) {
    if (limits.disk_bytes == 0) return kBatchRows;
    return std::clamp(limits.disk_bytes / kBatchesInLimit / kRowBytes, kLeastRows, kBatchRows);
}

void name_thread(const char* name) {
#if defined(__linux__)
    pthread_setname_np(pthread_self(), name);
#endif
}

}  // namespace

void ThreadList::add(std::shared_ptr<ThreadLog> log) {
    const std::lock_guard<std::mutex> lock(mutex_);
    logs_.push_back(std::move(log));
}

std::vector<std::shared_ptr<ThreadLog>> ThreadList::all() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return logs_;
}

void ThreadList::remove(const ThreadLog& log) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::find_if(logs_.begin(), logs_.end(), [&](const auto& each) { return each.get() == &log; });
    if (found == logs_.end()) return;
    ++removed_.threads;
    removed_.lost_events += log.lost_events.load(std::memory_order_relaxed);
    removed_.lost_frames += log.lost_frames.load(std::memory_order_relaxed);
    logs_.erase(found);
}

ThreadList::Totals ThreadList::totals() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    Totals totals = removed_;
    totals.refused_events = refused_events.load(std::memory_order_relaxed);
    totals.refused_frames = refused_frames.load(std::memory_order_relaxed);
    totals.lost_events += missed_events.load(std::memory_order_relaxed) + totals.refused_events;
    totals.lost_frames += missed_frames.load(std::memory_order_relaxed) + totals.refused_frames;
    for (const auto& log : logs_) {
        ++totals.threads;
        totals.lost_events += log->lost_events.load(std::memory_order_relaxed);
        totals.lost_frames += log->lost_frames.load(std::memory_order_relaxed);
    }
    return totals;
}

Dumper::Dumper(std::string folder, std::string facts_json, DumpLimits limits, ThreadList& threads, StringTable& strings,
               std::function<void()> on_failure)
    : folder_(std::move(folder)),
      limits_(limits),
      threads_(threads),
      strings_(strings),
      on_failure_(std::move(on_failure)),
      batch_rows_(batch_rows(limits)),
      writer_(folder_, limits_,
              {[this](const std::vector<ChunkFacts>& complete) {
                   note_complete(complete);
                   update_manifest("recording");
               },
               [this](const char* state, std::string reason, int error, const std::vector<ChunkFacts>& complete) {
                   note_complete(complete);
                   note_failure(state, std::move(reason), error);
               },
               [](Table table, int64_t records) {
                   if (table <= Table::kOpForm || table == Table::kGap) return;  // they tell of others
                   (table == Table::kFrame ? ThreadList::missed_frames : ThreadList::missed_events)
                       .fetch_add(static_cast<uint64_t>(records), std::memory_order_relaxed);
               }}) {
    for (size_t table = 0; table < kTableCount; ++table) rows_.emplace_back(static_cast<Table>(table));
    manifest_.facts_json = std::move(facts_json);
    manifest_.pid = getpid();
    manifest_.ticks = tick_kind();
    const ClockAnchor anchor = read_anchor();
    manifest_.ticks_per_second = ticks_per_second(anchor);
    manifest_.anchors = {anchor, anchor};
    rows(Table::kAnchor).add_anchor(anchor);
    last_anchor_ns_ = read_clock_ns(CLOCK_MONOTONIC);  // and a first write at once: even of nothing else there is a chunk
    anchor_pause_ns_ = kFirstAnchorNs;
    update_manifest("recording");
    thread_ = std::thread([this] { run(); });
}

Dumper::~Dumper() {
    if (thread_.joinable()) finish("");
}

std::string Dumper::state() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return manifest_.state;
}

std::string Dumper::reason() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return manifest_.reason;
}

void Dumper::flush() {
    std::unique_lock<std::mutex> lock(mutex_);
    const uint64_t wanted = ++flushes_wanted_;
    wake_.notify_all();
    done_.wait(lock, [&] { return flushes_done_ >= wanted || is_finishing_; });
}

void Dumper::finish(std::string facts_json) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!facts_json.empty()) manifest_.facts_json = std::move(facts_json);
        is_finishing_ = true;
        wake_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
}

void Dumper::forget_after_fork() noexcept {
    writer_.forget_after_fork();
}

void Dumper::run() {
    name_thread("npuwh-dumper");
    for (;;) {
        uint64_t wanted = 0;
        bool is_last = false;
        {
            std::unique_lock<std::mutex> lock(mutex_);
            wake_.wait_for(lock, kPause, [&] { return is_finishing_ || flushes_wanted_ > flushes_done_; });
            wanted = flushes_wanted_;
            is_last = is_finishing_;
        }
        // the last time until nothing waits: nobody records any more
        for (size_t waited = drain(); waited > (is_last ? 0 : kBatchBytes); waited = drain()) {
        }
        const int64_t now = read_clock_ns(CLOCK_MONOTONIC);
        keep_anchor(now, is_last);
        if (is_manifest_owed_.load(std::memory_order_relaxed) && now - last_manifest_ns_ >= kAnchorNs) {
            last_manifest_ns_ = now;  // there may be room again
            update_manifest("recording");
        }
        const bool is_flush = wanted > flushes_done_;
        const bool is_due = now - last_write_ns_ >= write_pause_ns_;
        if (is_due) write_pause_ns_ = std::min(std::max(2 * write_pause_ns_, kFirstFlushNs), limits_.flush_ns);
        write_rows(is_last || is_flush || is_due);
        if (is_flush) writer_.flush();
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            flushes_done_ = wanted;
        }
        done_.notify_all();
        if (is_last) break;
    }
    writer_.finish();
    update_manifest("complete", /*is_last=*/true);  // of one that ended early the losses since then
    done_.notify_all();
}

size_t Dumper::drain() {
    const auto logs = threads_.all();
    note_threads(logs);
    size_t bytes = 0;
    for (const auto& log : logs) {
        const bool has_ended = log->has_ended.load(std::memory_order_acquire);
        const uint64_t waiting = std::max(log->events.waiting(), log->frames.waiting());
        if (waiting > counters_.ring_peak_bytes.load(std::memory_order_relaxed)) {
            counters_.ring_peak_bytes.store(waiting, std::memory_order_relaxed);
        }
        bytes += waiting;
        if (!has_ended) {
            log->events.make_room();
            log->frames.make_room();
        }
        drain_events(*log);
        drain_frames(*log);
        if (has_ended && log->events.waiting() == 0 && log->frames.waiting() == 0) threads_.remove(*log);
    }
    return bytes;
}

void Dumper::drain_events(ThreadLog& log) {
    const Ring::Span span = log.events.peek();
    for (size_t at = 0; at < span.size;) {
        RecordHeader header;
        std::memcpy(&header, span.data + at, sizeof header);
        if (header.kind != kPaddingKind) take_event(header, span.data + at, log.facts.number);
        at += header.size;
    }
    counters_.ops.fetch_add(std::exchange(taken_ops_, 0), std::memory_order_relaxed);
    log.events.release(span.size);
}

void Dumper::drain_frames(ThreadLog& log) {
    const Ring::Span span = log.frames.peek();
    Rows& frames = rows(Table::kFrame);
    uint64_t calls_and_returns = 0;
    for (size_t at = 0; at < span.size; at += sizeof(FrameRecord)) {
        FrameRecord record;
        std::memcpy(&record, span.data + at, sizeof record);
        frames.add(record, log.facts.number);
        const bool is_loss_end = (record.depth_and_event & 0xFF) == static_cast<uint32_t>(FrameEvent::kLossEnd);
        waiting_loss_ends_ += is_loss_end ? 1 : 0;
        calls_and_returns += is_loss_end ? 0 : 1;
        if (frames.count() >= batch_rows_) write_rows(false);
    }
    counters_.frames.fetch_add(calls_and_returns, std::memory_order_relaxed);
    log.frames.release(span.size);
}

void Dumper::take_event(const RecordHeader& header, const std::byte* at, uint32_t thread) {
    const auto add = [&](auto record, Table table) {
        std::memcpy(&record, at, sizeof record);
        rows(table).add(record, thread);
        counters_.other_records.fetch_add(1, std::memory_order_relaxed);
        if (rows(table).count() >= batch_rows_) write_rows(false);
    };
    switch (static_cast<Kind>(header.kind)) {
        case Kind::kOp: {
            OpRecord record;
            std::memcpy(&record, at, sizeof record);
            take_op(record, reinterpret_cast<const char*>(at + sizeof record), thread);
            break;
        }
        case Kind::kPlainOp: {
            PlainOpRecord plain;
            std::memcpy(&plain, at, sizeof plain);
            OpRecord record{};
            record.header = plain.header;
            record.start = plain.start;
            record.end = plain.start + plain.duration;
            record.sequence = plain.sequence;
            record.name = plain.name;
            record.start_thread = thread;
            record.scope = plain.scope;
            record.is_async = plain.is_async;
            take_op(record, nullptr, thread);
            break;
        }
        case Kind::kMemory:
            add(MemoryRecord{}, Table::kMemory);
            break;
        case Kind::kMark:
            add(MarkRecord{}, Table::kMark);
            break;
        case Kind::kGc:
            add(GcRecord{}, Table::kGc);
            break;
        case Kind::kQueueMark:
            add(QueueMarkRecord{}, Table::kQueueMark);
            break;
        case Kind::kGap:
            add(GapRecord{}, Table::kGap);
            break;
        case Kind::kParameter:
            add(ParameterRecord{}, Table::kParameter);
            break;
        case Kind::kHost:
            add(HostRecord{}, Table::kHost);
            break;
        case Kind::kFrame:
        case Kind::kCount:
            break;  // frames have a ring of their own
    }
}

void Dumper::take_op(const OpRecord& record, const char* payload, uint32_t thread) {
    OpForm form;
    if (record.shape_size != 0) {
        const auto texts = inputs_.of({payload, record.shape_size}, strings_);
        form.dtypes = texts.dtypes;
        form.shapes = texts.shapes;
    }
    form.forward_thread = record.forward_thread;
    form.end_thread = record.start_thread == thread ? 0 : thread;
    form.stack = record.stack;
    form.module = record.module;
    form.scope = record.scope;
    form.is_async = record.is_async;
    const OpForms::Number found = forms_.number_of(form);
    if (found.is_new) rows(Table::kOpForm).add_form(found.number, form);
    const Table table = is_narrow(record) ? Table::kOp : Table::kWideOp;
    if (table == Table::kOp) {
        rows(table).add_op(record, found.number);
    } else {
        rows(table).add_wide_op(record, found.number, {payload + record.shape_size, record.tensor_size});
    }
    ++taken_ops_;
    if (rows(table).count() >= batch_rows_) write_rows(false);
}

void Dumper::keep_anchor(int64_t now, bool is_last) {
    if (now - last_anchor_ns_ < anchor_pause_ns_ && !is_last) return;
    const ClockAnchor anchor = read_anchor();
    rows(Table::kAnchor).add_anchor(anchor);
    last_anchor_ns_ = now;
    anchor_pause_ns_ = std::min(2 * anchor_pause_ns_, kAnchorNs);
    const std::lock_guard<std::mutex> lock(mutex_);
    manifest_.anchors.back() = anchor;
}

void Dumper::note_threads(const std::vector<std::shared_ptr<ThreadLog>>& logs) {
    for (const auto& log : logs) {
        if (log->is_listed) continue;
        log->is_listed = true;
        const ThreadFacts& facts = log->facts;
        rows(Table::kThread).add_thread(facts.number, facts.pid, facts.tid, strings_.number_of(facts.name));
    }
}

void Dumper::note_strings() {
    for (const auto& text : strings_.take_new()) rows(Table::kString).add_string(text.number, text.text);
}

void Dumper::write_rows(bool everything) {
    bool any = everything;
    for (const Rows& each : rows_) any |= each.count() >= batch_rows_ || each.bytes() >= kBatchBytes;
    if (!any) return;
    // also while the rings never get empty: no record in a file is much later than the anchors there
    keep_anchor(read_clock_ns(CLOCK_MONOTONIC), false);
    // texts, threads, anchors and forms first: a record never stands in a file before what it refers to
    note_strings();
    for (size_t table = 0; table < kTableCount; ++table) {
        const bool is_reference = table <= static_cast<size_t>(Table::kOpForm);
        if (everything || is_reference || rows_[table].count() >= batch_rows_ || rows_[table].bytes() >= kBatchBytes) {
            write_table(static_cast<Table>(table));
        }
    }
    if (everything) last_write_ns_ = read_clock_ns(CLOCK_MONOTONIC);
}

void Dumper::write_table(Table table) {
    Rows& each = rows(table);
    const int64_t count = each.count();
    if (count == 0) return;
    ChunkWriter::Message message = writer_.empty_message();
    each.take(message);
    const int64_t others = table == Table::kFrame ? std::exchange(waiting_loss_ends_, 0) : 0;
    writer_.write(table, std::move(message), count, count - others);
}

void Dumper::update_manifest(const char* state, bool is_last) {
    int error = 0;
    {
        const std::lock_guard<std::mutex> one_at_a_time(manifest_mutex_);
        Manifest copy;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!has_failed_) {
                manifest_.state = state;
                if (manifest_.state == "complete") manifest_.ended_by = ended_by(manifest_.state, 0);
            }
            const ThreadList::Totals totals = threads_.totals();
            manifest_.lost_events = totals.lost_events;
            manifest_.lost_frames = totals.lost_frames;
            manifest_.refused_events = totals.refused_events;
            manifest_.refused_frames = totals.refused_frames;
            copy = manifest_;
        }
        error = write_manifest(folder_, copy, is_last);
    }
    is_manifest_owed_.store(error != 0, std::memory_order_relaxed);
    if (error != 0) {
        note_failure("disk-error", folder_ + "/manifest.json: " + std::strerror(error), error);
    }
}

void Dumper::note_complete(const std::vector<ChunkFacts>& chunks) {
    const std::lock_guard<std::mutex> lock(mutex_);
    manifest_.chunks.insert(manifest_.chunks.end(), chunks.begin(), chunks.end());
}

void Dumper::note_failure(const char* state, std::string reason, int error) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (has_failed_) return;
        has_failed_ = true;
        manifest_.state = state;
        manifest_.reason = std::move(reason);
        manifest_.ended_by = ended_by(manifest_.state, error);
    }
    update_manifest(state);
    on_failure_();
}

}  // namespace npuwh::core

#include "decode/prof/device_tasks.hpp"

#include <optional>
#include <utility>

#include "decode/prof/device_ids.hpp"
#include "decode/prof/prof_faults.hpp"

namespace npuwh::prof {
namespace {

// --- 5.2, both kinds of record -------------------------------------------------------------------
constexpr std::uint16_t kAcsqStart = 0x00;
constexpr std::uint16_t kAcsqEnd = 0x01;
constexpr std::uint16_t kSubTaskStart = 0x22;
constexpr std::uint16_t kSubTaskEnd = 0x23;
constexpr std::uint16_t kAccPmuFunction = 0x1A;

struct Word {  // u16 at `offset`: `bits` of it from bit `shift` up
    std::size_t offset;
    int shift;
    int bits;

    std::uint16_t of(const std::uint8_t* record) const {
        return static_cast<std::uint16_t>(load_le<std::uint16_t>(record + offset) >> shift & ((1 << bits) - 1));
    }
};
constexpr Word kSqeType{0, 10, 6};
constexpr Word kStream{4, 0, 16};
constexpr Word kTask{6, 0, 16};
constexpr std::size_t kSysCnt = 8;
// acsq task
constexpr Word kAcc{18, 0, 6};
constexpr Word kAcsq{18, 6, 7};
// FFTS+ sub task
constexpr Word kSubTaskType{16, 0, 8};
constexpr Word kContext{18, 0, 16};
constexpr Word kFftsType{20, 13, 3};
constexpr Word kFftsThread{22, 0, 16};

std::optional<TaskRecord> task_record(const std::uint8_t* bytes, bool is_expanded) {
    const std::uint16_t function = stars_function(bytes);
    TaskRecord record;
    record.is_start = function == kAcsqStart || function == kSubTaskStart;
    record.is_sub_task = function == kSubTaskStart || function == kSubTaskEnd;
    if (!record.is_start && function != kAcsqEnd && function != kSubTaskEnd) {
        return std::nullopt;
    }
    record.time = load_le<std::uint64_t>(bytes + kSysCnt);
    record.sqe_type = kSqeType.of(bytes);
    const DeviceIds ids = device_ids(kStream.of(bytes), kTask.of(bytes), is_expanded, record.sqe_type);
    record.stream = ids.stream;
    record.task = ids.task;
    if (record.is_sub_task) {
        record.sub_task_type = kSubTaskType.of(bytes);
        record.context = kContext.of(bytes);
        record.ffts_type = kFftsType.of(bytes);
        record.ffts_thread = kFftsThread.of(bytes);
    } else {
        record.acc = kAcc.of(bytes);
        record.acsq = kAcsq.of(bytes);
    }
    return record;
}

constexpr std::int64_t kWholeTask = 0xFFFFFFFF;  // context of a task that is no part of another

const std::vector<ColumnSpec>& task_schema() {
    static const std::vector<ColumnSpec> schema{{"start"},     {"end"},           {"stream"},    {"task"},        {"context"}, {"is_sub_task"},
                                                {"sqe_type"},  {"sub_task_type"}, {"ffts_type"}, {"ffts_thread"}, {"acc"},     {"acsq"}};
    return schema;
}

const std::vector<ColumnSpec>& lone_schema() {
    static const std::vector<ColumnSpec> schema{{"time"},     {"is_start"},      {"stream"},    {"task"},        {"context"}, {"is_sub_task"},
                                                {"sqe_type"}, {"sub_task_type"}, {"ffts_type"}, {"ffts_thread"}, {"acc"},     {"acsq"}};
    return schema;
}

void add_row(RecordBatch& batch, std::int64_t first, std::int64_t second, const TaskRecord& record) {
    std::size_t column = 0;
    for (const std::int64_t value :
         {first, second, std::int64_t{record.stream}, std::int64_t{record.task},
          record.context < 0 ? kWholeTask : std::int64_t{record.context}, std::int64_t{record.is_sub_task},
          std::int64_t{record.sqe_type}, std::int64_t{record.sub_task_type}, std::int64_t{record.ffts_type},
          std::int64_t{record.ffts_thread}, std::int64_t{record.acc}, std::int64_t{record.acsq}}) {
        batch.column(column++).add(value);
    }
}

}  // namespace

TaskDecoder::TaskDecoder(const ProfInput& input, const StreamFormat& format)
    : ProfDecoder(input),
      source_(stream(), format),
      is_expanded_(input.collection.is_expanded),
      acc_pmu_(*format.layouts[0], strings(), tensors(), input.collection.is_expanded) {}

bool TaskDecoder::work() {
    tasks_ = std::make_shared<RecordBatch>(task_schema());
    lone_ = std::make_shared<RecordBatch>(lone_schema());
    bool is_over = false;
    while (!is_over) {
        const std::uint8_t* const bytes = source_.next();
        if (bytes == nullptr) {
            flush();
            break;
        }
        std::optional<TaskRecord> record = task_record(bytes, is_expanded_);
        if (record) {
            record->number = records_++;
            waiting_.push(*record);
        } else if (stars_function(bytes) == kAccPmuFunction) {
            acc_pmu_.add(bytes, stream());
        } else {
            stream().reject(source_.size(), fault::kUnknownType);
            continue;
        }
        stream().accept(source_.size());
        if (waiting_.size() > limits().reorder) {
            take_in_order(waiting_.top());
            waiting_.pop();
        }
        is_over = is_full(tasks_->rows()) || is_full(lone_->rows()) || is_full(acc_pmu_.rows());
    }
    hand_over("device_task", std::move(tasks_));
    hand_over("lone_task_record", std::move(lone_));
    hand_over(acc_pmu_.layout().name, acc_pmu_.take());
    return is_over;
}

TaskDecoder::Key TaskDecoder::key_of(const TaskRecord& record) {
    const std::uint64_t part = static_cast<std::uint64_t>(record.context & 0xFFFF) << 16 | static_cast<std::uint64_t>(record.ffts_thread & 0xFFFF);
    // stream numbers have at most 15 bits (5.1): the top bit is free
    return {static_cast<std::uint64_t>(record.is_sub_task) << 63 | std::uint64_t{record.stream} << 48 | std::uint64_t{record.task} << 32 | part};
}

void TaskDecoder::take_in_order(const TaskRecord& record) {
    const Key key = key_of(record);
    Run* run = open_.find(key);
    if (record.is_start) {
        if (run != nullptr && !run->ends.empty()) {
            finish(*run);
            open_.erase(key);
            run = nullptr;
        }
        if (run == nullptr) {
            run = &open_.add(key, Run{});
        }
        run->starts.push_back(record);
        ++open_records_;
    } else if (run == nullptr) {
        add_lone(record);
        return;
    } else {
        run->ends.push_back(record);
        ++open_records_;
        if (run->ends.size() == run->starts.size()) {
            finish(*run);
            open_.erase(key);
        }
    }
    while (open_records_ > limits().open) {
        give_up_oldest();
    }
}

void TaskDecoder::finish(Run& run) {
    const std::size_t without_end = run.starts.size() - run.ends.size();
    for (std::size_t index = 0; index < run.starts.size(); ++index) {
        if (index < without_end) {
            add_lone(run.starts[index]);
        } else {
            add_task(run.starts[index], run.ends[index - without_end]);
        }
    }
    open_records_ -= run.starts.size() + run.ends.size();
    run.starts.clear();
    run.ends.clear();
}

void TaskDecoder::add_task(const TaskRecord& start, const TaskRecord& end) {
    if (end.time < start.time) {  // further apart in the file than the window that puts them in order
        add_lone(start);
        add_lone(end);
        return;
    }
    add_row(*tasks_, static_cast<std::int64_t>(start.time), static_cast<std::int64_t>(end.time), start);
}

void TaskDecoder::add_lone(const TaskRecord& record) {
    stream().note(record.is_start ? fault::kLoneStart : fault::kLoneEnd);
    add_row(*lone_, static_cast<std::int64_t>(record.time), record.is_start ? 1 : 0, record);
}

void TaskDecoder::give_up_oldest() {
    stream().note(fault::kTooManyOpen);
    finish(open_.oldest().second);
    open_.erase(Key(open_.oldest().first));
}

void TaskDecoder::flush() {
    while (!waiting_.empty()) {
        take_in_order(waiting_.top());
        waiting_.pop();
    }
    for (auto& [key, run] : open_) {
        finish(run);
    }
    open_.clear();
}

}  // namespace npuwh::prof

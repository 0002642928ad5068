// stars_soc: starts and ends of what ran on the device, joined into tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <queue>
#include <vector>

#include "decode/prof/insertion_map.hpp"
#include "decode/prof/layout_rows.hpp"
#include "decode/prof/prof_decoder.hpp"
#include "decode/prof/record_source.hpp"

namespace npuwh::prof {

// One record (cann-files.md 5.2); -1 where it says nothing.
struct TaskRecord {
    std::uint64_t time = 0;
    std::uint64_t number = 0;  // of the record, to keep the order of equal times
    bool is_start = false;
    bool is_sub_task = false;  // of an FFTS+ task
    std::uint16_t stream = 0;
    std::uint16_t task = 0;
    std::uint16_t sqe_type = 0;
    std::int32_t acc = -1;
    std::int32_t acsq = -1;
    std::int32_t context = -1;
    std::int32_t sub_task_type = -1;
    std::int32_t ffts_type = -1;
    std::int32_t ffts_thread = -1;
};

// Kinds: "device_task" (roughly in the order in which tasks end), "lone_task_record" for a start without an end or the reverse,
// "acc_pmu".
//
// Records are put in order of time within a bounded window.  Starts and ends of one (stream, task, context, FFTS+ thread) then make
// runs: starts followed by ends.  The n-th end of a run belongs to its n-th start; if there are fewer ends, the last starts have them,
// for a task that starts anew has ended before (6.4: an end matches a start only if the next start is later).
class TaskDecoder final : public ProfDecoder {
public:
    TaskDecoder(const ProfInput& input, const StreamFormat& format);

protected:
    bool work() override;

private:
    struct Key {
        std::uint64_t ids;
        bool operator==(const Key& other) const { return ids == other.ids; }
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const { return std::hash<std::uint64_t>()(key.ids * 0x9E3779B97F4A7C15U); }
    };
    struct Run {
        std::vector<TaskRecord> starts;
        std::vector<TaskRecord> ends;
    };
    struct IsLater {
        bool operator()(const TaskRecord& one, const TaskRecord& other) const {
            return one.time != other.time ? one.time > other.time : one.number > other.number;
        }
    };

    static Key key_of(const TaskRecord& record);
    void take_in_order(const TaskRecord& record);
    void finish(Run& run);
    void add_task(const TaskRecord& start, const TaskRecord& end);
    void add_lone(const TaskRecord& record);
    void give_up_oldest();
    void flush();

    RecordSource source_;
    bool is_expanded_;
    LayoutRows acc_pmu_;
    std::shared_ptr<RecordBatch> tasks_;
    std::shared_ptr<RecordBatch> lone_;
    std::priority_queue<TaskRecord, std::vector<TaskRecord>, IsLater> waiting_;
    InsertionMap<Key, Run, KeyHash> open_;
    std::size_t open_records_ = 0;
    std::uint64_t records_ = 0;
};

}  // namespace npuwh::prof

// Everything about a device's tasks that needs their order: waits, steps, lanes, busy intervals, totals a step.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sweep/columns.hpp"
#include "sweep/gap_copies.hpp"
#include "sweep/intervals.hpp"
#include "sweep/lane_sweep.hpp"
#include "sweep/step_windows.hpp"

namespace npuwh {

// What a device row is.  Rows of kernel_details.csv: all but the two `task` kinds and copies.
enum class DeviceKind : std::int64_t {
    widening_task = 0,       // no row of kernel_details; widens the range in which idle time is free
    computing = 1,           // computing kernel
    communication = 2,       // communication operator
    silent_task = 3,         // no row of kernel_details; widens nothing
    uncounted_kernel = 4,    // kernel that is no computing (scheduling of a collective); widens nothing
    receive = 5,             // communication operator hcom_receive*: its time also counts as bubble
    copy = 6,                // as `widening_task`; its time in gaps is noted
};
constexpr std::int64_t kDeviceKinds = 7;

struct DeviceLinks {
    Column wait;       // ns since the previous row of kernel_details on the device ended, at least 0; -1 for other kinds
    Column step;       // id of the step whose text window holds the start
    Column task_step;  // id of the step whose task window holds the start
    Column lane;       // lane within (device, track)
};

struct BusyIntervals {
    Column device;
    Column kind;  // Busy
    Column start;
    Column end;
    Column step;  // id of the step whose text window holds the start
    Column copies;   // copies that ran in a gap; -1 for other kinds and where none did
    Column copy_ns;  // time in it in which any of them ran
};

struct StepTotals {
    Column step;  // -1: there are no steps, the row covers everything
    Column device;
    Column computing;
    Column communication;
    Column not_overlapped;
    Column free;
    Column bubble;
    Column first_start;
    Column last_end;
};

// One rank: all its devices, in order of start.
class DeviceSweep {
public:
    // Windows of the steps: text_* as the text deliverables draw them (deliverables.md 6), task_* as analysis.db does.
    // A missing window is an empty one (-1, -1).
    DeviceSweep(const ColumnView& step_ids, const ColumnView& text_starts, const ColumnView& text_ends,
                const ColumnView& task_starts, const ColumnView& task_ends);

    // Starts ascend over all devices and calls.  Throws std::invalid_argument naming the first bad row, and is then unchanged.
    DeviceLinks feed(const ColumnView& kind, const ColumnView& start, const ColumnView& end, const ColumnView& device,
                     const ColumnView& track);
    // Intervals finished since the last call; per device and kind in order of start.
    BusyIntervals take_intervals();
    // The rest of them; nothing may be fed afterwards.
    BusyIntervals finish();
    // Totals of all that was fed: a row for each step and device with a computing or communication slice that starts in the
    // step's task window, in the order of the steps, then by device.
    StepTotals step_totals() const;

private:
    struct Device {
        bool has_row = false;
        std::int64_t last_row_end = 0;
        Coverage coverage;
        GapCopies copies;
    };
    struct Totals {
        std::int64_t device = 0;
        Coverage coverage;
        std::int64_t sums[4] = {0, 0, 0, 0};  // by Busy
        std::int64_t bubble = 0;
        std::int64_t first_start = kLatest;
        std::int64_t last_end = kEarliest;

        void add(DeviceKind kind, std::int64_t start, std::int64_t end);
        void sum(Busy kind, std::int64_t start, std::int64_t end);
    };
    struct TrackHash {
        std::size_t operator()(const std::pair<std::int64_t, std::int64_t>& track) const {
            const auto mixed = static_cast<std::uint64_t>(track.first) * 0x9E3779B97F4A7C15u;
            return static_cast<std::size_t>(mixed ^ (static_cast<std::uint64_t>(track.second) * 0xC2B2AE3D27D4EB4Fu));
        }
    };

    void check(const ColumnView& kind, const ColumnView& start, const ColumnView& end, const ColumnView& device,
               const ColumnView& track) const;
    void finish_interval(std::int64_t id, const Device& device, Busy busy, std::int64_t start, std::int64_t end);
    static void count(std::vector<Totals>& devices, std::int64_t device, DeviceKind kind, std::int64_t start, std::int64_t end);

    StepWindows text_windows_;
    StepWindows task_windows_;
    std::unordered_map<std::int64_t, Device> devices_;
    std::unordered_map<std::pair<std::int64_t, std::int64_t>, LaneTrack, TrackHash> tracks_;
    std::vector<std::vector<Totals>> totals_;  // a list of devices for each step; one list if there are no steps
    BusyIntervals finished_;
    std::int64_t last_start_ = kEarliest;
    bool is_finished_ = false;
};

}  // namespace npuwh

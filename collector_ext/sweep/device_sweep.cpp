#include "sweep/device_sweep.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace npuwh {
namespace {

constexpr const char* kWhere = "DeviceSweep.feed";

bool widens(DeviceKind kind) { return kind == DeviceKind::widening_task || kind == DeviceKind::copy; }
bool is_kernel_row(DeviceKind kind) { return !widens(kind) && kind != DeviceKind::silent_task; }
bool is_communication(DeviceKind kind) { return kind == DeviceKind::communication || kind == DeviceKind::receive; }
bool is_busy(DeviceKind kind) { return kind == DeviceKind::computing || is_communication(kind); }

}  // namespace

DeviceSweep::DeviceSweep(const ColumnView& step_ids, const ColumnView& text_starts, const ColumnView& text_ends,
                         const ColumnView& task_starts, const ColumnView& task_ends)
    : text_windows_("DeviceSweep", step_ids, text_starts, text_ends),
      task_windows_("DeviceSweep", step_ids, task_starts, task_ends),
      totals_(std::max<std::size_t>(step_ids.size(), 1)) {}

void DeviceSweep::check(const ColumnView& kind, const ColumnView& start, const ColumnView& end, const ColumnView& device,
                        const ColumnView& track) const {
    if (is_finished_) {
        throw std::logic_error("DeviceSweep.feed: the sweep is finished");
    }
    const std::size_t rows = kind.size();
    require_rows(kWhere, "start", start, rows);
    require_rows(kWhere, "end", end, rows);
    require_rows(kWhere, "device", device, rows);
    require_rows(kWhere, "track", track, rows);
    for (std::size_t row = 0; row < rows; ++row) {
        if (kind[row] < 0 || kind[row] >= kDeviceKinds) {
            reject_row(kWhere, row, "has kind " + std::to_string(kind[row]) + "; kinds are 0 to 6");
        }
    }
    require_sorted(kWhere, start, end, last_start_);
}

DeviceLinks DeviceSweep::feed(const ColumnView& kind, const ColumnView& start, const ColumnView& end,
                              const ColumnView& device, const ColumnView& track) {
    check(kind, start, end, device, track);
    const std::size_t rows = kind.size();
    DeviceLinks links{Column(rows, kNone), Column(rows), Column(rows), Column(rows)};
    Device* state = nullptr;
    LaneTrack* lanes = nullptr;
    for (std::size_t row = 0; row < rows; ++row) {
        const auto row_kind = static_cast<DeviceKind>(kind[row]);
        const bool same_device = row > 0 && device[row] == device[row - 1];
        if (!same_device) {
            state = &devices_[device[row]];
        }
        if (!same_device || track[row] != track[row - 1]) {
            lanes = &tracks_[{device[row], track[row]}];
        }
        links.lane[row] = lanes->place(start[row], end[row]);
        links.step[row] = text_windows_.find_id(start[row]);
        links.task_step[row] = task_windows_.find_id(start[row]);
        if (is_kernel_row(row_kind)) {
            links.wait[row] =
                state->has_row ? std::max<std::int64_t>(saturating_difference(start[row], state->last_row_end), 0) : 0;
            state->has_row = true;
            state->last_row_end = end[row];
        }
        if (widens(row_kind)) {
            state->coverage.widen(start[row], end[row]);
            if (row_kind == DeviceKind::copy) {
                state->copies.add(start[row], end[row], state->coverage.busy_end());
            }
        } else if (is_busy(row_kind)) {
            state->coverage.add(is_communication(row_kind), start[row], end[row],
                                [&](Busy busy, std::int64_t from, std::int64_t to) {
                                    finish_interval(device[row], *state, busy, from, to);
                                });
            state->copies.begin(state->coverage.busy_end());
            if (task_windows_.size() == 0) {
                count(totals_[0], device[row], row_kind, start[row], end[row]);
            } else {
                for (const std::size_t step : task_windows_.active_at(start[row])) {
                    count(totals_[step], device[row], row_kind, start[row], end[row]);
                }
            }
        }
    }
    if (rows > 0) {
        last_start_ = start[rows - 1];
    }
    return links;
}

void DeviceSweep::finish_interval(std::int64_t id, const Device& device, Busy busy, std::int64_t start, std::int64_t end) {
    finished_.device.push_back(id);
    finished_.kind.push_back(static_cast<std::int64_t>(busy));
    finished_.start.push_back(start);
    finished_.end.push_back(end);
    const GapCopies::Sums copies = busy == Busy::free ? device.copies.until(end) : GapCopies::Sums{};
    finished_.copies.push_back(copies.count == 0 ? kNone : copies.count);
    finished_.copy_ns.push_back(copies.count == 0 ? kNone : copies.ns);
}

BusyIntervals DeviceSweep::take_intervals() {
    BusyIntervals taken = std::move(finished_);
    finished_ = {};
    taken.step.resize(taken.start.size());
    for (std::size_t row = 0; row < taken.start.size(); ++row) {
        taken.step[row] = text_windows_.find_id(taken.start[row]);
    }
    return taken;
}

BusyIntervals DeviceSweep::finish() {
    if (!is_finished_) {
        is_finished_ = true;
        std::vector<std::int64_t> order;
        for (const auto& device : devices_) {
            order.push_back(device.first);
        }
        std::sort(order.begin(), order.end());
        for (const std::int64_t device : order) {
            Device& state = devices_[device];
            state.coverage.close(
                [&](Busy busy, std::int64_t from, std::int64_t to) { finish_interval(device, state, busy, from, to); });
        }
    }
    return take_intervals();
}

void DeviceSweep::Totals::sum(Busy kind, std::int64_t start, std::int64_t end) {
    std::int64_t& total = sums[static_cast<std::size_t>(kind)];
    total = saturating_sum(total, saturating_difference(end, start));
}

void DeviceSweep::Totals::add(DeviceKind kind, std::int64_t start, std::int64_t end) {
    coverage.add(is_communication(kind), start, end,
                 [this](Busy busy, std::int64_t from, std::int64_t to) { sum(busy, from, to); });
    if (kind == DeviceKind::receive) {
        bubble = saturating_sum(bubble, saturating_difference(end, start));
    }
    first_start = std::min(first_start, start);
    last_end = std::max(last_end, end);
}

void DeviceSweep::count(std::vector<Totals>& devices, std::int64_t device, DeviceKind kind, std::int64_t start,
                        std::int64_t end) {
    auto found = std::find_if(devices.begin(), devices.end(), [&](const Totals& totals) { return totals.device == device; });
    if (found == devices.end()) {
        found = devices.emplace(devices.end());
        found->device = device;
    }
    found->add(kind, start, end);
}

StepTotals DeviceSweep::step_totals() const {
    StepTotals result;
    for (std::size_t step = 0; step < totals_.size(); ++step) {
        std::vector<Totals> devices = totals_[step];  // a copy: open unions are closed in it
        std::sort(devices.begin(), devices.end(), [](const Totals& a, const Totals& b) { return a.device < b.device; });
        for (Totals& totals : devices) {
            totals.coverage.close(
                [&](Busy busy, std::int64_t from, std::int64_t to) { totals.sum(busy, from, to); });
            result.step.push_back(task_windows_.size() == 0 ? kNone : task_windows_.id(step));
            result.device.push_back(totals.device);
            result.computing.push_back(totals.sums[0]);
            result.communication.push_back(totals.sums[1]);
            result.not_overlapped.push_back(totals.sums[2]);
            result.free.push_back(totals.sums[3]);
            result.bubble.push_back(totals.bubble);
            result.first_start.push_back(totals.first_start);
            result.last_end.push_back(totals.last_end);
        }
    }
    return result;
}

}  // namespace npuwh

#include "sweep/step_windows.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "sweep/intervals.hpp"

namespace npuwh {
namespace {

Column copy_of(const ColumnView& view) {
    Column copy(view.size());
    for (std::size_t row = 0; row < view.size(); ++row) {
        copy[row] = view[row];
    }
    return copy;
}

}  // namespace

StepWindows::StepWindows(const char* where, const ColumnView& ids, const ColumnView& starts, const ColumnView& ends) {
    require_rows(where, "step starts", starts, ids.size());
    require_rows(where, "step ends", ends, ids.size());
    ids_ = copy_of(ids);
    starts_ = copy_of(starts);
    ends_ = copy_of(ends);
    for (std::size_t step = 0; step < ids_.size(); ++step) {
        if (starts_[step] < ends_[step]) {
            by_start_.push_back(step);
        }
    }
    std::stable_sort(by_start_.begin(), by_start_.end(),
                     [this](std::size_t a, std::size_t b) { return starts_[a] < starts_[b]; });
    flatten();
}

void StepWindows::flatten() {
    Column bounds;
    for (const std::size_t step : by_start_) {
        bounds.push_back(starts_[step]);
        bounds.push_back(ends_[step]);
    }
    std::sort(bounds.begin(), bounds.end());
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());

    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> open;  // first in the order given on top
    std::size_t next = 0;
    for (const std::int64_t bound : bounds) {
        while (next < by_start_.size() && starts_[by_start_[next]] <= bound) {
            open.push(by_start_[next++]);
        }
        while (!open.empty() && ends_[open.top()] <= bound) {
            open.pop();
        }
        piece_starts_.push_back(bound);
        piece_owners_.push_back(open.empty() ? kNone : static_cast<std::int64_t>(open.top()));
    }
}

std::int64_t StepWindows::find(std::int64_t time) const {
    if (piece_starts_.empty() || time < piece_starts_.front()) {
        return kNone;
    }
    const auto holds = [&](std::size_t piece) {
        return piece_starts_[piece] <= time && (piece + 1 == piece_starts_.size() || time < piece_starts_[piece + 1]);
    };
    if (!holds(last_piece_)) {
        if (last_piece_ + 1 < piece_starts_.size() && holds(last_piece_ + 1)) {
            ++last_piece_;
        } else {
            const auto after = std::upper_bound(piece_starts_.begin(), piece_starts_.end(), time);
            last_piece_ = static_cast<std::size_t>(after - piece_starts_.begin()) - 1;
        }
    }
    return piece_owners_[last_piece_];
}

std::int64_t StepWindows::find_id(std::int64_t time) const {
    const std::int64_t step = find(time);
    return step == kNone ? kNone : ids_[static_cast<std::size_t>(step)];
}

const std::vector<std::size_t>& StepWindows::active_at(std::int64_t time) {
    bool changed = false;
    while (next_ < by_start_.size() && starts_[by_start_[next_]] <= time) {
        active_.push_back(by_start_[next_++]);
        changed = true;
    }
    if (changed || (!active_.empty() && first_active_end_ <= time)) {
        active_.erase(std::remove_if(active_.begin(), active_.end(), [&](std::size_t step) { return ends_[step] <= time; }),
                      active_.end());
        first_active_end_ = kLatest;
        for (const std::size_t step : active_) {
            first_active_end_ = std::min(first_active_end_, ends_[step]);
        }
    }
    return active_;
}

}  // namespace npuwh

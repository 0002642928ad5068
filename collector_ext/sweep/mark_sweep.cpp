#include "sweep/mark_sweep.hpp"

#include <utility>

namespace npuwh {

MarkRanges MarkSweep::feed(const ColumnView& half, const ColumnView& is_end, const ColumnView& tid, const ColumnView& pid,
                           const ColumnView& name, const ColumnView& time, const ColumnView& key, const ColumnView& row) {
    const std::pair<const char*, const ColumnView*> columns[] = {
        {"half", &half}, {"is_end", &is_end}, {"tid", &tid}, {"pid", &pid}, {"name", &name}, {"key", &key}, {"row", &row}};
    for (const auto& [column, values] : columns) {
        require_rows("MarkSweep.feed", column, *values, time.size());
    }
    std::int64_t previous = last_time_;
    for (std::size_t at = 0; at < time.size(); ++at) {
        if (time[at] < previous) {
            reject_row("MarkSweep.feed", at, "comes before the row before it; feed rows sorted by time");
        }
        previous = time[at];
    }
    last_time_ = previous;
    MarkRanges found;
    for (std::size_t at = 0; at < time.size(); ++at) {
        const Group group{half[at], tid[at], name[at]};
        if (is_end[at] == 0) {
            open_[group] = time[at];
            continue;
        }
        const auto start = open_.find(group);
        if (start == open_.end()) {
            continue;
        }
        found.half.push_back(half[at]);
        found.tid.push_back(tid[at]);
        found.pid.push_back(pid[at]);
        found.name.push_back(name[at]);
        found.start.push_back(start->second);
        found.end.push_back(time[at]);
        found.key.push_back(key[at]);
        found.row.push_back(row[at]);
        open_.erase(start);
    }
    return found;
}

}  // namespace npuwh

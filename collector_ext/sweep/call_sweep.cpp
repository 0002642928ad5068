#include "sweep/call_sweep.hpp"

#include <algorithm>

namespace npuwh {
namespace {

constexpr std::int64_t kCall = 0;
constexpr std::int64_t kPoint = 1;

constexpr Column CallLinks::*kColumns[] = {&CallLinks::acl,        &CallLinks::model,      &CallLinks::node,       &CallLinks::outer,
                                           &CallLinks::comm,       &CallLinks::parent,     &CallLinks::model_item, &CallLinks::node_item,
                                           &CallLinks::outer_item, &CallLinks::comm_item,  &CallLinks::node_type,  &CallLinks::outer_type,
                                           &CallLinks::comm_type};

}  // namespace

CallSweep::Level CallSweep::level_of(std::int64_t number) {
    switch (number) {
        case 20000:
            return Level::acl;
        case 15000:
            return Level::model;
        case 10000:
            return Level::node;
        case 5500:
            return Level::comm;
        default:
            return Level::none;
    }
}

// Adds a row: the calls among `open` that hold the time.
void CallSweep::link(const std::vector<Call>& open, std::int64_t time, bool is_call, CallLinks& links) {
    for (Column CallLinks::*const column : kColumns) {
        (links.*column).push_back(kNone);
    }
    for (auto call = open.rbegin(); call != open.rend(); ++call) {
        // a call begins within another also at its very start
        if (time > call->end || (is_call ? time >= call->end : time <= call->start)) {
            continue;
        }
        if (links.parent.back() == kNone) {
            links.parent.back() = call->id;
        }
        switch (call->level) {
            case Level::acl:
                links.acl.back() = call->id;
                break;
            case Level::model:
                links.model.back() = call->id;
                links.model_item.back() = call->item;
                break;
            case Level::node:
                if (links.node.back() == kNone) {
                    links.node.back() = call->id;
                    links.node_item.back() = call->item;
                    links.node_type.back() = call->type;
                }
                links.outer.back() = call->id;
                links.outer_item.back() = call->item;
                links.outer_type.back() = call->type;
                break;
            case Level::comm:
                links.comm.back() = call->id;
                links.comm_item.back() = call->item;
                links.comm_type.back() = call->type;
                break;
            case Level::none:
                break;
        }
    }
}

CallLinks CallSweep::feed(const ColumnView& kind, const ColumnView& start, const ColumnView& end, const ColumnView& thread,
                          const ColumnView& level, const ColumnView& item, const ColumnView& type) {
    check(kind, start, end, thread, level, item, type);
    CallLinks links;
    for (Column CallLinks::*const column : kColumns) {
        (links.*column).reserve(start.size());
    }
    for (std::size_t row = 0; row < start.size(); ++row) {
        Thread& on_thread = threads_[thread[row]];
        std::vector<Call>& open = on_thread.open;
        const std::int64_t time = start[row];
        const bool is_call = kind[row] == kCall;
        open.erase(std::remove_if(open.begin(), open.end(), [&](const Call& call) { return call.end < time; }), open.end());
        link(open, time, is_call, links);
        if (!is_call) {
            continue;
        }
        const std::int64_t id = next_id_++;
        const Level own = level_of(level[row]);
        if (own == Level::none || end[row] <= time) {
            continue;
        }
        std::int64_t& last_end = on_thread.last_end[static_cast<std::size_t>(own)];
        if (own != Level::node && time < last_end) {
            continue;
        }
        last_end = std::max(last_end, end[row]);
        open.push_back({time, end[row], id, item[row], type[row], own});
    }
    if (start.size() > 0) {
        last_start_ = start[start.size() - 1];
    }
    return links;
}

void CallSweep::check(const ColumnView& kind, const ColumnView& start, const ColumnView& end, const ColumnView& thread,
                      const ColumnView& level, const ColumnView& item, const ColumnView& type) const {
    constexpr const char* kWhere = "CallSweep.feed";
    const std::size_t rows = start.size();
    require_rows(kWhere, "kind", kind, rows);
    require_rows(kWhere, "end", end, rows);
    require_rows(kWhere, "thread", thread, rows);
    require_rows(kWhere, "level", level, rows);
    require_rows(kWhere, "item", item, rows);
    require_rows(kWhere, "type", type, rows);
    std::int64_t previous = last_start_;
    for (std::size_t row = 0; row < rows; ++row) {
        if (kind[row] != kCall && kind[row] != kPoint) {
            reject_row(kWhere, row, "has kind " + std::to_string(kind[row]) + ", not 0 or 1");
        }
        if (start[row] < previous) {
            reject_row(kWhere, row, "starts before the row before it");
        }
        previous = start[row];
    }
}

}  // namespace npuwh

#include "sweep/call_locator.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace npuwh {
namespace {

constexpr std::string_view kNames[] = {"acl",       "model",      "node",      "outer",     "comm",       "parent",   "model_item",
                                       "node_item", "outer_item", "comm_item", "node_type", "outer_type", "comm_type"};
enum CallColumn : std::size_t { kStart, kEnd, kThread, kLevel, kItem, kType };

}  // namespace

CallLocator::Link CallLocator::link_named(std::string_view name) {
    return static_cast<Link>(std::find(std::begin(kNames), std::end(kNames), name) - std::begin(kNames));
}

CallLocator::Level CallLocator::level_of(std::int64_t number) {
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

// The calls among `open` that hold the time.
void CallLocator::link(const std::vector<Call>& open, std::int64_t time, std::int64_t (&found)[kLinks]) {
    std::fill(std::begin(found), std::end(found), kNone);
    for (auto call = open.rbegin(); call != open.rend(); ++call) {
        if (time > call->end || time <= call->start) {
            continue;
        }
        if (found[parent] == kNone) {
            found[parent] = call->id;
        }
        switch (call->level) {
            case Level::acl:
                found[acl] = call->id;
                break;
            case Level::model:
                found[model] = call->id;
                found[model_item] = call->item;
                break;
            case Level::node:
                if (found[node] == kNone) {
                    found[node] = call->id;
                    found[node_item] = call->item;
                    found[node_type] = call->type;
                }
                found[outer] = call->id;
                found[outer_item] = call->item;
                found[outer_type] = call->type;
                break;
            case Level::comm:
                found[comm] = call->id;
                found[comm_item] = call->item;
                found[comm_type] = call->type;
                break;
            case Level::none:
                break;
        }
    }
}

void CallLocator::open(std::size_t call) {
    const auto column = [&](CallColumn which) { return calls_[which * count_ + call]; };
    const std::int64_t id = next_id_++;
    const std::int64_t start = column(kStart);
    const std::int64_t end = column(kEnd);
    const Level own = level_of(column(kLevel));
    if (own == Level::none || end <= start) {
        return;
    }
    Thread& thread = threads_[column(kThread)];
    std::int64_t& last_end = thread.last_end[static_cast<std::size_t>(own)];
    if (own != Level::node && start < last_end) {
        return;
    }
    last_end = std::max(last_end, end);
    std::vector<Call>& open = thread.open;
    open.erase(std::remove_if(open.begin(), open.end(), [&](const Call& each) { return each.end < start; }), open.end());
    open.push_back({start, end, id, column(kItem), column(kType), own});
}

void CallLocator::open_before(std::int64_t time) {
    while (!is_over_) {
        if (at_ == count_) {
            at_ = 0;
            count_ = next_(calls_);
            is_over_ = count_ == 0;
        } else if (calls_[kStart * count_ + at_] < time) {
            open(at_++);
        } else {
            return;
        }
    }
}

void CallLocator::locate(const ColumnView& time, const ColumnView& thread, const std::vector<Link>& wanted, std::vector<std::int64_t>& out) {
    const std::size_t rows = time.size();
    require_rows("CallLocator.locate", "thread", thread, rows);
    std::int64_t previous = last_time_;
    for (std::size_t row = 0; row < rows; ++row) {
        if (time[row] < previous) {
            reject_row("CallLocator.locate", row, "comes before the row before it");
        }
        previous = time[row];
    }
    out.resize(wanted.size() * rows);
    std::int64_t found[kLinks];
    for (std::size_t row = 0; row < rows; ++row) {
        last_time_ = time[row];
        open_before(time[row]);
        const auto on_thread = threads_.find(thread[row]);
        if (on_thread == threads_.end()) {
            std::fill(std::begin(found), std::end(found), kNone);
        } else {
            link(on_thread->second.open, time[row], found);
        }
        for (std::size_t column = 0; column < wanted.size(); ++column) {
            out[column * rows + row] = found[wanted[column]];
        }
    }
}

}  // namespace npuwh

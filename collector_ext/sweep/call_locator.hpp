// Which CANN calls each record of the host lies in (cann-files.md 6.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sweep/columns.hpp"

namespace npuwh {

// The calls of one process, sorted by start, at equal starts those of higher level first, then the longer ones; a call's id is its
// number in that order.  A call holds a point with start < point <= end, on its own thread; it is part of the tree unless it has no
// length, is of a level that makes no tree (runtime), or overlaps the one before it of its level and thread (nodes may).
//
// State: the open calls, and one number a thread and level.
class CallLocator {
public:
    // What can be asked of a point: ids of the calls that hold it, and item and type of these calls.
    enum Link : std::size_t {
        acl, model, node, outer, comm, parent, model_item, node_item, outer_item, comm_item, node_type, outer_type, comm_type, kLinks
    };
    // Number of a link by its name, kLinks if there is none.  node is the innermost one, outer the outermost; parent the innermost
    // call of any of these levels.
    static Link link_named(std::string_view name);

    // Columns of the calls in the order start, end, thread, level, item, type, one after the other.
    static constexpr std::size_t kColumns = 6;
    // Replaces `calls` by the columns of the next ones and returns how many they are, 0 at the end.
    using NextCalls = std::function<std::size_t(std::vector<std::int64_t>& calls)>;
    explicit CallLocator(NextCalls next) : next_(std::move(next)) {}

    // The wanted links of points whose times ascend over all calls, column after column in `out`; kNone where there is no such call.
    // Throws std::invalid_argument naming the first point that comes too early, before anything is done.
    void locate(const ColumnView& time, const ColumnView& thread, const std::vector<Link>& wanted, std::vector<std::int64_t>& out);

private:
    enum class Level : std::uint8_t { acl, model, node, comm, none };
    struct Call {
        std::int64_t start, end, id, item, type;
        Level level;
    };
    struct Thread {
        std::vector<Call> open;  // innermost last
        std::int64_t last_end[4] = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    };

    static Level level_of(std::int64_t number);
    static void link(const std::vector<Call>& open, std::int64_t time, std::int64_t (&found)[kLinks]);
    void open_before(std::int64_t time);
    void open(std::size_t call);

    NextCalls next_;
    std::vector<std::int64_t> calls_;
    std::size_t at_ = 0;
    std::size_t count_ = 0;
    bool is_over_ = false;
    std::unordered_map<std::int64_t, Thread> threads_;
    std::int64_t next_id_ = 0;
    std::int64_t last_time_ = INT64_MIN;
};

}  // namespace npuwh

// The tree of CANN calls, and which of them each record of the host lies in (cann-files.md 6.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sweep/columns.hpp"

namespace npuwh {

// One value a fed row; kNone where there is no such call.
struct CallLinks {
    Column acl;     // id of the call of that level that holds the row
    Column model;
    Column node;    // the innermost one: nodes may nest
    Column outer;   // the outermost node
    Column comm;
    Column parent;  // the innermost call of any of these levels
    Column model_item;  // what was fed with them
    Column node_item;
    Column outer_item;
    Column comm_item;
    Column node_type;
    Column outer_type;
    Column comm_type;
};

// Calls and points of one process, sorted by time.  A call holds a point with start < point <= end, on its own thread; it is part of
// the tree unless it has no length, is of a level that makes no tree (runtime), or overlaps the one before it of its level and thread
// (nodes may).
//
// State: the open calls, and one number a thread and level.
class CallSweep {
public:
    // kind 0: a call, numbered from 0 in the order of feeding.  kind 1: a point (end is ignored).  Sorted by start; at equal starts
    // points first, then calls of higher level, then the longer ones.  For a call the links tell what it begins in.
    // Throws std::invalid_argument naming the first bad row, and is then unchanged.
    CallLinks feed(const ColumnView& kind, const ColumnView& start, const ColumnView& end, const ColumnView& thread,
                   const ColumnView& level, const ColumnView& item, const ColumnView& type);

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
    static void link(const std::vector<Call>& open, std::int64_t time, bool is_call, CallLinks& links);
    void check(const ColumnView& kind, const ColumnView& start, const ColumnView& end, const ColumnView& thread,
               const ColumnView& level, const ColumnView& item, const ColumnView& type) const;

    std::unordered_map<std::int64_t, Thread> threads_;
    std::int64_t next_id_ = 0;
    std::int64_t last_start_ = INT64_MIN;
};

}  // namespace npuwh

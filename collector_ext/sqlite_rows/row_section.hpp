// What is read and what its rows become: a part of an exported file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "text/cell_text.hpp"

namespace npuwh::sqlite_rows {

// A column of the file.  It holds a value of the row (`slot`: which of the statement's columns), or a fixed text, or what the
// statement `remembered` of the arm answers for the values of some slots: that is asked once and remembered.
struct OutputColumn {
    std::string name;
    CellKind kind = CellKind::text;
    std::optional<std::size_t> slot;
    std::optional<std::string> text;
    std::optional<std::size_t> remembered;
};

// A statement whose one row depends on some numbers (or NULLs) alone; its columns are those output columns that name it, in order.
struct RememberedStatement {
    std::string statement;
    std::vector<std::size_t> slots;
};
constexpr std::size_t kMostArguments = 4;

// One SELECT.  Where the section has ranges, its first two parameters are the first and the last time (or id) of a range; `values` are
// the others.  Of flows the columns are slots, in the order that flow_events.hpp gives.
struct Arm {
    std::string statement;
    std::vector<std::int64_t> values;
    std::vector<OutputColumn> columns;
    std::vector<RememberedStatement> remembered;
};

struct TieKey {
    std::size_t slot;
    bool is_descending;
};

enum class Shape {
    csv,     // a line a row
    events,  // a JSON object a row, behind ",\n"; NULL has no member; columns "args:X" are members of "args"
    flows,   // two events a row: see flow_events.hpp
};

struct Section {
    Shape shape = Shape::csv;
    // How the one arm's rows are read: stopping at each, or all of a range at once by npuwh_row (see connection.hpp).  The latter
    // has no ORDER BY: should rows not come in their order, OutOfOrder is thrown.
    bool is_fed = false;
    // Rows of several arms are merged by `order_slot`, in which each arm ascends; rows equal in it are sorted by `ties`.
    std::vector<Arm> arms;
    std::optional<std::size_t> order_slot;
    std::vector<TieKey> ties;
    // Ranges of the order: (.., bounds[0]), [bounds[0], bounds[1]) ... [bounds.back(), ..); without any the arms are not ranged.
    bool is_ranged = false;
    std::vector<std::int64_t> bounds;
    std::int64_t first = std::numeric_limits<std::int64_t>::min();
    std::int64_t last = std::numeric_limits<std::int64_t>::max();
    // Slots of the numbers of process and thread, which are collected; of a row that is on no thread the first only.
    std::optional<std::size_t> process_slot;
    std::optional<std::size_t> thread_slot;
    // The lane pass that knows the lanes of the rows, and the slot of the ids by which it does: lanes are added to the thread.
    std::optional<std::size_t> lane_pass;
    std::size_t lane_slot = 0;
};

// Finds the lanes of rows for which none is stored.  `slots`: id, thread, start and duration; rows come in the order of start, those of
// equal start in any.
struct LanePass {
    std::string statement;
    std::vector<std::int64_t> values;
    std::array<std::size_t, 4> slots;
};

}  // namespace npuwh::sqlite_rows

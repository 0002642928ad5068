// Flows of a trace: two events, both at the start of their slices.
#pragma once

#include <cstdint>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sqlite_rows/connection.hpp"
#include "sqlite_rows/lane_table.hpp"
#include "sqlite_rows/row_section.hpp"
#include "text/text_buffer.hpp"

namespace npuwh::sqlite_rows {

// Columns of a flow's row: name, id, from_pid, from_tid, from_ts, to_pid, to_tid, to_ts; times in ns.
//
// A viewer drops a flow that ends before it begins: such a flow is written from the earlier slice to the later one.
class FlowText {
public:
    // Keeps a reference to the lanes.  Throws Refused for other columns.
    FlowText(const Arm& arm, const SliceLanes& lanes);
    // Appends both events, each behind ",\n"; throws Refused for a row of other values.
    void append(TextBuffer& out, const Row& row);

private:
    struct End {
        std::int64_t process;
        std::int64_t thread;
        std::int64_t time;
    };
    End end_at(const Row& row, std::size_t column) const;
    void append_event(TextBuffer& out, char phase, std::int64_t id, const End& end) const;
    void take_name(std::string_view name);

    const SliceLanes* lanes_;
    std::vector<std::size_t> slots_;  // the first unused if the name is fixed
    bool has_fixed_name_ = false;
    std::string name_;
    PaddedText members_;  // "bp", "name" and "cat" of that name
};

}  // namespace npuwh::sqlite_rows

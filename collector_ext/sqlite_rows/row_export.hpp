// Rows out of a database file as text, side by side on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sqlite_rows/connection.hpp"
#include "sqlite_rows/lane_table.hpp"
#include "sqlite_rows/ordered_output.hpp"
#include "sqlite_rows/row_section.hpp"

namespace npuwh::sqlite_rows {

// A part of a file: sections one after the other.
struct Export {
    std::vector<Section> sections;
    std::vector<LanePass> lane_passes;
    std::vector<RowLanes> row_lanes;  // a table a pass
    SliceLanes slice_lanes;           // with those that are known already
};

struct Exported {
    std::vector<std::uint64_t> rows;  // of each section; of flows the events
    // numbers of processes and threads met; those without a thread have the smallest number there is
    std::vector<std::pair<std::int64_t, std::int64_t>> threads;
};
constexpr std::int64_t kNoThread = INT64_MIN;

// Connections to one file, a thread each, and one more if there are several: see Work.
class RowReader {
public:
    // setup: statements that each connection runs first.  Throws SqliteError.
    RowReader(const std::shared_ptr<const Library>& library, const std::string& uri, int busy_milliseconds,
              const std::vector<std::string>& setup, std::size_t threads);

    // write: takes the text, in order, from any thread, one at a time.  is_wanted: asked ten times a second by the calling
    // thread; throws to end it all.  Throws Refused and SqliteError; some text may have been written then.
    Exported run(Export& wanted, const OrderedOutput::Write& write, const std::function<void()>& is_wanted);

private:
    std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace npuwh::sqlite_rows

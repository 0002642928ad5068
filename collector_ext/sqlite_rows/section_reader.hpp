// Reads one section range by range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sqlite_rows/connection.hpp"
#include "sqlite_rows/flow_events.hpp"
#include "sqlite_rows/lane_table.hpp"
#include "sqlite_rows/row_section.hpp"
#include "sqlite_rows/row_text.hpp"

namespace npuwh::sqlite_rows {

// Pairs of process and thread.
class ThreadSet {
public:
    using Pair = std::pair<std::int64_t, std::int64_t>;
    void add(std::int64_t process, std::int64_t thread) {
        Pair& recent = recent_[(31 * static_cast<std::size_t>(process) + static_cast<std::size_t>(thread)) % kRecent];
        if (recent != Pair(process, thread) || all_.empty()) {
            recent = {process, thread};
            all_.insert(recent);
        }
    }
    const auto& all() const { return all_; }

private:
    struct Hash {
        std::size_t operator()(const Pair& pair) const {
            return static_cast<std::size_t>(pair.first) * 0x9E3779B97F4A7C15U ^ static_cast<std::size_t>(pair.second);
        }
    };
    static constexpr std::size_t kRecent = 64;
    std::vector<Pair> recent_ = std::vector<Pair>(kRecent, Pair(INT64_MIN, INT64_MIN));
    std::unordered_set<Pair, Hash> all_;
};

// What a range turned out to hold.
struct RangeRead {
    std::uint64_t rows = 0;                                       // of flows the events
    std::optional<std::pair<std::int64_t, std::int64_t>> places;  // the first and the last in the section's order
};

class SectionReader {
public:
    // rows: lanes of the section's rows, if a pass found them; slices: those of the slices that flows lead to.  Keeps references.
    SectionReader(Connection& connection, const Section& section, const RowLanes* rows, const SliceLanes& slices,
                  ThreadSet& threads);

    // Appends the rows of a range to `text`; calls `is_long` when it has about so many bytes, which takes them out.
    RangeRead read(std::size_t range, TextBuffer& text, std::size_t bytes, const std::function<void()>& is_long);

private:
    struct Arm {
        Statement statement;
        std::optional<RowText> text;    // of lines and events
        std::optional<FlowText> flows;  // of flows
        std::optional<std::int64_t> next;  // of the row it stands on: what the section is ordered by; none at the end
    };
    struct Tied {
        std::int64_t keys[kMostArguments];
        std::size_t begin;
        std::size_t end;
    };
    std::int64_t place_of(const Row& row) const;
    void step(Arm& arm);
    Arm* first_arm();
    void take(TextBuffer& text, Arm& arm, const Row& row, std::int64_t place);
    void append_row(TextBuffer& text, Arm& arm, const Row& row);
    std::int64_t lane_of(const Row& row) const;
    void sort_tied(TextBuffer& text);
    bool comes_before(const Tied& one, const Tied& other) const;

    const Section& section_;
    const RowLanes* lanes_;
    ThreadSet& threads_;
    std::vector<Arm> arms_;
    std::vector<Tied> tied_;  // rows of one place in the order, at the end of the text
    TextBuffer sorted_;
    std::size_t most_bytes_ = 0;
    const std::function<void()>* is_long_ = nullptr;
    RangeRead read_;
};

}  // namespace npuwh::sqlite_rows

// What operators launched, added up a pair of operator and kernel, and given back from the last operator to the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sqlite_file/spill_file.hpp"
#include "sweep/columns.hpp"
#include "sweep/spilled_rows.hpp"

namespace npuwh {

// Sums over what an operator launched under one kernel name.
struct Work {
    std::int64_t op;
    std::int64_t kernel;  // string id; kNone: no kernel; kScheduling: a scheduling task of a collective
    std::int64_t count;   // kernels and copies
    std::int64_t device;  // ns of these
    std::int64_t longest;
    std::int64_t vendor;   // ns that the vendor's tools link to the operator
    std::int64_t ai_core;  // of that: ns on AI_CORE
    std::int64_t communication;  // ns of communication operators

    void add(const Work& other);
};

constexpr std::int64_t kScheduling = -2;

// Fed in any order.  What does not fit the memory goes to the file as sorted runs.
class WorkOrder {
public:
    WorkOrder(std::size_t most_held, sqlite_file::SpillFile& file);

    void add(const Work& work);
    // Nothing may be added afterwards.
    void finish();
    // The next of descending operators (then kernels), or nullptr at the end; `next` steps on.
    const Work* top() const { return is_done_ ? nullptr : &top_; }
    void next();

private:
    struct Run {
        std::size_t block;  // next one to read
        std::size_t end;
        std::vector<Work> works;  // of the block that is read
        std::size_t place;
    };

    void sort_held();
    void write_run();
    bool fill(Run& run) const;
    void take(std::size_t run);

    std::size_t most_held_;
    std::vector<Work> held_;
    SpilledRows rows_;
    std::vector<Run> runs_;
    std::vector<std::size_t> heap_;  // of runs: the one whose next work comes first on top
    std::size_t next_held_ = 0;
    Work top_{};
    bool is_done_ = true;
};

}  // namespace npuwh

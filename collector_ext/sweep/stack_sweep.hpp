// The Python calls that are open where an operator starts, and the modules among them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sweep/columns.hpp"

namespace npuwh {

// What happens on a thread; the first four as a tracer records them (framework-files.md 2.6).
enum class StackEvent : std::int64_t { kCall, kReturn, kCCall, kCReturn, kModuleCall, kOp };

// Operators in the order they came; kNone where no call and no module is open.
struct StackedOps {
    Column row;
    Column stack;
    Column module;
};

// Stacks that an operator met for the first time: depth 0 is the innermost call, or the outermost module.
struct StackLevels {
    Column stack;
    Column depth;
    Column code;
};

// Calls nest by thread; a return ends the innermost open call, or nothing.  Calls of C functions and of modules are no
// part of the stacks; modules are a stack of their own.  Stacks are numbered from 0 over all threads, equal ones alike.
//
// State: a node a distinct path of calls, and the open calls of each thread.
class StackSweep {
public:
    // Sorted by thread, or by time within each thread.  Throws std::invalid_argument naming the first bad row, and is
    // then unchanged.  `code` is the function of a call; `row` the number of an operator.
    StackedOps feed(const ColumnView& thread, const ColumnView& event, const ColumnView& code, const ColumnView& row);

    // What was met for the first time since the last call.
    StackLevels take_stacks() { return std::exchange(new_stacks_, {}); }
    StackLevels take_modules() { return std::exchange(new_modules_, {}); }

private:
    // Paths from the outermost call inwards, as a tree.
    class Paths {
    public:
        std::int64_t inside(std::int64_t outer, std::int64_t code);
        // Number of the path as a stack; `levels` gets its calls when it is asked for first.
        std::int64_t stack_of(std::int64_t path, bool is_innermost_first, StackLevels& levels);

    private:
        struct Node {
            std::int64_t outer, code, stack;
        };
        struct Step {
            std::int64_t outer, code;
            bool operator==(const Step& other) const { return outer == other.outer && code == other.code; }
        };
        struct StepHash {
            std::size_t operator()(const Step& step) const {
                return std::hash<std::int64_t>()(step.outer * 1000003 + step.code);
            }
        };
        std::vector<Node> nodes_;
        std::unordered_map<Step, std::int64_t, StepHash> known_;
        std::int64_t stacks_ = 0;
    };
    struct Open {
        std::int64_t call = kNone;  // path
        std::int64_t module = kNone;
    };

    Paths calls_;
    Paths modules_;
    StackLevels new_stacks_;
    StackLevels new_modules_;
    std::unordered_map<std::int64_t, std::vector<Open>> open_;  // by thread, outermost first
};

}  // namespace npuwh

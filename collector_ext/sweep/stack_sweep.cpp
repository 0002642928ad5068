#include "sweep/stack_sweep.hpp"

namespace npuwh {

StackedOps StackSweep::feed(const ColumnView& thread, const ColumnView& event, const ColumnView& code,
                            const ColumnView& row) {
    const std::pair<const char*, const ColumnView*> columns[] = {{"event", &event}, {"code", &code}, {"row", &row}};
    for (const auto& [column, values] : columns) {
        require_rows("StackSweep.feed", column, *values, thread.size());
    }
    for (std::size_t at = 0; at < thread.size(); ++at) {
        if (event[at] < 0 || event[at] > static_cast<std::int64_t>(StackEvent::kOp)) {
            reject_row("StackSweep.feed", at, "has an event that is none");
        }
    }
    StackedOps found;
    std::vector<Open>* open = nullptr;
    for (std::size_t at = 0; at < thread.size(); ++at) {
        if (open == nullptr || thread[at] != thread[at - 1]) open = &open_[thread[at]];
        const Open inner = open->empty() ? Open{} : open->back();
        switch (static_cast<StackEvent>(event[at])) {
            case StackEvent::kCall:
                open->push_back({calls_.inside(inner.call, code[at]), inner.module});
                break;
            case StackEvent::kModuleCall:
                open->push_back({inner.call, modules_.inside(inner.module, code[at])});
                break;
            case StackEvent::kCCall:
                open->push_back(inner);
                break;
            case StackEvent::kReturn:
            case StackEvent::kCReturn:
                if (!open->empty()) open->pop_back();
                break;
            case StackEvent::kOp:
                found.row.push_back(row[at]);
                found.stack.push_back(calls_.stack_of(inner.call, true, new_stacks_));
                found.module.push_back(modules_.stack_of(inner.module, false, new_modules_));
                break;
        }
    }
    return found;
}

std::int64_t StackSweep::Paths::inside(std::int64_t outer, std::int64_t code) {
    const auto [place, is_new] = known_.try_emplace({outer, code}, static_cast<std::int64_t>(nodes_.size()));
    if (is_new) nodes_.push_back({outer, code, kNone});
    return place->second;
}

std::int64_t StackSweep::Paths::stack_of(std::int64_t path, bool is_innermost_first, StackLevels& levels) {
    if (path == kNone) return kNone;
    Node& last = nodes_[static_cast<std::size_t>(path)];
    if (last.stack != kNone) return last.stack;
    last.stack = stacks_++;
    std::vector<std::int64_t> codes;
    for (std::int64_t at = path; at != kNone; at = nodes_[static_cast<std::size_t>(at)].outer) {
        codes.push_back(nodes_[static_cast<std::size_t>(at)].code);
    }
    for (std::size_t depth = 0; depth < codes.size(); ++depth) {
        levels.stack.push_back(last.stack);
        levels.depth.push_back(static_cast<std::int64_t>(depth));
        levels.code.push_back(is_innermost_first ? codes[depth] : codes[codes.size() - 1 - depth]);
    }
    return last.stack;
}

}  // namespace npuwh

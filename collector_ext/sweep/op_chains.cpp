#include "sweep/op_chains.hpp"

#include <limits>
#include <stdexcept>

namespace npuwh {

OpChains::Node OpChains::make(Op op, Node parent) {
    const Entry entry{op, share(parent), 1};
    if (!free_.empty()) {
        const Node node = free_.back();
        free_.pop_back();
        entries_[static_cast<std::size_t>(node)] = entry;
        return node;
    }
    if (entries_.size() >= static_cast<std::size_t>(std::numeric_limits<Node>::max())) {
        throw std::length_error("HostSweep: more than 2^31 ops are open at once");
    }
    entries_.push_back(entry);
    return static_cast<Node>(entries_.size() - 1);
}

OpChains::Node OpChains::share(Node node) {
    if (node != kNoNode) {
        ++entries_[static_cast<std::size_t>(node)].references;
    }
    return node;
}

void OpChains::release(Node node) {
    while (node != kNoNode) {
        Entry& entry = entries_[static_cast<std::size_t>(node)];
        if (--entry.references > 0) {
            return;
        }
        free_.push_back(node);
        node = entry.parent;
    }
}

}  // namespace npuwh

// Ops and their ancestors, kept as long as someone asks for them.
#pragma once

#include <cstdint>
#include <vector>

namespace npuwh {

// A forest of ops that share their ancestors.  Every holder of a node has one reference to it; a node holds one to its parent.
class OpChains {
public:
    using Node = std::int32_t;
    static constexpr Node kNoNode = -1;

    struct Op {
        std::int64_t id;
        std::int64_t name;
    };

    // The new node belongs to the caller; `parent` stays with its own holder.
    Node make(Op op, Node parent);
    Node share(Node node);
    void release(Node node);

    const Op& op(Node node) const { return entries_[static_cast<std::size_t>(node)].op; }
    Node parent(Node node) const { return entries_[static_cast<std::size_t>(node)].parent; }
    std::size_t live_count() const { return entries_.size() - free_.size(); }

private:
    struct Entry {
        Op op;
        Node parent;
        std::int32_t references;
    };
    std::vector<Entry> entries_;
    std::vector<Node> free_;
};

}  // namespace npuwh

#include "sweep/block_sweep.hpp"

#include <algorithm>

namespace npuwh {
namespace {

constexpr const char* kFieldNames[] = {"time", "row", "pid", "address", "action", "tid", "device", "size", "stream", "allocated", "reserved", "active"};
constexpr const char* kResultNames[] = {"time",      "row",      "pid",    "address", "tid",        "device",        "size",         "stream",
                                        "allocated", "reserved", "active", "free",    "block_free", "end_allocated", "end_reserved", "end_active"};

}  // namespace

const char* BlockSweep::name_of(Field field) { return kFieldNames[field]; }
const char* BlockSweep::name_of(Result result) { return kResultNames[result]; }

void BlockSweep::add(const Block& block, Columns& out) {
    for (std::size_t column = 0; column < kResults; ++column) {
        out[column].push_back(block.values[column]);
    }
}

void BlockSweep::feed(const std::array<ColumnView, kFields>& records, Columns& out) {
    for (std::size_t column = 0; column < kFields; ++column) {
        require_rows("BlockSweep.feed", kFieldNames[column], records[column], records[time].size());
    }
    for (std::size_t at = 0; at < records[time].size(); ++at) {
        const auto of = [&](Field field) { return records[field][at]; };
        const Key key{of(pid), of(address)};
        const std::int64_t done = of(action);
        auto found = open_.find(key);
        if (done == kMalloc) {
            const Block block{{of(time), of(row), of(pid), of(address), of(tid), of(device), of(size), of(stream), of(allocated),
                               of(reserved), of(active), kNone, kNone, kNone, kNone, kNone},
                              kMalloc};
            if (found == open_.end()) {
                open_.emplace(key, block);
            } else {
                add(found->second, out);
                found->second = block;
            }
            continue;
        }
        if (found == open_.end()) {
            continue;
        }
        Block& block = found->second;
        if (done != block.released_by) {
            if (done == kFree || done == kBlockFree) {
                block.values[done == kFree ? free_time : block_free_time] = of(time);
            }
            if (done == kFree || (done == kBlockFree && block.values[free_time] == kNone)) {
                block.values[end_allocated] = of(allocated);
                block.values[end_reserved] = of(reserved);
                block.values[end_active] = of(active);
            }
        }
        if (block.released_by == kMalloc) {
            block.released_by = done;
        } else {
            add(block, out);
            open_.erase(found);
        }
    }
}

void BlockSweep::finish(Columns& out) {
    std::vector<const Block*> left;
    for (const auto& [key, block] : open_) {
        left.push_back(&block);
    }
    std::sort(left.begin(), left.end(), [](const Block* one, const Block* other) { return one->values[block_row] < other->values[block_row]; });
    for (const Block* block : left) {
        add(*block, out);
    }
    open_.clear();
}

}  // namespace npuwh

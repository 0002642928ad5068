#include "decode/framework/stack_table.hpp"

#include <utility>

#include "decode/framework/text_parts.hpp"

namespace npuwh {
namespace {

const std::vector<ColumnSpec>& frame_schema() {
    static const std::vector<ColumnSpec> schema{{"stack"}, {"depth"}, {"frame"}};
    return schema;
}

}  // namespace

StackTable::Numbered StackTable::number(std::string_view stack, StringTable& strings) {
    if (const ByteNumbers::Entry* const known = cache_.find(stack)) {
        return {known->number >> 1, (known->number & 1) != 0, false};
    }
    if (!pending_) {
        pending_ = std::make_shared<RecordBatch>(frame_schema());
    }
    const std::int64_t id = next_id_++;
    bool was_repaired = false;
    std::int64_t depth = 0;
    TextParts frames(stack, ';');
    for (std::string_view frame; depth < kDeepest && frames.next(frame); ++depth) {
        const StringTable::Interned interned = strings.intern(frame);
        was_repaired |= interned.was_repaired;
        pending_->column(0).add(id);
        pending_->column(1).add(depth);
        pending_->column(2).add(interned.id);
    }
    cache_.add(stack, id * 2 + (was_repaired ? 1 : 0));
    return {id, was_repaired, !frames.is_over()};
}

SharedBatch StackTable::take() { return std::exchange(pending_, nullptr); }

}  // namespace npuwh

#include "decode/string_table.hpp"

#include <string>
#include <utility>

#include "decode/utf8_repair.hpp"

namespace npuwh {
namespace {

const std::vector<ColumnSpec>& string_schema() {
    static const std::vector<ColumnSpec> schema{{"id"}, {"value", ColumnType::utf8}};
    return schema;
}

}  // namespace

StringTable::Interned StringTable::add(std::string_view bytes) {
    const bool is_repaired = !is_utf8(bytes);
    const std::string repaired = is_repaired ? repair_utf8(bytes) : std::string();
    const std::string_view text = is_repaired ? std::string_view(repaired) : bytes;
    if (pending_.empty() || pending_.back()->column(1).text_bytes() >= kPendingLimit) {
        pending_.push_back(std::make_shared<RecordBatch>(string_schema()));
    }
    const std::int64_t id = next_id_++;
    pending_.back()->column(0).add(id);
    pending_.back()->column(1).add_text(text);
    pending_bytes_ += text.size() + sizeof(std::int64_t);
    cache_.add(bytes, id * 2 + (is_repaired ? 1 : 0));
    return {id, is_repaired};
}

SharedBatch StringTable::take() {
    if (pending_.empty()) {
        return nullptr;
    }
    SharedBatch batch = std::move(pending_.front());
    pending_.pop_front();
    if (pending_.empty()) {
        pending_bytes_ = 0;
    }
    return batch;
}

}  // namespace npuwh

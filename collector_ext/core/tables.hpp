// From ring records to columns: one table a kind of record, with the columns its chunks have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/arrow_stream.hpp"
#include "core/op_forms.hpp"
#include "core/records.hpp"
#include "core/ticks.hpp"

namespace npuwh::core {

enum class Table : uint8_t {
    kString, kThread, kAnchor, kOpForm, kOp, kWideOp, kFrame, kMemory, kMark, kGc, kQueueMark, kGap, kParameter, kHost,
    kCount
};

constexpr size_t kTableCount = static_cast<size_t>(Table::kCount);

// Name of the table in file names and manifests, e.g. "op".
std::string_view name_of(Table table) noexcept;

// Its columns in their order.
const std::vector<ColumnSpec>& columns_of(Table table);

// Whether an operator's numbers fit into a row of table `op`; else it is one of `wide_op`.
inline bool is_narrow(const OpRecord& record) noexcept {
    return record.tensor_size == 0 && fits_plain(record) && record.start_thread <= 0xFFFF;
}

// Rows that wait to be written as one record batch.
class Rows {
   public:
    explicit Rows(Table table);

    int64_t count() const noexcept { return count_; }
    size_t bytes() const noexcept;

    void add_string(uint32_t number, std::string_view text);
    void add_thread(uint32_t number, int64_t pid, int64_t tid, uint32_t name);
    void add_anchor(const ClockAnchor& anchor);
    void add_form(uint32_t number, const OpForm& form);
    void add_op(const OpRecord& record, uint32_t form);  // one that `is_narrow`
    void add_wide_op(const OpRecord& record, uint32_t form, std::string_view tensors);
    void add(const FrameRecord& record, uint32_t thread);
    void add(const MemoryRecord& record, uint32_t thread);
    void add(const MarkRecord& record, uint32_t thread);
    void add(const GcRecord& record, uint32_t thread);
    void add(const QueueMarkRecord& record, uint32_t thread);
    void add(const GapRecord& record, uint32_t thread);
    void add(const ParameterRecord& record, uint32_t thread);
    void add(const HostRecord& record, uint32_t thread);

    // Appends the batch's message to `out` and empties the rows.
    void take(std::vector<std::byte>& out);

   private:
    template <typename... Numbers>
    void push(Numbers... numbers) {
        size_t at = 0;
        (columns_[at++].push(numbers), ...);
        ++count_;
    }

    Table table_;
    std::vector<Column> columns_;
    int64_t count_ = 0;
};

}  // namespace npuwh::core

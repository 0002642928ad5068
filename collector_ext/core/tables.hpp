// From ring records to columns: one table a kind of record, with the columns its chunks have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/arrow_stream.hpp"
#include "core/records.hpp"
#include "core/string_table.hpp"
#include "core/ticks.hpp"

namespace npuwh::core {

enum class Table : uint8_t {
    kString, kThread, kAnchor, kOp, kFrame, kMemory, kMark, kGc, kQueueMark, kGap, kParameter, kCount
};

constexpr size_t kTableCount = static_cast<size_t>(Table::kCount);

// Name of the table in file names and manifests, e.g. "op".
std::string_view name_of(Table table) noexcept;

// Its columns in their order.
const std::vector<ColumnSpec>& columns_of(Table table);

// Rows that wait to be written as one record batch.
class Rows {
   public:
    explicit Rows(Table table);

    int64_t count() const noexcept { return count_; }
    size_t bytes() const noexcept;

    void add_string(uint32_t number, std::string_view text);
    void add_thread(uint32_t number, int64_t pid, int64_t tid, uint32_t name);
    void add_anchor(const ClockAnchor& anchor);
    void add(const OpRecord& record, uint32_t thread, uint32_t dtypes, uint32_t shapes, std::string_view tensors);
    void add(const FrameRecord& record, uint32_t thread);
    void add(const MemoryRecord& record, uint32_t thread);
    void add(const MarkRecord& record, uint32_t thread);
    void add(const GcRecord& record, uint32_t thread);
    void add(const QueueMarkRecord& record, uint32_t thread);
    void add(const GapRecord& record, uint32_t thread);
    void add(const ParameterRecord& record, uint32_t thread);

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

// The texts of an operator's inputs, found once for each description (see OpRecord): types and sizes, in the form of
// framework-files.md 2.3, tags 3 and 4.
class InputTexts {
   public:
    struct Numbers {
        uint32_t dtypes = kNoText;
        uint32_t shapes = kNoText;
    };
    Numbers of(std::string_view description, StringTable& strings);

   private:
    std::unordered_map<std::string, Numbers> known_;
};

// The description that `InputTexts` reads: an item an input.
namespace input_code {
constexpr uint8_t kNone = 0;
constexpr uint8_t kTensor = 1;  // then: scalar type, number of sizes, the sizes (int64)
constexpr uint8_t kTensorList = 2;
constexpr uint8_t kScalar = 3;
constexpr uint8_t kScalarList = 4;
}  // namespace input_code

}  // namespace npuwh::core

// Arrow IPC streams, written byte by byte: the schema message, record batch messages and the end mark of the format's
// specification ("Serialization and Interprocess Communication"), for flat columns without nulls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace npuwh::core {

enum class ColumnType : uint8_t { kInt8, kUint8, kUint16, kInt32, kUint32, kInt64, kUint64, kText, kBinary };

struct ColumnSpec {
    std::string name;
    ColumnType type;
};

// One column of a batch: `values` holds fixed-width numbers, or the bytes of texts with `offsets` (rows + 1, from 0).
struct Column {
    std::vector<std::byte> values;
    std::vector<int32_t> offsets;

    template <typename Number>
    void push(Number number) {
        const auto* bytes = reinterpret_cast<const std::byte*>(&number);
        values.insert(values.end(), bytes, bytes + sizeof number);
    }
    void push_text(std::string_view text) {
        const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
        values.insert(values.end(), bytes, bytes + text.size());
        offsets.push_back(static_cast<int32_t>(values.size()));
    }
    void clear() {
        values.clear();
        offsets.assign(1, 0);
    }
};

// Bytes of a number of this type; 0 for texts.
size_t width_of(ColumnType type) noexcept;

// The message that every stream begins with.
std::vector<std::byte> schema_message(const std::vector<ColumnSpec>& columns);

// A whole record batch message, metadata and body, appended to `out`.
void append_batch_message(const std::vector<ColumnSpec>& specs, const std::vector<Column>& columns, int64_t rows,
                          std::vector<std::byte>& out);

// The end mark of a complete stream.
std::vector<std::byte> end_message();

}  // namespace npuwh::core

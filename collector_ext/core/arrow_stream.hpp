// Arrow IPC streams, written byte by byte: the schema message, record batch messages and the end mark of the format's
// specification ("Serialization and Interprocess Communication"), for flat columns without nulls.  The format has no
// check sums; batches carry one in their own metadata, which other readers pass over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace npuwh::core {

enum class ColumnType : uint8_t { kInt8, kUint8, kUint16, kInt32, kUint32, kInt64, kUint64, kText, kBinary };

struct ColumnSpec {
    std::string name;
    ColumnType type;
};

// Bytes that grow by a number or a text at a time, and keep their room when they are cleared.
class ByteBuffer {
   public:
    const std::byte* data() const noexcept { return bytes_.get(); }
    size_t size() const noexcept { return size_; }
    void clear() noexcept { size_ = 0; }

    template <typename Number>
    void push(Number number) {
        if (__builtin_expect(size_ + sizeof number > room_, 0)) grow(sizeof number);
        std::memcpy(bytes_.get() + size_, &number, sizeof number);
        size_ += sizeof number;
    }
    void append(const void* bytes, size_t size) {
        if (size == 0) return;
        if (size_ + size > room_) grow(size);
        std::memcpy(bytes_.get() + size_, bytes, size);
        size_ += size;
    }

   private:
    void grow(size_t more);

    std::unique_ptr<std::byte[]> bytes_;
    size_t size_ = 0;
    size_t room_ = 0;
};

// One column of a batch: `values` holds fixed-width numbers, or the bytes of texts with `offsets` (rows + 1, from 0).
struct Column {
    ByteBuffer values;
    std::vector<int32_t> offsets;

    template <typename Number>
    void push(Number number) {
        values.push(number);
    }
    void push_text(std::string_view text) {
        values.append(text.data(), text.size());
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

// A whole record batch message, metadata and body, appended to `out`.  Its metadata has a key "crc32": that sum over the
// whole message as 8 hexadecimal digits, which count as zeros (the digit) themselves.
void append_batch_message(const std::vector<ColumnSpec>& specs, const std::vector<Column>& columns, int64_t rows,
                          std::vector<std::byte>& out);

// The end mark of a complete stream.
std::vector<std::byte> end_message();

}  // namespace npuwh::core

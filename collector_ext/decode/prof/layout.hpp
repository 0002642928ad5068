// A record layout as a table: one line a field, as the format specification writes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace npuwh::prof {

enum class FieldType : std::uint8_t {
    u8,
    u16,
    u32,
    u64,
    i32,
    i64,
    f64,
    text,
    stream,  // two u16 at `offset`: encoded stream and task (section 5.1); gives the stream
    task,    // the same words; gives the task
};

// Little endian, at `offset` from the start of the record (or of the repeated element).
// `count` > 1: an array, one column an element (`name_0`, `name_1` ...); for text it is the length in bytes, NUL ends it.
// `bits` > 0: only that many bits, from bit `shift` up.
struct Field {
    const char* name = "";
    std::uint16_t offset = 0;
    FieldType type = FieldType::u8;
    std::uint8_t count = 1;
    std::uint8_t shift = 0;
    std::uint8_t bits = 0;
};

// A table of fields in static storage.
struct Fields {
    const Field* first = nullptr;
    std::size_t size = 0;

    Fields() = default;
    template <std::size_t N>
    constexpr Fields(const std::array<Field, N>& table) : first(table.data()), size(N) {}  // NOLINT: a table is its fields
    constexpr const Field* begin() const { return first; }
    constexpr const Field* end() const { return first + size; }
};

// Elements at the end of a record, a row each.  Their number stands at `count_offset` (u32) and is at most `most`;
// kAlwaysAll: it stands nowhere, elements of zeros are unused.
// One without elements gives one row with -1 as `position` and in the fields.
struct Repeat {
    static constexpr std::uint16_t kAlwaysAll = 0xFFFF;

    std::uint16_t count_offset = 0;
    std::uint16_t most = 0;  // 0: nothing is repeated
    std::uint16_t first = 0;
    std::uint16_t stride = 0;
    Fields fields;
};

// A list of 44-byte tensor descriptions (section 4.3), interned: its column `tensors` holds the number of the list.
struct TensorPart {
    std::uint16_t count_offset = 0;
    std::uint16_t most = 0;  // 0: the record has no tensors
    std::uint16_t first = 0;
};

// Fields from `first` on hold something only if the record's data_size (u32 at 12) is `data_size`; else their columns are -1.
struct OptionalPart {
    std::uint16_t first = 0xFFFF;
    std::uint32_t data_size = 0;
};

struct RecordLayout {
    const char* name;     // of the table it gives
    const char* section;  // of the specification of the format
    Fields fields;
    Repeat repeat{};
    TensorPart tensors{};
    OptionalPart optional{};
};

// Bytes of one value of the type.
constexpr std::size_t width(FieldType type) {
    switch (type) {
        case FieldType::u8:
        case FieldType::text:
            return 1;
        case FieldType::u16:
            return 2;
        case FieldType::u32:
        case FieldType::i32:
        case FieldType::stream:
        case FieldType::task:
            return 4;
        case FieldType::u64:
        case FieldType::i64:
        case FieldType::f64:
            return 8;
    }
    return 0;
}

// The tables `head` and `rest` as one.
template <std::size_t N, std::size_t M>
constexpr std::array<Field, N + M> join(const std::array<Field, N>& head, const std::array<Field, M>& rest) {
    std::array<Field, N + M> whole{};
    for (std::size_t index = 0; index < N; ++index) {
        whole[index] = head[index];
    }
    for (std::size_t index = 0; index < M; ++index) {
        whole[N + index] = rest[index];
    }
    return whole;
}

// First byte after the field.
constexpr std::size_t end_of(const Field& field) { return field.offset + width(field.type) * field.count; }

// Whether every field lies inside `size` bytes; a compile-time check of the tables.
template <std::size_t N>
constexpr bool fits(const std::array<Field, N>& table, std::size_t size) {
    for (std::size_t index = 0; index < N; ++index) {
        if (end_of(table[index]) > size) {
            return false;
        }
    }
    return true;
}

// Whether all repeated elements lie inside `size` bytes.
constexpr bool fits(const Repeat& repeat, std::size_t size) { return repeat.first + std::size_t{repeat.most} * repeat.stride <= size; }

}  // namespace npuwh::prof

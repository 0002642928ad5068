#include "core/arrow_stream.hpp"

#include <algorithm>
#include <cstring>

#include "core/crc32.hpp"

namespace npuwh::core {

namespace {

constexpr uint32_t kContinuation = 0xFFFFFFFFu;
constexpr size_t kFrameBytes = 8;  // before the metadata: the continuation mark and the length
constexpr int16_t kMetadataV5 = 4;
enum MessageType : uint8_t { kSchema = 1, kRecordBatch = 3 };
enum FieldType : uint8_t { kIntType = 2, kBinaryType = 4, kTextType = 5 };

// Writes a flatbuffer front to back: a table's vtable stands before it, what it points at comes later.
class FlatWriter {
   public:
    FlatWriter() { append<uint32_t>(0); }  // offset of the root table, set by `root`

    template <typename Number>
    size_t append(Number number) {
        align(sizeof number);
        return append_packed(number);
    }

    // A field of a table: where it stands in the vtable, and its value; offsets are 0 until `point` sets them.
    struct Field {
        uint16_t slot;
        uint8_t size;
        int64_t value;
    };

    // Writes a table; returns where each field stands, in the order given.
    std::vector<size_t> table(const std::vector<Field>& fields) {
        uint16_t slots = 0;
        for (const Field& field : fields) slots = std::max<uint16_t>(slots, static_cast<uint16_t>(field.slot + 1));
        std::vector<uint16_t> entries(slots, 0);
        // widest first after the 4 bytes of the vtable's offset, so that all are aligned when the table stands at 8n + 4
        uint16_t length = 4;
        std::vector<uint16_t> places(fields.size());
        for (const uint8_t size : {uint8_t{8}, uint8_t{4}, uint8_t{2}, uint8_t{1}}) {
            for (size_t at = 0; at < fields.size(); ++at) {
                if (fields[at].size != size) continue;
                places[at] = length;
                entries[fields[at].slot] = length;
                length = static_cast<uint16_t>(length + size);
            }
        }
        align(2);
        const size_t vtable_size = 4 + 2 * size_t{slots};
        while ((bytes_.size() + vtable_size) % 8 != 4) bytes_.push_back(std::byte{0});
        append_packed(static_cast<uint16_t>(vtable_size));
        append_packed(length);
        for (const uint16_t entry : entries) append_packed(entry);
        const size_t start = bytes_.size();
        append_packed(static_cast<int32_t>(vtable_size));  // from the table back to its vtable
        bytes_.resize(start + length);
        std::vector<size_t> found(fields.size());
        for (size_t at = 0; at < fields.size(); ++at) {
            found[at] = start + places[at];
            std::memcpy(bytes_.data() + found[at], &fields[at].value, fields[at].size);  // little-endian machines only
        }
        start_of_last_ = start;
        return found;
    }

    void root() { set_offset(0, start_of_last_); }

    // Makes the offset at `from` point at the table written last.
    void point(size_t from) { set_offset(from, start_of_last_); }

    // A text at the end, pointed at from `from`; returns where its first byte stands.
    size_t text(size_t from, std::string_view text) {
        const size_t at = append(static_cast<uint32_t>(text.size()));
        set_offset(from, at);
        const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
        bytes_.insert(bytes_.end(), bytes, bytes + text.size());
        bytes_.push_back(std::byte{0});
        return at + 4;
    }

    // A vector of offsets at the end, pointed at from `from`; returns where its first element stands.
    size_t offsets(size_t from, size_t count) {
        set_offset(from, append(static_cast<uint32_t>(count)));
        const size_t first = bytes_.size();
        bytes_.resize(first + 4 * count);
        return first;
    }

    // A vector of pairs of 8-byte numbers at the end, pointed at from `from`.
    void pairs(size_t from, const std::vector<std::pair<int64_t, int64_t>>& pairs) {
        align(4);
        if (bytes_.size() % 8 != 4) append_packed(uint32_t{0});
        set_offset(from, append_packed(static_cast<uint32_t>(pairs.size())));
        for (const auto& [first, second] : pairs) {
            append_packed(first);
            append_packed(second);
        }
    }

    std::vector<std::byte> take() {
        align(8);
        return std::move(bytes_);
    }

   private:
    void align(size_t size) {
        while (bytes_.size() % size != 0) bytes_.push_back(std::byte{0});
    }

    template <typename Number>
    size_t append_packed(Number number) {
        const size_t at = bytes_.size();
        bytes_.resize(at + sizeof number);
        std::memcpy(bytes_.data() + at, &number, sizeof number);
        return at;
    }

    void set_offset(size_t from, size_t to) {
        const auto distance = static_cast<uint32_t>(to - from);
        std::memcpy(bytes_.data() + from, &distance, sizeof distance);
    }

    std::vector<std::byte> bytes_;
    size_t start_of_last_ = 0;
};

// The Message table around a header; where the offsets of the header and of the metadata of our own stand.
struct MessagePlaces {
    size_t header;
    size_t metadata;
};
MessagePlaces message(FlatWriter& writer, MessageType type, int64_t body) {
    const auto places = writer.table({{0, 2, kMetadataV5}, {1, 1, type}, {2, 4, 0}, {3, 8, body}, {4, 4, 0}});
    writer.root();
    return {places[2], places[4]};
}

constexpr std::string_view kNoSum = "00000000";

// Room for the sum; returns where it stands.
size_t add_sum(FlatWriter& writer, size_t from) {
    const size_t pair = writer.offsets(from, 1);
    const auto key_and_value = writer.table({{0, 4, 0}, {1, 4, 0}});
    writer.point(pair);
    writer.text(key_and_value[0], "crc32");
    return writer.text(key_and_value[1], kNoSum);
}

void set_sum(uint32_t sum, std::byte* digits) noexcept {
    for (size_t at = 0; at < kNoSum.size(); ++at) {
        digits[at] = static_cast<std::byte>("0123456789abcdef"[sum >> (28 - 4 * at) & 15]);
    }
}

void append_framed(const std::vector<std::byte>& metadata, std::vector<std::byte>& out) {
    const auto length = static_cast<int32_t>(metadata.size());
    const size_t at = out.size();
    out.resize(at + kFrameBytes);
    std::memcpy(out.data() + at, &kContinuation, 4);
    std::memcpy(out.data() + at + 4, &length, 4);
    out.insert(out.end(), metadata.begin(), metadata.end());
}

bool is_variable(ColumnType type) noexcept { return type == ColumnType::kText || type == ColumnType::kBinary; }

bool is_signed(ColumnType type) noexcept {
    return type == ColumnType::kInt8 || type == ColumnType::kInt32 || type == ColumnType::kInt64;
}

size_t padded(size_t size) noexcept { return (size + 7) & ~size_t{7}; }

}  // namespace

void ByteBuffer::grow(size_t more) {
    constexpr size_t kFirstRoom = 1 << 12;
    const size_t room = std::max({2 * room_, size_ + more, kFirstRoom});
    auto bytes = std::make_unique<std::byte[]>(room);
    if (size_ != 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
    room_ = room;
}

size_t width_of(ColumnType type) noexcept {
    switch (type) {
        case ColumnType::kInt8:
        case ColumnType::kUint8:
            return 1;
        case ColumnType::kUint16:
            return 2;
        case ColumnType::kInt32:
        case ColumnType::kUint32:
            return 4;
        case ColumnType::kInt64:
        case ColumnType::kUint64:
            return 8;
        case ColumnType::kText:
        case ColumnType::kBinary:
            break;
    }
    return 0;
}

std::vector<std::byte> schema_message(const std::vector<ColumnSpec>& columns) {
    FlatWriter writer;
    const MessagePlaces places = message(writer, kSchema, 0);
    const auto schema = writer.table({{1, 4, 0}});
    writer.point(places.header);
    writer.offsets(places.metadata, 0);
    const size_t fields = writer.offsets(schema[0], columns.size());
    for (size_t at = 0; at < columns.size(); ++at) {
        const ColumnSpec& column = columns[at];
        const FieldType type = column.type == ColumnType::kText     ? kTextType
                               : column.type == ColumnType::kBinary ? kBinaryType
                                                                    : kIntType;
        const auto field = writer.table({{0, 4, 0}, {2, 1, type}, {3, 4, 0}, {5, 4, 0}});  // nullable stays false
        writer.point(fields + 4 * at);
        writer.text(field[0], column.name);
        if (type == kIntType) {
            writer.table({{0, 4, static_cast<int64_t>(8 * width_of(column.type))}, {1, 1, is_signed(column.type)}});
        } else {
            writer.table({});
        }
        writer.point(field[2]);
        writer.offsets(field[3], 0);
    }
    std::vector<std::byte> out;
    append_framed(writer.take(), out);
    return out;
}

void append_batch_message(const std::vector<ColumnSpec>& specs, const std::vector<Column>& columns, int64_t rows,
                          std::vector<std::byte>& out) {
    std::vector<std::pair<int64_t, int64_t>> nodes(specs.size(), {rows, 0});
    std::vector<std::pair<int64_t, int64_t>> buffers;
    size_t body = 0;
    const auto add_buffer = [&](size_t size) {
        buffers.emplace_back(static_cast<int64_t>(body), static_cast<int64_t>(size));
        body += padded(size);
    };
    for (size_t at = 0; at < specs.size(); ++at) {
        add_buffer(0);  // no nulls, so no validity bits
        if (is_variable(specs[at].type)) add_buffer(columns[at].offsets.size() * sizeof(int32_t));
        add_buffer(columns[at].values.size());
    }
    FlatWriter writer;
    const MessagePlaces places = message(writer, kRecordBatch, static_cast<int64_t>(body));
    const auto batch = writer.table({{0, 8, rows}, {1, 4, 0}, {2, 4, 0}});
    writer.point(places.header);
    writer.pairs(batch[1], nodes);
    writer.pairs(batch[2], buffers);
    const size_t begin = out.size();
    const size_t sum = begin + kFrameBytes + add_sum(writer, places.metadata);
    append_framed(writer.take(), out);

    out.reserve(out.size() + body);
    const auto append_bytes = [&out](const void* data, size_t size) {
        const auto* bytes = static_cast<const std::byte*>(data);
        out.insert(out.end(), bytes, bytes + size);
        out.resize(out.size() + padded(size) - size);
    };
    for (size_t at = 0; at < specs.size(); ++at) {
        if (is_variable(specs[at].type)) {
            append_bytes(columns[at].offsets.data(), columns[at].offsets.size() * sizeof(int32_t));
        }
        append_bytes(columns[at].values.data(), columns[at].values.size());
    }
    set_sum(crc32(out.data() + begin, out.size() - begin), out.data() + sum);
}

std::vector<std::byte> end_message() {
    std::vector<std::byte> out(8);
    std::memcpy(out.data(), &kContinuation, 4);
    return out;
}

}  // namespace npuwh::core

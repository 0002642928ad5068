// A stretch of bytes in memory, read as little-endian fields.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace npuwh {

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the decoders read little-endian fields by copying them: port load_le"
#endif

// The field at `bytes`, which need not be aligned.
template <class T>
T load_le(const std::uint8_t* bytes) {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>, "a bool may hold any byte: load std::uint8_t");
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
}

// The field as a column holds it: unsigned values beyond 2^63 keep their bits and come out negative.
template <class T>
std::int64_t load_int64(const std::uint8_t* bytes) {
    return static_cast<std::int64_t>(load_le<T>(bytes));
}

// Bytes that someone else owns.  Offsets are the caller's to check; debug builds assert them.
class ByteWindow {
public:
    ByteWindow() = default;
    ByteWindow(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    const std::uint8_t* data() const { return data_; }
    std::size_t size() const { return size_; }
    bool holds(std::size_t offset, std::size_t bytes) const { return offset <= size_ && bytes <= size_ - offset; }

    template <class T>
    T field(std::size_t offset) const {
        assert(holds(offset, sizeof(T)));
        return load_le<T>(data_ + offset);
    }
    ByteWindow part(std::size_t offset, std::size_t bytes) const {
        assert(holds(offset, bytes));
        return {data_ + offset, bytes};
    }
    std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

private:
    const std::uint8_t* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace npuwh

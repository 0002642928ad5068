// Text that grows, quickly in small pieces.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace npuwh {

class TextBuffer {
public:
    // There is always so much room behind the text, so that small pieces are copied as blocks of one size.
    static constexpr std::size_t kSlack = 64;

    TextBuffer() = default;
    TextBuffer(TextBuffer&& other) noexcept { swap(other); }
    TextBuffer& operator=(TextBuffer&& other) noexcept {
        swap(other);
        return *this;
    }
    TextBuffer(const TextBuffer&) = delete;
    TextBuffer& operator=(const TextBuffer&) = delete;
    ~TextBuffer() { std::free(data_); }

    const char* data() const { return data_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::string_view view() const { return {data_, size_}; }
    std::string_view view(std::size_t begin) const { return {data_ + begin, size_ - begin}; }
    char& operator[](std::size_t place) { return data_[place]; }
    char back() const { return data_[size_ - 1]; }
    void pop_back() { --size_; }
    void clear() { size_ = 0; }
    // size: not more than it has.
    void cut(std::size_t size) { size_ = size; }
    void reserve(std::size_t size) {
        if (size > size_) {
            room(size - size_);
        }
    }

    // Where `size` more bytes can be written; `end_at` then says where the text ends.
    char* room(std::size_t size) {
        if (capacity_ - size_ < size + kSlack || data_ == nullptr) {
            grow(size);
        }
        return data_ + size_;
    }
    void end_at(const char* end) { size_ = static_cast<std::size_t>(end - data_); }

    TextBuffer& operator+=(char c) {
        *room(1) = c;
        ++size_;
        return *this;
    }
    TextBuffer& operator+=(std::string_view text) {
        append(text.data(), text.size());
        return *this;
    }
    void append(const char* text, std::size_t size) {
        if (size > 0) {
            std::memcpy(room(size), text, size);
            size_ += size;
        }
    }
    void append(std::size_t count, char c) {
        std::memset(room(count), c, count);
        size_ += count;
    }
    // As append, of text behind which there are `kSlack` bytes that may be read, whatever they are.
    void append_padded(const char* text, std::size_t size) {
        constexpr std::size_t block = 32;
        char* to = room(size);
        size_ += size;
        std::memcpy(to, text, block);
        while (size > block) {
            size -= block;
            to += block;
            text += block;
            std::memcpy(to, text, block);
        }
    }

    void swap(TextBuffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

private:
    void grow(std::size_t size) {
        const std::size_t wanted = size_ + size + kSlack;
        const std::size_t capacity = wanted > 2 * capacity_ ? wanted : 2 * capacity_;
        auto* const data = static_cast<char*>(std::realloc(data_, capacity));
        if (data == nullptr) {
            throw std::bad_alloc();
        }
        data_ = data;
        capacity_ = capacity;
    }

    char* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

// A short text of which as many bytes may be read as TextBuffer::append_padded wants.
class PaddedText {
public:
    PaddedText() = default;
    explicit PaddedText(std::string_view text) { *this += text; }
    PaddedText& operator+=(std::string_view text) {
        text_.resize(size_);
        text_ += text;
        size_ = text_.size();
        text_.resize(size_ + TextBuffer::kSlack);
        return *this;
    }
    std::string_view view() const { return {text_.data(), size_}; }
    bool empty() const { return size_ == 0; }
    void append_to(TextBuffer& out) const { out.append_padded(text_.data(), size_); }

private:
    std::string text_ = std::string(TextBuffer::kSlack, '\0');
    std::size_t size_ = 0;
};

}  // namespace npuwh

// A column that grows without moving what it holds.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace npuwh::sqlite_file {

template <class Value>
class Chunked {
public:
    static constexpr std::size_t kChunk = 2048;

    std::size_t size() const { return size_; }
    std::size_t memory() const { return chunks_.size() * kChunk * sizeof(Value); }
    Value operator[](std::size_t place) const { return chunks_[place / kChunk][place % kChunk]; }

    void push_back(Value value) {
        if (size_ == chunks_.size() * kChunk) {
            chunks_.emplace_back(new Value[kChunk]);
        }
        chunks_[size_ / kChunk][size_ % kChunk] = value;
        ++size_;
    }

    // Keeps the first `size` values; free room goes back.
    void truncate(std::size_t size) {
        size_ = size;
        chunks_.resize((size + kChunk - 1) / kChunk);
    }

    // Calls visit(pointer, count) for the stretches of [begin, end).
    template <class Visit>
    void visit(std::size_t begin, std::size_t end, Visit visit) const {
        while (begin < end) {
            const std::size_t inside = begin % kChunk;
            const std::size_t count = end - begin < kChunk - inside ? end - begin : kChunk - inside;
            visit(chunks_[begin / kChunk].get() + inside, count);
            begin += count;
        }
    }

private:
    std::vector<std::unique_ptr<Value[]>> chunks_;
    std::size_t size_ = 0;
};

}  // namespace npuwh::sqlite_file

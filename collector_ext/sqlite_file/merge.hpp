// Merging sorted runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace npuwh::sqlite_file {

constexpr std::size_t kFanIn = 64;               // runs that are merged at once
constexpr std::size_t kReadBytes = 1 << 17;      // of each
constexpr std::size_t kWriteBytes = 1 << 18;

// A sorted stretch of the spill file.
struct Run {
    std::uint64_t place;
    std::uint64_t size;
};

// The smallest of several cursors first.  Cursor: bool next() steps to its next entry, bool before(other) compares entries.
template <class Cursor>
class Merge {
public:
    void add(std::unique_ptr<Cursor> cursor) {
        if (cursor->next()) {
            heap_.push_back(std::move(cursor));
            for (std::size_t place = heap_.size() - 1; place > 0 && heap_[place]->before(*heap_[(place - 1) / 2]);) {
                std::swap(heap_[place], heap_[(place - 1) / 2]);
                place = (place - 1) / 2;
            }
        }
    }

    bool empty() const { return heap_.empty(); }
    const Cursor& top() const { return *heap_.front(); }

    void step() {
        if (!heap_.front()->next()) {
            heap_.front() = std::move(heap_.back());
            heap_.pop_back();
        }
        for (std::size_t place = 0;;) {
            std::size_t least = place;
            for (const std::size_t child : {2 * place + 1, 2 * place + 2}) {
                if (child < heap_.size() && heap_[child]->before(*heap_[least])) {
                    least = child;
                }
            }
            if (least == place) {
                return;
            }
            std::swap(heap_[place], heap_[least]);
            place = least;
        }
    }

private:
    std::vector<std::unique_ptr<Cursor>> heap_;
};

// Where each of several marks stands in a sorter: whole runs, then entries in memory.
struct SorterMark {
    std::size_t runs;
    std::size_t entries;
};

}  // namespace npuwh::sqlite_file

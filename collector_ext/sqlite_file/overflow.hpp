// Long records: what stays on the b-tree page, and the chain of pages for the rest ("Database File Format", sections 1.6, 1.7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sqlite_file/encoding.hpp"
#include "sqlite_file/page_file.hpp"

namespace npuwh::sqlite_file {

// How much of a payload stays on the page.
class LocalSizes {
public:
    static LocalSizes of_table(std::size_t page_size) { return {page_size, page_size - 35}; }
    static LocalSizes of_index(std::size_t page_size) { return {page_size, (page_size - 12) * 64 / 255 - 23}; }

    bool is_whole(std::size_t payload) const { return payload <= most_; }
    std::size_t local(std::size_t payload) const {
        if (is_whole(payload)) {
            return payload;
        }
        const std::size_t kept = least_ + (payload - least_) % (page_size_ - 4);
        return kept <= most_ ? kept : least_;
    }

private:
    LocalSizes(std::size_t page_size, std::size_t most)
        : page_size_(page_size), most_(most), least_((page_size - 12) * 32 / 255 - 23) {}

    std::size_t page_size_;
    std::size_t most_;
    std::size_t least_;
};

// Writes the chain of overflow pages and returns the number of its first.
inline std::uint32_t append_overflow(PageFile& file, const std::uint8_t* bytes, std::size_t size) {
    const std::size_t room = file.page_size() - 4;
    const std::uint32_t first = file.next();
    std::vector<std::uint8_t> page(file.page_size());
    while (size > 0) {
        const std::size_t part = size < room ? size : room;
        size -= part;
        put_u32(page.data(), size > 0 ? file.after(file.next()) : 0);
        std::memcpy(page.data() + 4, bytes, part);
        std::memset(page.data() + 4 + part, 0, room - part);
        file.append(page.data());
        bytes += part;
    }
    return first;
}

}  // namespace npuwh::sqlite_file

// One b-tree page while it is filled ("Database File Format", section 1.6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npuwh::sqlite_file {

enum class PageType : std::uint8_t { index_interior = 2, table_interior = 5, index_leaf = 10, table_leaf = 13 };

constexpr std::size_t kFileHeaderSize = 100;  // page 1 begins with it

// Cells grow down from the end of the page.  `spare` bytes stay unused, for pages whose content may have to fit page 1.
class PageBuilder {
public:
    PageBuilder(std::size_t page_size, PageType type, std::size_t spare);

    std::size_t cells() const { return starts_.size(); }
    bool fits(std::size_t cell_size) const { return floor_ + 2 * (starts_.size() + 1) + cell_size <= top_; }

    std::size_t room() const { return top_ - floor_ - 2 * starts_.size(); }

    // Room for a cell that fits.  Up to 8 bytes in front of it may be scribbled on until the next call.
    std::uint8_t* place(std::size_t cell_size) {
        top_ -= cell_size;
        starts_.push_back(static_cast<std::uint16_t>(top_));
        return bytes_.data() + top_;
    }

    // Takes the cell placed last, which has this size, out again; its bytes stay readable until the next `place`.
    const std::uint8_t* pop(std::size_t cell_size);

    // The whole page, begun anew after that by `clear`; `header` is where the page header stands (100 in page 1).
    const std::uint8_t* finish(std::uint32_t right_child = 0, std::size_t header = 0);
    void clear();

private:
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint16_t> starts_;
    PageType type_;
    std::size_t header_size_;
    std::size_t floor_;
    std::size_t top_;
};

}  // namespace npuwh::sqlite_file

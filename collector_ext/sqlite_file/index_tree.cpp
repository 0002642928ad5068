#include "sqlite_file/index_tree.hpp"

#include <cstring>
#include <utility>

namespace npuwh::sqlite_file {
namespace {

constexpr std::size_t kChildSize = 4;

std::size_t child_size(std::size_t level) { return level == 0 ? 0 : kChildSize; }

std::uint32_t child_of(const std::uint8_t* cell) {
    std::uint32_t number = 0;
    std::memcpy(&number, cell, sizeof number);
    return __builtin_bswap32(number);
}

}  // namespace

IndexTree::Level& IndexTree::at(std::size_t level) {
    if (level == levels_.size()) {
        const PageType type = level == 0 ? PageType::index_leaf : PageType::index_interior;
        levels_.push_back({PageBuilder(file_.page_size(), type, 0), {}, 0});
    }
    return levels_[level];
}

void IndexTree::add(const std::uint8_t* record, std::size_t size) {
    const std::size_t prefix = varint_size(size);
    if (sizes_.is_whole(size) && at(0).held.empty() && levels_[0].page.fits(prefix + size)) {  // nearly always
        std::uint8_t* out = levels_[0].page.place(prefix + size);
        std::memcpy(put_varint(out, size), record, size);
        levels_[0].last_cell = prefix + size;
        return;
    }
    const std::size_t local = sizes_.local(size);
    cell_.resize(prefix + local + 4);
    std::uint8_t* end = put_varint(cell_.data(), size);
    std::memcpy(end, record, local);
    end += local;
    if (local < size) {
        put_u32(end, append_overflow(file_, record + local, size - local));
        end += 4;
    }
    put(0, cell_.data(), static_cast<std::size_t>(end - cell_.data()));
}

void IndexTree::put(std::size_t level, const std::uint8_t* cell, std::size_t size) {
    if (!at(level).held.empty()) {
        const std::vector<std::uint8_t> divider = std::move(levels_[level].held);
        levels_[level].held.clear();
        end_page(level, divider.data(), divider.size());
    }
    if (levels_[level].page.fits(size)) {
        std::memcpy(levels_[level].page.place(size), cell, size);
        levels_[level].last_cell = size;
    } else {
        levels_[level].held.assign(cell, cell + size);
    }
}

// No entry follows: the one placed last goes up instead of the held one, which begins the last page.
void IndexTree::place_last(std::size_t level) {
    const std::vector<std::uint8_t> held = std::move(levels_[level].held);
    levels_[level].held.clear();
    const std::size_t last = levels_[level].last_cell;
    const std::uint8_t* popped = levels_[level].page.pop(last);
    const std::vector<std::uint8_t> divider(popped, popped + last);
    end_page(level, divider.data(), last);
    std::memcpy(levels_[level].page.place(held.size()), held.data(), held.size());
}

// Writes the page of a level; the divider, a cell of that level, goes up behind the page's number.
void IndexTree::end_page(std::size_t level, const std::uint8_t* divider, std::size_t size) {
    const std::size_t child = child_size(level);
    const std::uint32_t number = file_.append(levels_[level].page.finish(child == 0 ? 0 : child_of(divider)));
    levels_[level].page.clear();
    std::vector<std::uint8_t> cell(kChildSize + size - child);
    put_u32(cell.data(), number);
    std::memcpy(cell.data() + kChildSize, divider + child, size - child);
    put(level + 1, cell.data(), cell.size());
}

std::uint32_t IndexTree::finish() {
    at(0);
    std::uint32_t right = 0;
    for (std::size_t level = 0; level < levels_.size(); ++level) {  // ending a page may add a level
        if (!levels_[level].held.empty()) {
            place_last(level);
        }
        right = file_.append(levels_[level].page.finish(right));
    }
    return right;
}

}  // namespace npuwh::sqlite_file

#include "sqlite_file/table_tree.hpp"

#include <algorithm>
#include <cstring>

#include "sqlite_file/record.hpp"

namespace npuwh::sqlite_file {
namespace {

constexpr std::size_t kLargestInteriorCell = 4 + kMaxVarint + 2;  // with its pointer

}  // namespace

TableTree::TableTree(PageFile& file, std::size_t spare)
    : file_(file),
      sizes_(LocalSizes::of_table(file.page_size())),
      state_{PageBuilder(file.page_size(), PageType::table_leaf, 0), 0, {}},
      interior_(file.page_size(), PageType::table_interior, spare),
      fanout_((file.page_size() - 12 - spare) / kLargestInteriorCell + 1) {}

std::uint8_t* TableTree::place_cell(std::int64_t rowid, std::size_t payload, std::size_t local, bool has_overflow) {
    const auto key = static_cast<std::uint64_t>(rowid);
    const std::size_t prefix = varint_size(payload) + varint_size(key);
    const std::size_t size = prefix + local + (has_overflow ? 4 : 0);
    if (!state_.leaf.fits(size)) {
        end_leaf();
    }
    state_.last_rowid = rowid;
    return state_.leaf.place(size);
}

void TableTree::add(std::int64_t rowid, const CellBlock& block, std::size_t row) {
    const std::size_t header = block.header_size(row);
    const std::size_t payload = block.body_size(row) + header;
    if (!sizes_.is_whole(payload)) {
        scratch_.clear();
        append_record(scratch_, block.row(row), block.stored(row));
        add(rowid, scratch_.data(), scratch_.size());
        return;
    }
    std::uint8_t* cell = place_cell(rowid, payload, payload, false);
    const std::size_t prefix = varint_size(payload) + varint_size(static_cast<std::uint64_t>(rowid));
    put_record_before(cell + prefix + payload, block.row(row), block.stored(row), header);
    put_varint(put_varint(cell, payload), static_cast<std::uint64_t>(rowid));
}

void TableTree::add(std::int64_t rowid, const std::uint8_t* record, std::size_t size) {
    const std::size_t local = sizes_.local(size);
    const std::uint32_t overflow = local < size ? append_overflow(file_, record + local, size - local) : 0;
    std::uint8_t* out = place_cell(rowid, size, local, overflow != 0);
    out = put_varint(put_varint(out, size), static_cast<std::uint64_t>(rowid));
    std::memcpy(out, record, local);
    if (overflow != 0) {
        put_u32(out + local, overflow);
    }
}

void TableTree::end_leaf() {
    const std::uint32_t number = file_.append(state_.leaf.finish());
    state_.leaf.clear();
    add_child(0, {number, state_.last_rowid});
}

void TableTree::add_child(std::size_t level, Child child) {
    if (level == state_.levels.size()) {
        state_.levels.emplace_back();
    }
    state_.levels[level].push_back(child);
    if (state_.levels[level].size() < fanout_ + 2) {  // two stay: the last page of a level has two children at least
        return;
    }
    auto& children = state_.levels[level];
    const Child parent{file_.append(interior_page(children, 0, fanout_, 0)), children[fanout_ - 1].second};
    children.erase(children.begin(), children.begin() + static_cast<std::ptrdiff_t>(fanout_));
    add_child(level + 1, parent);
}

const std::uint8_t* TableTree::interior_page(const std::vector<Child>& children, std::size_t first, std::size_t last,
                                             std::size_t header) {
    interior_.clear();
    for (std::size_t place = first; place + 1 < last; ++place) {
        const auto key = static_cast<std::uint64_t>(children[place].second);
        std::uint8_t* cell = interior_.place(4 + varint_size(key));
        put_u32(cell, children[place].first);
        put_varint(cell + 4, key);
    }
    return interior_.finish(children[last - 1].first, header);
}

std::uint32_t TableTree::finish(std::uint8_t* first_page) {
    const std::size_t header = first_page == nullptr ? 0 : kFileHeaderSize;
    const auto write_root = [&](const std::uint8_t* page) -> std::uint32_t {
        if (first_page == nullptr) {
            return file_.append(page);
        }
        std::memcpy(first_page + header, page + header, file_.page_size() - header);
        return 1;
    };
    if (state_.levels.empty() && state_.leaf.room() >= header) {
        return write_root(state_.leaf.finish(0, header));
    }
    end_leaf();  // a single leaf too full for page 1 goes below a root without cells, as SQLite does it
    for (std::size_t level = 0;; ++level) {
        const std::vector<Child> children = state_.levels[level];
        if (level + 1 == state_.levels.size() && children.size() <= fanout_) {
            return write_root(interior_page(children, 0, children.size(), header));
        }
        const std::size_t half = children.size() <= fanout_ ? children.size() : (children.size() + 1) / 2;
        for (std::size_t first = 0; first < children.size(); first += half) {
            const std::size_t last = std::min(first + half, children.size());
            add_child(level + 1, {file_.append(interior_page(children, first, last, 0)), children[last - 1].second});
        }
    }
}

}  // namespace npuwh::sqlite_file

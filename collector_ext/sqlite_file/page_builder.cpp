#include "sqlite_file/page_builder.hpp"

#include <cstring>

#include "sqlite_file/encoding.hpp"

namespace npuwh::sqlite_file {

PageBuilder::PageBuilder(std::size_t page_size, PageType type, std::size_t spare)
    : bytes_(page_size),
      type_(type),
      header_size_(type == PageType::index_interior || type == PageType::table_interior ? 12 : 8),
      floor_(header_size_ + spare),
      top_(page_size) {}

const std::uint8_t* PageBuilder::pop(std::size_t cell_size) {
    const std::uint8_t* cell = bytes_.data() + top_;
    top_ += cell_size;
    starts_.pop_back();
    return cell;
}

const std::uint8_t* PageBuilder::finish(std::uint32_t right_child, std::size_t header) {
    std::uint8_t* out = bytes_.data() + header;
    out[0] = static_cast<std::uint8_t>(type_);
    put_u16(out + 1, 0);
    put_u16(out + 3, starts_.size());
    put_u16(out + 5, top_);
    out[7] = 0;
    if (header_size_ == 12) {
        put_u32(out + 8, right_child);
    }
    out += header_size_;
    for (const std::uint16_t start : starts_) {
        put_u16(out, start);
        out += 2;
    }
    std::memset(out, 0, static_cast<std::size_t>(bytes_.data() + top_ - out));
    return bytes_.data();
}

void PageBuilder::clear() {
    starts_.clear();
    top_ = bytes_.size();
}

}  // namespace npuwh::sqlite_file

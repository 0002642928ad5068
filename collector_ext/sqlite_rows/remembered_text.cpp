#include "sqlite_rows/remembered_text.hpp"

#include <algorithm>

namespace npuwh::sqlite_rows {

bool Arguments::operator==(const Arguments& other) const {
    return nulls == other.nulls && std::equal(values, values + kMostArguments, other.values);
}

std::size_t Arguments::hash() const {
    std::uint64_t mixed = nulls;
    for (const std::int64_t value : values) {
        mixed = (mixed ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15U;
        mixed ^= mixed >> 32;
    }
    return static_cast<std::size_t>(mixed);
}

TextMemory::TextMemory(std::size_t bytes) : bytes_(std::min<std::size_t>(bytes, UINT32_MAX)), entries_(64) {}

std::size_t TextMemory::place_of(const Arguments& arguments) const {
    std::size_t place = arguments.hash() & (entries_.size() - 1);
    while (entries_[place].is_used && !(entries_[place].arguments == arguments)) {
        place = (place + 1) & (entries_.size() - 1);
    }
    return place;
}

std::string_view TextMemory::find(const Arguments& arguments) const {
    const Entry& entry = entries_[place_of(arguments)];
    return entry.is_used ? std::string_view(texts_.data() + entry.begin, entry.size) : std::string_view();
}

std::string_view TextMemory::put(const Arguments& arguments, std::string_view text) {
    const std::size_t needed = texts_.size() + text.size() + 2 * (count_ + 1) * sizeof(Entry);
    if (needed > bytes_) {
        entries_.assign(64, Entry());
        count_ = 0;
        std::string().swap(texts_);
    }
    if (2 * (count_ + 1) > entries_.size()) {
        grow();
    }
    Entry& entry = entries_[place_of(arguments)];
    entry.arguments = arguments;
    entry.begin = static_cast<std::uint32_t>(texts_.size());
    entry.size = static_cast<std::uint32_t>(text.size());
    entry.is_used = true;
    ++count_;
    texts_ += text;
    return {texts_.data() + entry.begin, entry.size};
}

void TextMemory::grow() {
    std::vector<Entry> entries(2 * entries_.size());
    entries.swap(entries_);
    for (const Entry& entry : entries) {
        if (entry.is_used) {
            entries_[place_of(entry.arguments)] = entry;
        }
    }
}

}  // namespace npuwh::sqlite_rows

#include "sqlite_rows/remembered_text.hpp"

#include <algorithm>

namespace npuwh::sqlite_rows {
namespace {

constexpr std::size_t kFirstEntries = 64;

}  // namespace

TextMemory::TextMemory(std::size_t bytes) : bytes_(std::min<std::size_t>(bytes, UINT32_MAX)), entries_(kFirstEntries) {}

void TextMemory::put(const Arguments& arguments, std::string_view text) {
    const std::size_t needed = texts_.size() + text.size() + 2 * (count_ + 1) * sizeof(Entry);
    if (needed > bytes_) {
        entries_.assign(kFirstEntries, Entry());
        count_ = 0;
        recent_ = 0;
        texts_ = TextBuffer();
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
    texts_.room(text.size());  // also for no text, so that there is something to read
    texts_ += text;
}

void TextMemory::grow() {
    std::vector<Entry> entries(2 * entries_.size());
    entries.swap(entries_);
    recent_ = 0;
    for (const Entry& entry : entries) {
        if (entry.is_used) {
            entries_[place_of(entry.arguments)] = entry;
        }
    }
}

}  // namespace npuwh::sqlite_rows

#include "core/string_table.hpp"

namespace npuwh::core {

namespace {
constexpr std::string_view kCutMark = "...";
}

StringTable::StringTable() {
    texts_.emplace_back();
    numbers_.emplace(texts_.back(), 0);
}

uint32_t StringTable::number_of(std::string_view text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::string cut;
    if (text.size() > kLongestText) {
        cut.assign(text.substr(0, kLongestText)).append(kCutMark);
        text = cut;
    }
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<uint32_t>(texts_.size());
    texts_.emplace_back(text);
    numbers_.emplace(texts_.back(), number);
    return number;
}

std::vector<StringTable::NewText> StringTable::take_new() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<NewText> found;
    found.reserve(texts_.size() - taken_);
    for (; taken_ < texts_.size(); ++taken_) found.push_back({static_cast<uint32_t>(taken_), texts_[taken_]});
    return found;
}

size_t StringTable::size() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return texts_.size();
}

}  // namespace npuwh::core

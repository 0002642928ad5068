// Texts of a recording, each once: a number a text, and the new ones in order for the dumper.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace npuwh::core {

// Thread-safe; number 0 is the empty text.  Texts longer than `kLongestText` bytes are cut (and say so by their end).
class StringTable {
   public:
    static constexpr size_t kLongestText = 1 << 20;

    StringTable();

    uint32_t number_of(std::string_view text);

    // Texts since the last call, in the order of their numbers; they stay valid as long as the table.
    struct NewText {
        uint32_t number;
        std::string_view text;
    };
    std::vector<NewText> take_new();

    size_t size() const;

   private:
    mutable std::mutex mutex_;
    std::deque<std::string> texts_;  // elements never move
    std::unordered_map<std::string_view, uint32_t> numbers_;
    size_t taken_ = 1;
};

}  // namespace npuwh::core

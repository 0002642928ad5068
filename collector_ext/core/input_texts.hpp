// Types and sizes of an operator's inputs as texts.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/records.hpp"
#include "core/string_table.hpp"

namespace npuwh::core {

// The texts of an operator's inputs, found once for each description (see OpRecord): types and sizes, in the form of
// framework-files.md 2.3, tags 3 and 4.
class InputTexts {
   public:
    struct Numbers {
        uint32_t dtypes = kNoText;
        uint32_t shapes = kNoText;
    };
    Numbers of(std::string_view description, StringTable& strings);

   private:
    std::deque<std::string> descriptions_;  // elements never move
    std::unordered_map<std::string_view, Numbers> known_;
};

// The description that `InputTexts` reads: an item an input.
namespace input_code {
constexpr uint8_t kNone = 0;
constexpr uint8_t kTensor = 1;  // then: scalar type, number of sizes, the sizes (int64)
constexpr uint8_t kTensorList = 2;
constexpr uint8_t kScalar = 3;
constexpr uint8_t kScalarList = 4;
}  // namespace input_code

}  // namespace npuwh::core

// What many operators have in common: told once, so that an operator's own row is narrow.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <unordered_map>

namespace npuwh::core {

struct OpForm {
    uint64_t forward_thread = 0;  // 0: none
    uint32_t end_thread = 0;  // 0: the thread it began on
    uint32_t stack = 0;  // texts, as in OpRecord
    uint32_t module = 0;
    uint32_t dtypes = 0;  // texts (core/input_texts.hpp)
    uint32_t shapes = 0;
    uint8_t scope = 0;
    uint8_t is_async = 0;
    uint16_t unused = 0;

    bool operator==(const OpForm& other) const noexcept { return std::memcmp(this, &other, sizeof other) == 0; }
};
static_assert(sizeof(OpForm) == 32);  // no byte of it is undefined, so that it is compared and hashed as bytes

// Numbers from 1; the dumper's alone.
class OpForms {
   public:
    struct Number {
        uint32_t number;
        bool is_new;
    };
    Number number_of(const OpForm& form);

   private:
    struct Hash {
        size_t operator()(const OpForm& form) const noexcept;
    };
    struct Place {
        OpForm form;
        uint32_t number = 0;
    };
    std::array<Place, 256> recent_;  // by hash
    std::unordered_map<OpForm, uint32_t, Hash> numbers_;
};

}  // namespace npuwh::core

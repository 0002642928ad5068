#include "core/op_forms.hpp"

namespace npuwh::core {

size_t OpForms::Hash::operator()(const OpForm& form) const noexcept {
    std::array<uint64_t, sizeof(OpForm) / 8> words;
    std::memcpy(words.data(), &form, sizeof form);
    uint64_t hash = 0;
    for (const uint64_t word : words) {
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return hash;
}

OpForms::Number OpForms::number_of(const OpForm& form) {
    Place& place = recent_[Hash()(form) % recent_.size()];
    if (place.number != 0 && place.form == form) return {place.number, false};
    const auto [found, is_new] = numbers_.emplace(form, static_cast<uint32_t>(numbers_.size() + 1));
    place = {form, found->second};
    return {found->second, is_new};
}

}  // namespace npuwh::core

// A text cut at a separator.
#pragma once

#include <cstddef>
#include <string_view>

namespace npuwh {

// Takes one part after the other off the front: "a)b" gives a, b; "a)" gives a and an empty part; "" gives one empty part.
class TextParts {
public:
    TextParts(std::string_view text, char separator) : rest_(text), separator_(separator) {}

    // False once nothing is left.
    bool next(std::string_view& part) {
        if (is_over_) {
            return false;
        }
        const std::size_t at = rest_.find(separator_);
        is_over_ = at == std::string_view::npos;
        part = rest_.substr(0, at);
        rest_ = is_over_ ? std::string_view() : rest_.substr(at + 1);
        return true;
    }
    bool is_over() const { return is_over_; }

private:
    std::string_view rest_;
    char separator_;
    bool is_over_ = false;
};

}  // namespace npuwh

// Text that is certainly UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace npuwh {

bool is_utf8(std::string_view bytes);

// U+FFFD in place of what is not UTF-8, one for each longest part that could have begun a character (as Python's
// bytes.decode(errors="replace") and the Unicode standard do it).
std::string repair_utf8(std::string_view bytes);

}  // namespace npuwh

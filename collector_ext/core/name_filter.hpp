// Which names a recording takes: patterns of the shell's kind (`*`, `?`, `[...]`) over whole names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace npuwh::core {

struct NameFilter {
    std::vector<std::string> include;  // empty: all
    std::vector<std::string> exclude;  // wins over `include`

    // Asked once a name and thread, so it need not be fast.
    bool takes(std::string_view name) const;
};

}  // namespace npuwh::core

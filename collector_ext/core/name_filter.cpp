#include "core/name_filter.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace npuwh::core {

bool NameFilter::takes(std::string_view name) const {
    const std::string whole(name);
    const auto matches = [&](const std::string& pattern) { return fnmatch(pattern.c_str(), whole.c_str(), 0) == 0; };
    if (std::any_of(exclude.begin(), exclude.end(), matches)) return false;
    return include.empty() || std::any_of(include.begin(), include.end(), matches);
}

}  // namespace npuwh::core

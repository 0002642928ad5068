#include "sweep/intervals.hpp"

namespace npuwh {

std::int64_t saturating_difference(std::int64_t later, std::int64_t earlier) {
    std::int64_t result = 0;
    if (__builtin_sub_overflow(later, earlier, &result)) {
        return later < earlier ? kEarliest : kLatest;
    }
    return result;
}

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) {
        return a < 0 ? kEarliest : kLatest;
    }
    return result;
}

}  // namespace npuwh

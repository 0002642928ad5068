// Values found by ascending numbers, which mostly follow each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace npuwh {

// Numbers of a stretch without large gaps are looked up at once, stretches by halving.
template <class Value>
class NumberMap {
public:
    explicit NumberMap(Value missing) : missing_(missing) {}

    // Throws std::invalid_argument unless the number is larger than all before.
    void add(std::int64_t number, const Value& value) {
        if (!stretches_.empty() && number <= stretches_.back().last) {
            throw std::invalid_argument("number " + std::to_string(number) + " comes after " + std::to_string(stretches_.back().last));
        }
        if (stretches_.empty() || static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(stretches_.back().last) > kLargestGap) {
            stretches_.push_back({number, number, values_.size()});
        } else {
            values_.resize(values_.size() + static_cast<std::size_t>(number - stretches_.back().last) - 1, missing_);
            stretches_.back().last = number;
        }
        values_.push_back(value);
    }

    // `missing` for a number that was not added.
    const Value& find(std::int64_t number) {
        if (at_ < stretches_.size() && stretches_[at_].first <= number && number <= stretches_[at_].last) {
            return values_[stretches_[at_].place + static_cast<std::size_t>(number - stretches_[at_].first)];
        }
        const auto above = std::upper_bound(stretches_.begin(), stretches_.end(), number,
                                            [](std::int64_t wanted, const Stretch& stretch) { return wanted < stretch.first; });
        if (above == stretches_.begin() || number > std::prev(above)->last) {
            return missing_;
        }
        at_ = static_cast<std::size_t>(above - stretches_.begin()) - 1;
        return values_[stretches_[at_].place + static_cast<std::size_t>(number - stretches_[at_].first)];
    }

private:
    static constexpr std::uint64_t kLargestGap = 4;
    struct Stretch {
        std::int64_t first;
        std::int64_t last;
        std::size_t place;
    };

    Value missing_;
    std::vector<Stretch> stretches_;
    std::vector<Value> values_;
    std::size_t at_ = 0;  // the stretch of the number that was sought last
};

}  // namespace npuwh

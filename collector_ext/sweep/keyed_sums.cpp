#include "sweep/keyed_sums.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sweep/intervals.hpp"

namespace npuwh {

KeyedSums::KeyedSums(std::size_t keys, std::size_t values) : keys_(keys), values_(values) {
    if (keys < 1 || keys > kMostKeys || values < 1 || values > kMostValues) {
        throw std::invalid_argument("KeyedSums: one to four keys and one or two values");
    }
}

void KeyedSums::feed(const std::vector<ColumnView>& keys, const std::vector<ColumnView>& values) {
    constexpr const char* where = "KeyedSums.feed";
    if (keys.size() != keys_ || values.size() != values_) {
        throw std::invalid_argument("KeyedSums.feed: another number of keys or values than it was made for");
    }
    const std::size_t rows = keys[0].size();
    for (const ColumnView& column : keys) {
        require_rows(where, "key", column, rows);
    }
    for (const ColumnView& column : values) {
        require_rows(where, "value", column, rows);
    }
    GroupKey last{};
    Sums* group = nullptr;
    for (std::size_t row = 0; row < rows; ++row) {
        GroupKey key{};
        for (std::size_t place = 0; place < keys_; ++place) {
            key[place] = keys[place][row];
        }
        if (group == nullptr || key != last) {
            group = &groups_[key];
            last = key;
        }
        for (std::size_t place = 0; place < values_; ++place) {
            const std::int64_t value = values[place][row];
            if (value == kNone) {
                continue;
            }
            OfValue& sums = (*group)[place];
            sums.sum = sums.count == 0 ? value : saturating_sum(sums.sum, value);
            sums.least = sums.count == 0 ? value : std::min(sums.least, value);
            sums.most = std::max(sums.most, value);
            ++sums.count;
        }
    }
}

GroupSums KeyedSums::take(std::size_t least) {
    GroupSums taken{std::vector<Column>(keys_), std::vector<ValueSums>(values_)};
    if (groups_.size() < least) {
        return taken;
    }
    std::vector<std::pair<GroupKey, const Sums*>> ordered;
    ordered.reserve(groups_.size());
    for (const auto& group : groups_) {
        ordered.emplace_back(group.first, &group.second);
    }
    std::sort(ordered.begin(), ordered.end());
    for (const auto& [key, sums] : ordered) {
        for (std::size_t place = 0; place < keys_; ++place) {
            taken.keys[place].push_back(key[place]);
        }
        for (std::size_t place = 0; place < values_; ++place) {
            const OfValue& value = (*sums)[place];
            taken.values[place].count.push_back(value.count);
            taken.values[place].sum.push_back(value.sum);
            taken.values[place].least.push_back(value.least);
            taken.values[place].most.push_back(value.most);
        }
    }
    groups_.clear();
    return taken;
}

}  // namespace npuwh

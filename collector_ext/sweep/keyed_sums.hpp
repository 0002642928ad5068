// Sums of numbers by keys.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sweep/columns.hpp"

namespace npuwh {

constexpr std::size_t kMostKeys = 4;

// Numbers that together name a group; those that are not used are 0.
using GroupKey = std::array<std::int64_t, kMostKeys>;

struct GroupKeyHash {
    std::size_t operator()(const GroupKey& key) const {
        std::uint64_t mixed = 0;
        for (const std::int64_t part : key) {
            mixed = (mixed ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15u;
            mixed ^= mixed >> 32;
        }
        return static_cast<std::size_t>(mixed);
    }
};

// What is known of one value in one group.  Values are 0 or more, -1 is none; where no row has one there is no sum either.
struct ValueSums {
    Column count;  // rows that have a value
    Column sum;
    Column least;
    Column most;
};

struct GroupSums {
    std::vector<Column> keys;
    std::vector<ValueSums> values;
};

// Groups are held until they are taken, so whoever feeds many takes them from time to time; a group that is taken begins anew.
class KeyedSums {
public:
    // Throws std::invalid_argument unless there are 1 to kMostKeys keys and one or two values.
    KeyedSums(std::size_t keys, std::size_t values);

    // A column a key and a column a value, all of one length; throws std::invalid_argument else.
    void feed(const std::vector<ColumnView>& keys, const std::vector<ColumnView>& values);
    // All groups in the order of their keys, if they are `least` or more; else none.
    GroupSums take(std::size_t least);

private:
    static constexpr std::size_t kMostValues = 2;

    struct OfValue {
        std::int64_t count = 0, sum = kNone, least = kNone, most = kNone;
    };
    using Sums = std::array<OfValue, kMostValues>;

    std::size_t keys_;
    std::size_t values_;
    std::unordered_map<GroupKey, Sums, GroupKeyHash> groups_;
};

}  // namespace npuwh

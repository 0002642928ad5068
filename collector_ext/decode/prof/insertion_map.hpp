// A hash map that remembers which entry is the oldest.
#pragma once

#include <cstddef>
#include <list>
#include <unordered_map>
#include <utility>

namespace npuwh::prof {

// Values stay where they are until erased.  Iterates from the oldest entry to the newest.
template <class Key, class Value, class Hash = std::hash<Key>>
class InsertionMap {
public:
    using Entry = std::pair<const Key, Value>;

    std::size_t size() const { return places_.size(); }
    auto begin() { return entries_.begin(); }
    auto end() { return entries_.end(); }
    Entry& oldest() { return entries_.front(); }

    Value* find(const Key& key) {
        const auto place = places_.find(key);
        return place == places_.end() ? nullptr : &place->second->second;
    }

    // The key is not in the map yet.
    Value& add(const Key& key, Value value) {
        entries_.emplace_back(key, std::move(value));
        places_.emplace(key, std::prev(entries_.end()));
        return entries_.back().second;
    }

    void erase(const Key& key) {
        const auto place = places_.find(key);
        if (place != places_.end()) {
            entries_.erase(place->second);
            places_.erase(place);
        }
    }

    void clear() {
        places_.clear();
        entries_.clear();
    }

private:
    std::list<Entry> entries_;
    std::unordered_map<Key, typename std::list<Entry>::iterator, Hash> places_;
};

}  // namespace npuwh::prof

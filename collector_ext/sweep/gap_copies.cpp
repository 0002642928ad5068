#include "sweep/gap_copies.hpp"

#include <algorithm>

namespace npuwh {

void GapCopies::add(std::int64_t start, std::int64_t end, std::int64_t gap_start) {
    if (end <= start || end <= gap_start) {
        return;
    }
    const auto ended = std::partition(open_.begin(), open_.end(), [start](const auto& copy) { return copy.second > start; });
    ended_ += open_.end() - ended;
    open_.erase(ended, open_.end());
    open_.emplace_back(start, end);

    const std::int64_t from = std::max(start, gap_start);
    if (from > stretch_end_ || stretch_start_ == stretch_end_) {
        ns_ += stretch_end_ - stretch_start_;
        stretch_start_ = from;
        stretch_end_ = end;
    } else {
        stretch_end_ = std::max(stretch_end_, end);
    }
}

GapCopies::Sums GapCopies::until(std::int64_t gap_end) const {
    const auto begun = std::count_if(open_.begin(), open_.end(), [gap_end](const auto& copy) { return copy.first < gap_end; });
    return {ended_ + begun, ns_ + std::max<std::int64_t>(std::min(stretch_end_, gap_end) - stretch_start_, 0)};
}

void GapCopies::begin(std::int64_t gap_start) {
    open_.erase(std::remove_if(open_.begin(), open_.end(), [gap_start](const auto& copy) { return copy.second <= gap_start; }),
                open_.end());
    ended_ = 0;
    ns_ = 0;
    stretch_start_ = stretch_end_ = gap_start;
    for (const auto& copy : open_) {
        stretch_end_ = std::max(stretch_end_, copy.second);
    }
}

}  // namespace npuwh

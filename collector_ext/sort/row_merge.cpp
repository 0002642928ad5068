#include "sort/row_merge.hpp"

#include <algorithm>
#include <utility>

namespace npuwh::sort {
namespace {

constexpr std::size_t kWindow = 512;  // rows whose keys are unpacked at a time

}  // namespace

std::size_t gather(const std::vector<Segment>& segments, std::size_t rows, std::size_t column, std::vector<std::int64_t>& values,
                   std::vector<std::uint8_t>& validity) {
    values.resize(rows);
    validity.clear();
    std::size_t nulls = 0;
    std::size_t place = 0;
    for (const Segment& segment : segments) {
        segment.columns->copy_values(column, segment.first, segment.count, values.data() + place);
        if (segment.columns->form(column).nulls > 0) {
            if (validity.empty()) {
                validity.assign((rows + 7) / 8, 0xFF);
            }
            for (std::size_t row = 0; row < segment.count; ++row) {
                if (segment.columns->is_null(column, segment.first + row)) {
                    std::uint8_t& byte = validity[(place + row) / 8];
                    byte = static_cast<std::uint8_t>(byte & ~(1U << ((place + row) % 8)));
                    ++nulls;
                }
            }
        }
        place += segment.count;
    }
    if (nulls == 0) {
        validity.clear();
    }
    return nulls;
}

// Stands on a row of a run.
class RowMerge::Cursor {
public:
    Cursor(const SortedRun& run, std::size_t number, const std::vector<Key>& keys, const Load& load)
        : run_(run), number_(number), keys_(keys), load_(load), window_(keys.size() * kWindow) {}

    bool open() { return next_piece(); }

    // Rows from here on whose keys are at hand; at least one.
    std::size_t at_hand() const { return window_rows_ - at_; }

    // Whether the row so far behind this one comes before the other's.
    bool is_before(std::size_t behind, const Cursor& other) const {
        for (std::size_t key = 0; key < keys_.size(); ++key) {
            const std::int64_t mine = window_[key * kWindow + at_ + behind];
            const std::int64_t theirs = other.window_[key * kWindow + other.at_];
            if (mine != theirs) {
                return mine < theirs;
            }
        }
        return number_ < other.number_;
    }

    // Rows at hand that come before the other's, if the first does.
    std::size_t count_before(const Cursor& other) const {
        std::size_t known = 0;  // comes before
        std::size_t step = 1;
        std::size_t bound = at_hand();
        if (is_before(bound - 1, other)) {
            return bound;
        }
        while (known + step < bound && is_before(known + step, other)) {
            known += step;
            step *= 2;
        }
        bound = std::min(bound, known + step);
        while (known + 1 < bound) {
            const std::size_t middle = known + (bound - known) / 2;
            (is_before(middle, other) ? known : bound) = middle;
        }
        return known + 1;
    }

    // The first keys of the row so far behind this one.
    void copy_keys(std::size_t behind, std::vector<std::int64_t>& out) const {
        for (std::size_t key = 0; key < out.size(); ++key) {
            out[key] = window_[key * kWindow + at_ + behind];
        }
    }

    // Rows at hand that begin with these keys.
    std::size_t count_equal(const std::vector<std::int64_t>& first_keys) const {
        std::size_t count = at_hand();
        for (std::size_t key = 0; key < first_keys.size(); ++key) {
            const std::int64_t* const values = window_.data() + key * kWindow + at_;
            count = static_cast<std::size_t>(std::find_if(values, values + count, [&](std::int64_t value) { return value != first_keys[key]; }) - values);
        }
        return count;
    }

    // Rows at hand whose first keys are before these, or equal them if `inclusive`.
    std::size_t count_below(const std::vector<std::int64_t>& bound, bool inclusive) const {
        const auto is_below = [&](std::size_t behind) {
            for (std::size_t key = 0; key < bound.size(); ++key) {
                const std::int64_t value = window_[key * kWindow + at_ + behind];
                if (value != bound[key]) {
                    return value < bound[key];
                }
            }
            return inclusive;
        };
        std::size_t low = 0;
        for (std::size_t high = at_hand(); low < high;) {
            const std::size_t middle = low + (high - low) / 2;
            if (is_below(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    void add_to(std::vector<Segment>& segments, std::size_t count) const {
        if (!segments.empty() && segments.back().columns == columns_ && segments.back().first + segments.back().count == window_first_ + at_) {
            segments.back().count += count;
        } else {
            segments.push_back({columns_, window_first_ + at_, count});
        }
    }

    // False at the end of the run.
    bool advance(std::size_t count) {
        at_ += count;
        if (at_ < window_rows_) {
            return true;
        }
        if (window_first_ + window_rows_ < columns_->rows()) {
            fill(window_first_ + window_rows_);
            return true;
        }
        return next_piece();
    }

private:
    bool next_piece() {
        columns_.reset();
        if (piece_ == run_.pieces.size()) {
            return false;
        }
        columns_ = load_(run_.pieces[piece_++]);
        fill(0);
        return true;
    }

    void fill(std::size_t first) {
        window_first_ = first;
        window_rows_ = std::min(kWindow, columns_->rows() - first);
        at_ = 0;
        for (std::size_t key = 0; key < keys_.size(); ++key) {
            std::int64_t* const values = window_.data() + key * kWindow;
            columns_->copy_values(keys_[key].column, first, window_rows_, values);
            if (keys_[key].is_falling) {
                std::transform(values, values + window_rows_, values, [](std::int64_t value) { return ~value; });
            }
        }
    }

    const SortedRun& run_;
    const std::size_t number_;
    const std::vector<Key>& keys_;
    const Load& load_;
    std::size_t piece_ = 0;
    SharedColumns columns_;
    std::vector<std::int64_t> window_;  // a key after the other
    std::size_t window_first_ = 0;
    std::size_t window_rows_ = 0;
    std::size_t at_ = 0;
};

RowMerge::RowMerge(const std::vector<const SortedRun*>& runs, const std::vector<Key>& keys, Load load) : load_(std::move(load)) {
    for (std::size_t number = 0; number < runs.size(); ++number) {
        auto cursor = std::make_unique<Cursor>(*runs[number], number, keys, load_);
        if (cursor->open()) {
            heap_.push_back(std::move(cursor));
        }
    }
    for (std::size_t place = heap_.size(); place > 0; --place) {
        sink(place - 1);
    }
}

RowMerge::~RowMerge() = default;

void RowMerge::sink(std::size_t place) {
    for (;;) {
        std::size_t least = place;
        for (const std::size_t child : {2 * place + 1, 2 * place + 2}) {
            if (child < heap_.size() && heap_[child]->is_before(0, *heap_[least])) {
                least = child;
            }
        }
        if (least == place) {
            return;
        }
        std::swap(heap_[place], heap_[least]);
        place = least;
    }
}

// Rows of the first cursor that come before those of the others.
std::size_t RowMerge::count_first() const {
    if (heap_.size() == 1) {
        return heap_.front()->at_hand();
    }
    const std::size_t second = heap_.size() > 2 && heap_[2]->is_before(0, *heap_[1]) ? 2 : 1;
    return heap_.front()->count_before(*heap_[second]);
}

std::size_t RowMerge::take(std::size_t most, std::vector<Segment>& segments) {
    const std::size_t count = std::min(count_first(), most);
    heap_.front()->add_to(segments, count);
    return count;
}

void RowMerge::advance(std::size_t count) {
    if (!heap_.front()->advance(count)) {
        std::swap(heap_.front(), heap_.back());
        heap_.pop_back();
    }
    sink(0);
}

std::size_t RowMerge::next(std::size_t most, std::size_t together, std::vector<Segment>& segments) {
    segments.clear();
    std::size_t rows = 0;
    std::vector<std::int64_t> last(together);
    while (rows < most && !heap_.empty()) {
        const std::size_t count = take(most - rows, segments);
        heap_.front()->copy_keys(count - 1, last);
        rows += count;
        advance(count);
    }
    while (together > 0 && !heap_.empty()) {
        const std::size_t equal = heap_.front()->count_equal(last);
        if (equal == 0) {
            break;
        }
        const std::size_t count = take(equal, segments);
        rows += count;
        advance(count);
    }
    return rows;
}

std::size_t RowMerge::next_until(const std::vector<std::int64_t>& last, std::vector<Segment>& segments) {
    segments.clear();
    std::size_t rows = 0;
    while (!heap_.empty()) {
        const std::size_t below = heap_.front()->count_below(last, true);
        if (below == 0) {
            break;
        }
        const std::size_t count = take(below, segments);
        rows += count;
        advance(count);
    }
    return rows;
}

void RowMerge::skip_before(const std::vector<std::int64_t>& first) {
    while (!heap_.empty()) {
        const std::size_t below = heap_.front()->count_below(first, false);
        if (below == 0) {
            break;
        }
        advance(std::min(below, count_first()));
    }
}

}  // namespace npuwh::sort

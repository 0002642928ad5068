#include "sqlite_rows/section_reader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sqlite_rows/refused.hpp"

namespace npuwh::sqlite_rows {
namespace {

constexpr std::size_t kMemory = std::size_t{8} << 20;  // for the remembered texts of a section
constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

}  // namespace

SectionReader::SectionReader(Connection& connection, const Section& section, const RowLanes* rows, const SliceLanes& slices,
                             ThreadSet& threads)
    : section_(section), lanes_(rows), threads_(threads) {
    if (section.ties.size() > kMostArguments || (section.arms.size() > 1 && (!section.order_slot || section.is_fed))) {
        throw Refused("a section has no order, or one of too many columns");
    }
    for (const auto& each : section.arms) {
        Arm arm{Statement(connection, each.statement), std::nullopt, std::nullopt, std::nullopt};
        if (section.shape == Shape::flows) {
            arm.flows.emplace(each, slices);
        } else {
            arm.text.emplace(connection, each, section.shape, kMemory / section.arms.size());
        }
        const std::size_t before = section.is_ranged ? 2 : 0;
        for (std::size_t place = 0; place < each.values.size(); ++place) {
            arm.statement.bind(before + place, each.values[place]);
        }
        arms_.push_back(std::move(arm));
    }
}

RangeRead SectionReader::read(std::size_t range, TextBuffer& text, std::size_t bytes, const std::function<void()>& is_long) {
    read_ = RangeRead();
    tied_.clear();
    most_bytes_ = bytes;
    is_long_ = &is_long;
    for (Arm& arm : arms_) {
        arm.statement.reset();
        if (section_.is_ranged) {
            const auto& bounds = section_.bounds;
            arm.statement.bind(0, range == 0 ? section_.first : bounds[range - 1]);
            arm.statement.bind(1, range == bounds.size() ? section_.last : bounds[range] - 1);
        }
    }
    if (section_.is_fed) {
        Arm& arm = arms_.front();
        arm.statement.feed([&](const Row& row) { take(text, arm, row, place_of(row)); });
    } else {
        for (Arm& arm : arms_) {
            arm.next.reset();
            step(arm);
        }
        for (Arm* arm = first_arm(); arm != nullptr; arm = first_arm()) {
            take(text, *arm, arm->statement.row(), *arm->next);
            step(*arm);
        }
    }
    sort_tied(text);
    return read_;
}

std::int64_t SectionReader::place_of(const Row& row) const {
    return section_.order_slot ? integer_in(row, *section_.order_slot) : 0;
}

void SectionReader::step(Arm& arm) {
    if (arm.statement.step()) {
        arm.next = section_.order_slot ? place_of(arm.statement.row()) : 0;
    } else {
        arm.next.reset();
    }
}

SectionReader::Arm* SectionReader::first_arm() {
    Arm* first = nullptr;
    for (Arm& arm : arms_) {
        if (arm.next && (first == nullptr || *arm.next < *first->next)) {
            first = &arm;
        }
    }
    return first;
}

void SectionReader::take(TextBuffer& text, Arm& arm, const Row& row, std::int64_t place) {
    if (!read_.places) {
        read_.places = {place, place};
    } else if (place < read_.places->second) {
        throw OutOfOrder("rows do not come in their order");
    } else if (place > read_.places->second) {
        sort_tied(text);
        read_.places->second = place;
    }
    if (text.size() >= most_bytes_ && tied_.empty()) {
        (*is_long_)();
    }
    append_row(text, arm, row);
}

void SectionReader::append_row(TextBuffer& text, Arm& arm, const Row& row) {
    const std::size_t begin = text.size();
    if (arm.flows) {
        arm.flows->append(text, row);
        read_.rows += 2;
    } else {
        const std::int64_t lane = lane_of(row);
        arm.text->append(text, row, lane);
        ++read_.rows;
        if (section_.process_slot) {
            threads_.add(integer_in(row, *section_.process_slot),
                         section_.thread_slot ? integer_in(row, *section_.thread_slot) + lane : kNone);
        }
    }
    if (!section_.ties.empty()) {
        Tied tied{{}, begin, text.size()};
        for (std::size_t key = 0; key < section_.ties.size(); ++key) {
            tied.keys[key] = integer_in(row, section_.ties[key].slot);
        }
        tied_.push_back(tied);
    }
}

std::int64_t SectionReader::lane_of(const Row& row) const {
    if (lanes_ == nullptr || lanes_->empty()) {
        return 0;
    }
    const auto found = lanes_->find(integer_in(row, section_.lane_slot));
    return found == lanes_->end() ? 0 : found->second;
}

bool SectionReader::comes_before(const Tied& one, const Tied& other) const {
    for (std::size_t key = 0; key < section_.ties.size(); ++key) {
        if (one.keys[key] != other.keys[key]) {
            return section_.ties[key].is_descending == (one.keys[key] > other.keys[key]);
        }
    }
    return false;
}

void SectionReader::sort_tied(TextBuffer& text) {
    const auto before = [this](const Tied& one, const Tied& other) { return comes_before(one, other); };
    if (tied_.size() > 1 && !std::is_sorted(tied_.begin(), tied_.end(), before)) {
        const std::size_t begin = tied_.front().begin;
        std::stable_sort(tied_.begin(), tied_.end(), before);
        sorted_.clear();
        for (const Tied& each : tied_) {
            sorted_.append(text.data() + each.begin, each.end - each.begin);
        }
        text.cut(begin);
        text += sorted_.view();
    }
    tied_.clear();
}

}  // namespace npuwh::sqlite_rows

#include "sweep/work_order.hpp"

#include <algorithm>
#include <cstring>

#include "sweep/intervals.hpp"

namespace npuwh {
namespace {

constexpr std::size_t kBlockRows = 512;
constexpr std::size_t kWidth = sizeof(Work) / sizeof(std::int64_t);

bool comes_before(const Work& one, const Work& other) {
    return one.op > other.op || (one.op == other.op && one.kernel > other.kernel);
}

bool is_same(const Work& one, const Work& other) {
    return one.op == other.op && one.kernel == other.kernel;
}

}  // namespace

void Work::add(const Work& other) {
    count += other.count;
    device = saturating_sum(device, other.device);
    longest = std::max(longest, other.longest);
    vendor = saturating_sum(vendor, other.vendor);
    ai_core = saturating_sum(ai_core, other.ai_core);
    communication = saturating_sum(communication, other.communication);
}

WorkOrder::WorkOrder(std::size_t most_held, sqlite_file::SpillFile& file)
    : most_held_(std::max<std::size_t>(most_held, 2)), rows_(kWidth, kBlockRows, file) {}

void WorkOrder::add(const Work& work) {
    if (!held_.empty() && is_same(held_.back(), work)) {
        held_.back().add(work);
        return;
    }
    if (held_.size() == most_held_) {
        sort_held();
        if (held_.size() > most_held_ / 2) {
            write_run();
        }
    }
    held_.push_back(work);
}

void WorkOrder::sort_held() {
    std::sort(held_.begin(), held_.end(), comes_before);
    std::size_t kept = 0;
    for (const Work& work : held_) {
        if (kept > 0 && is_same(held_[kept - 1], work)) {
            held_[kept - 1].add(work);
        } else {
            held_[kept++] = work;
        }
    }
    held_.resize(kept);
}

void WorkOrder::write_run() {
    const std::size_t first = rows_.blocks();
    for (const Work& work : held_) {
        std::int64_t row[kWidth];
        std::memcpy(row, &work, sizeof(work));
        rows_.add(row);
    }
    rows_.close_block();
    runs_.push_back({first, rows_.blocks(), {}, 0});
    held_.clear();
}

void WorkOrder::finish() {
    sort_held();
    if (!held_.empty()) {  // the last run stays where it is
        runs_.push_back({0, 0, std::move(held_), 0});
        held_ = {};
    }
    for (std::size_t run = 0; run < runs_.size(); ++run) {
        if (fill(runs_[run])) {
            heap_.push_back(run);
        }
    }
    const auto comes_later = [this](std::size_t a, std::size_t b) {
        return comes_before(runs_[b].works[runs_[b].place], runs_[a].works[runs_[a].place]);
    };
    std::make_heap(heap_.begin(), heap_.end(), comes_later);
    is_done_ = false;
    next();
}

bool WorkOrder::fill(Run& run) const {
    if (run.place < run.works.size()) {
        return true;
    }
    if (run.block == run.end) {
        return false;
    }
    const Column values = rows_.read(run.block++);
    run.works.resize(values.size() / kWidth);
    std::memcpy(run.works.data(), values.data(), values.size() * sizeof(std::int64_t));
    run.place = 0;
    return true;
}

void WorkOrder::next() {
    const auto comes_later = [this](std::size_t a, std::size_t b) {
        return comes_before(runs_[b].works[runs_[b].place], runs_[a].works[runs_[a].place]);
    };
    is_done_ = heap_.empty();
    bool is_first = true;
    while (!heap_.empty()) {
        Run& run = runs_[heap_.front()];
        const Work& work = run.works[run.place];
        if (is_first) {
            top_ = work;
            is_first = false;
        } else if (is_same(top_, work)) {
            top_.add(work);
        } else {
            return;
        }
        std::pop_heap(heap_.begin(), heap_.end(), comes_later);
        ++run.place;
        if (fill(run)) {
            std::push_heap(heap_.begin(), heap_.end(), comes_later);
        } else {
            heap_.pop_back();
        }
    }
}

}  // namespace npuwh

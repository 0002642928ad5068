#include "torch/module_filter.hpp"

#include <ATen/SequenceNumber.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_map>

namespace npuwh::torch_observer::module_filter {

std::atomic<bool> is_used{false};
__attribute__((tls_model("initial-exec"))) thread_local uint32_t open_modules = 0;

namespace {

__attribute__((tls_model("initial-exec"))) thread_local uint64_t first_sequence = 0;

// Sequence numbers that a forward call gave out; numbers of a thread ascend.
struct Range {
    uint64_t first;
    uint64_t last;  // exclusive
};
constexpr size_t kMostRanges = 1 << 16;  // a thread; nodes of older calls were run or never will be

std::mutex mutex;
std::unordered_map<uint64_t, std::deque<Range>> ranges;  // by the number that torch gives the forward thread

}  // namespace

void enter() {
    if (open_modules++ == 0) first_sequence = at::sequence_number::peek();
}

void leave() {
    if (open_modules == 0 || --open_modules != 0) return;
    const uint64_t last = at::sequence_number::peek();
    if (last <= first_sequence) return;
    const std::lock_guard<std::mutex> lock(mutex);
    auto& own = ranges[at::RecordFunction::currentThreadId()];
    own.push_back({first_sequence, last});
    if (own.size() > kMostRanges) own.pop_front();
}

bool is_of_module(const at::RecordFunction& function) {
    if (function.scope() != at::RecordScope::BACKWARD_FUNCTION || function.seqNr() < 0) return false;
    const auto sequence = static_cast<uint64_t>(function.seqNr());
    const std::lock_guard<std::mutex> lock(mutex);
    const auto own = ranges.find(function.forwardThreadId());
    if (own == ranges.end()) return false;
    const auto after = std::upper_bound(own->second.begin(), own->second.end(), sequence,
                                        [](uint64_t number, const Range& range) { return number < range.first; });
    return after != own->second.begin() && sequence < std::prev(after)->last;
}

void forget() {
    const std::lock_guard<std::mutex> lock(mutex);
    ranges.clear();
}

}  // namespace npuwh::torch_observer::module_filter

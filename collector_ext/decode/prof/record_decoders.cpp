#include "decode/prof/record_decoders.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "decode/prof/host_layouts.hpp"
#include "decode/prof/prof_faults.hpp"

namespace npuwh::prof {

// --- records -------------------------------------------------------------------------------------

RecordsDecoder::RecordsDecoder(const ProfInput& input, const StreamFormat& format)
    : ProfDecoder(input), format_(format), source_(stream(), format) {
    tables_.reserve(format.layout_count());
    for (std::size_t index = 0; index < format.layout_count(); ++index) {
        tables_.emplace_back(*format.layouts[index], strings(), tensors(), input.collection.is_expanded);
    }
}

bool RecordsDecoder::work() {
    bool is_over = false;
    while (!is_over) {
        const std::uint8_t* const record = source_.next();
        if (record == nullptr) {
            take_rest();
            break;
        }
        const Selected selected = format_.select == nullptr ? Selected{} : format_.select(record);
        if (selected.fault != nullptr) {
            stream().reject(source_.size(), *selected.fault);
            continue;
        }
        if (!tables_[selected.layout].has_good_counts(record)) {
            stream().reject(source_.size(), fault::kBadCount);
            continue;
        }
        take_record(selected.layout, record);
        is_over = std::any_of(tables_.begin(), tables_.end(), [this](const LayoutRows& table) { return is_full(table.rows()); });
    }
    for (LayoutRows& table : tables_) {
        if (!is_over || is_full(table.rows())) {
            hand_over(table.layout().name, table.take());
        }
    }
    return is_over;
}

void RecordsDecoder::take_record(std::size_t layout, const std::uint8_t* record) {
    tables_[layout].add(record, stream());
    stream().accept(source_.size());
}

// --- API calls -----------------------------------------------------------------------------------
namespace {

constexpr std::size_t kApiLayout = 0;
constexpr std::size_t kEventLayout = 1;
constexpr std::size_t kRequestOffset = 12;
constexpr std::size_t kStartOffset = 16;
constexpr std::size_t kEndOffset = 24;
constexpr std::size_t kItemOffset = 32;
constexpr std::uint32_t kStandsAlone = 0xFFFF;
constexpr std::uint64_t kIsEvent = UINT64_MAX;

}  // namespace

std::size_t ApiDecoder::KeyHash::operator()(const Key& key) const {
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(key.data()), key.size()});
}

void ApiDecoder::take_record(std::size_t /*layout*/, const std::uint8_t* record) {
    if (load_le<std::uint64_t>(record + kEndOffset) != kIsEvent) {
        if (load_le<std::uint64_t>(record + kStartOffset) == 0) {
            stream().reject(kApiSize, fault::kNoStart);
            return;
        }
        rows_of(kApiLayout).add(record, stream());
        stream().accept(kApiSize);
        return;
    }
    Record event;
    std::copy(record, record + kApiSize, event.begin());
    if (load_le<std::uint32_t>(record + kRequestOffset) == kStandsAlone) {
        rows_of(kEventLayout).add(event.data(), stream());
        stream().accept(kApiSize);
        return;
    }
    Key key;  // level, type, thread, request, item: all but the magic number and the times
    std::copy(event.begin(), event.begin() + kStartOffset, key.begin());
    std::copy(event.begin() + kItemOffset, event.end(), key.begin() + kStartOffset);
    if (const Record* const start = open_.find(key)) {
        Record interval = *start;
        std::copy(event.begin() + kStartOffset, event.begin() + kEndOffset, interval.begin() + kEndOffset);
        open_.erase(key);
        rows_of(kApiLayout).add(interval.data(), stream());
    } else {
        if (open_.size() >= limits().open) {
            stream().note(fault::kTooManyOpen);
            add_lone(open_.oldest().second);
            open_.erase(Key(open_.oldest().first));
        }
        open_.add(key, event);
    }
    stream().accept(kApiSize);
}

void ApiDecoder::add_lone(const Record& record) {
    rows_of(kEventLayout).add(record.data(), stream());
    stream().note(fault::kLoneEvent);
}

void ApiDecoder::take_rest() {
    for (const auto& [key, record] : open_) {
        add_lone(record);
    }
    open_.clear();
}

// --- tensors -------------------------------------------------------------------------------------
namespace {

constexpr std::size_t kThreadOffset = 8;
constexpr std::size_t kTimeOffset = 16;
constexpr std::size_t kOpNameOffset = 24;
constexpr std::size_t kTensorCountOffset = 32;
constexpr std::size_t kTensorsOffset = 36;

}  // namespace

void TensorDecoder::take_record(std::size_t /*layout*/, const std::uint8_t* record) {
    const auto thread_no = load_le<std::uint32_t>(record + kThreadOffset);
    const auto time = load_le<std::uint64_t>(record + kTimeOffset);
    Thread* thread = open_.find(thread_no);
    if (thread == nullptr) {
        if (open_.size() >= limits().open) {
            take_rest();
        }
        thread = &open_.add(thread_no, Thread{time, {}});
    } else if (thread->time != time || thread->operators.size() >= kMostOps) {
        finish(*thread);
        thread->time = time;
    }
    const std::string_view tensors(reinterpret_cast<const char*>(record) + kTensorsOffset,
                                   load_le<std::uint32_t>(record + kTensorCountOffset) * kTensorSize);
    const auto known = std::find_if(thread->operators.begin(), thread->operators.end(), [&](const Operator& one) {
        return std::memcmp(one.head.data() + kOpNameOffset, record + kOpNameOffset, sizeof(std::uint64_t)) == 0 &&
               one.tensors.size() + tensors.size() <= kMostTensors * kTensorSize;
    });
    if (known == thread->operators.end()) {
        Operator& added = thread->operators.emplace_back();
        std::copy(record, record + kTensorsOffset, added.head.begin());
        added.tensors = tensors;
    } else {
        known->tensors += tensors;
    }
    open_bytes_ += tensors.size();
    stream().accept(kAdditionalSize);
    if (open_bytes_ > limits().bytes) {
        take_rest();
    }
}

void TensorDecoder::finish(Thread& thread) {
    for (Operator& one : thread.operators) {
        const auto count = static_cast<std::uint32_t>(one.tensors.size() / kTensorSize);
        std::memcpy(one.head.data() + kTensorCountOffset, &count, sizeof count);
        rows_of(0).add_with_tensors(one.head.data(), one.tensors, stream());
        open_bytes_ -= one.tensors.size();
    }
    thread.operators.clear();
}

void TensorDecoder::take_rest() {
    for (auto& [number, thread] : open_) {
        finish(thread);
    }
    open_.clear();
}

// --- capture_op_info of varying size -------------------------------------------------------------
namespace {

constexpr std::size_t kFixedPart = 88;
constexpr std::size_t kFixedData = kFixedPart - kHeadSize;
constexpr std::size_t kDataSizeOffset = 12;
constexpr std::size_t kCaptureTensorCountOffset = 84;
constexpr std::size_t kScan = std::size_t{64} << 10;

// Bytes of the record that begins with these kFixedPart bytes, by what its head says; 0 if it is no head.
std::size_t told_size(const std::uint8_t* record) {
    const std::size_t data_size = load_le<std::uint32_t>(record + kDataSizeOffset);
    return is_host_record(record) && data_size >= kFixedData ? kHeadSize + data_size : 0;
}

// Whether its number of tensors is that of its size.
bool is_record(const std::uint8_t* record) {
    const std::size_t tensors = load_le<std::uint32_t>(record + kCaptureTensorCountOffset);
    return tensors <= kCaptureOpInfoVariable.tensors.most && told_size(record) == kFixedPart + tensors * kTensorSize;
}

}  // namespace

VariableDecoder::VariableDecoder(const ProfInput& input, const StreamFormat& format)
    : ProfDecoder(input),
      format_(format),
      rows_(*format.layouts[0], strings(), tensors(), input.collection.is_expanded) {}

// Rejects bytes up to the next record, or all of the window if none begins there.
void VariableDecoder::find_next() {
    const ByteWindow window = stream().look(kScan + kFixedPart);
    const bool is_last = window.size() < kScan + kFixedPart;
    const std::size_t end = is_last ? window.size() : kScan;
    for (std::size_t at = is_lost_ ? 0 : 1; at < end && window.holds(at, kFixedPart); ++at) {
        if (is_record(window.data() + at)) {
            stream().reject(at, fault::kDamagedRecord);
            is_lost_ = false;
            return;
        }
    }
    stream().reject(end, fault::kDamagedRecord);
    is_lost_ = true;
}

bool VariableDecoder::work() {
    bool is_over = false;
    while (!is_over) {
        const ByteWindow head = stream().look(kFixedPart);
        if (head.size() < kFixedPart) {
            stream().reject(head.size(), fault::kTruncatedTail);
            break;
        }
        if (is_lost_ || told_size(head.data()) == 0) {
            find_next();
            continue;
        }
        const std::size_t size = told_size(head.data());
        const bool is_good = is_record(head.data());
        const ByteWindow window = stream().look(std::min(size + kFixedPart, SliceStream::kLongestLook));
        if (!is_good) {
            // its size is right if another record or the end follows it
            const bool is_followed = window.size() == size || (window.holds(size, kFixedPart) && is_record(window.data() + size));
            if (is_followed) {
                stream().reject(size, fault::kBadSize);
            } else {
                find_next();
            }
            continue;
        }
        if (window.size() < size) {
            stream().reject(window.size(), fault::kTruncatedTail);
            break;
        }
        const Selected selected = format_.select(window.data());
        if (selected.fault != nullptr) {
            stream().reject(size, *selected.fault);
            continue;
        }
        rows_.add(window.data(), stream());
        stream().accept(size);
        is_over = is_full(rows_.rows());
    }
    hand_over(rows_.layout().name, rows_.take());
    return is_over;
}

}  // namespace npuwh::prof

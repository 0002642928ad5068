#include "decode/framework/tlv_records.hpp"

#include <algorithm>

namespace npuwh {
namespace {

constexpr std::size_t kScan = std::size_t{64} << 10;

std::size_t length_at(const std::uint8_t* header) { return load_le<std::uint32_t>(header + 2); }

}  // namespace

// Reads the nested texts of the record at the window's start, whose bytes the window holds.
TlvRecords::Fit TlvRecords::fit(const ByteWindow& window, TlvRecord& record) {
    const std::size_t end = TlvRecords::kHeader + length_at(window.data());
    if (end < kHeader + shape_.fixed_bytes) {
        return Fit::none;
    }
    const std::uint8_t* const data = window.data();
    record.value_ = data + kHeader;
    record.present_ = 0;
    unknown_tags_ = 0;
    std::size_t at = kHeader + shape_.fixed_bytes;
    for (unsigned nested = 0; at < end; ++nested) {
        if (end - at < kHeader || length_at(data + at) > end - at - kHeader || nested == kMostNested) {
            return Fit::loose;
        }
        const std::size_t bytes = length_at(data + at);
        const unsigned tag = load_le<std::uint16_t>(data + at);
        if (tag < TlvRecord::kTags && (shape_.known_tags >> tag & 1U) != 0) {
            record.texts_[tag] = {reinterpret_cast<const char*>(data + at + kHeader), bytes};
            record.present_ |= 1U << tag;
        } else {
            ++unknown_tags_;
        }
        at += kHeader + bytes;
    }
    return Fit::exact;
}

bool TlvRecords::next(TlvRecord& record) {
    for (;;) {
        const ByteWindow header = stream_.look(kHeader);
        if (header.size() < kHeader) {
            stream_.reject(header.size(), fault::kTruncatedTail);
            return false;
        }
        const bool is_type = header.field<std::uint16_t>(0) == shape_.type;
        const std::size_t length = length_at(header.data());
        if (length > kLongestValue || length > stream_.bytes_left() - kHeader) {
            find_next(is_type && length > stream_.bytes_left() - kHeader ? fault::kTruncatedTail : fault::kDamagedRecord);
            continue;
        }
        const ByteWindow window = stream_.look(2 * kHeader + length);
        if (window.size() < kHeader + length) {
            continue;  // the file became shorter
        }
        record_bytes_ = kHeader + length;
        const Fit found = fit(window, record);
        if (found != Fit::exact && !may_begin(window, record_bytes_)) {
            find_next(fault::kDamagedRecord);
            continue;
        }
        if (found == Fit::none) {
            reject(fault::kShortRecord);
            continue;
        }
        if (found == Fit::loose) {
            stream_.note(fault::kNestedCut);
        }
        if (!is_type) {
            stream_.note(fault::kWrongType);
        }
        if (unknown_tags_ > 0) {
            stream_.note(fault::kUnknownTag, unknown_tags_);
        }
        return true;
    }
}

// Could a record begin there, or the file end?
bool TlvRecords::may_begin(const ByteWindow& window, std::size_t offset) const {
    const std::size_t left = window.size() - offset;
    if (left < kHeader) {
        const std::uint8_t type[2] = {static_cast<std::uint8_t>(shape_.type & 0xFFU), static_cast<std::uint8_t>(shape_.type >> 8)};
        return std::equal(type, type + std::min<std::size_t>(left, 2), window.data() + offset);
    }
    const std::size_t length = length_at(window.data() + offset);
    return window.field<std::uint16_t>(offset) == shape_.type && length >= shape_.fixed_bytes && length <= kLongestValue;
}

// After damage only what a writer makes is believed: known tags in ascending order that fill the record, at least one where the file
// has texts.
bool TlvRecords::is_exact(const ByteWindow& record) const {
    std::size_t at = kHeader + shape_.fixed_bytes;
    unsigned previous = 0;
    while (at < record.size()) {
        if (record.size() - at < kHeader) {
            return false;
        }
        const unsigned tag = record.field<std::uint16_t>(at);
        const std::size_t bytes = length_at(record.data() + at);
        if (tag <= previous || tag >= TlvRecord::kTags || (shape_.known_tags >> tag & 1U) == 0 ||
            bytes > record.size() - at - kHeader) {
            return false;
        }
        previous = tag;
        at += kHeader + bytes;
    }
    return previous > 0 || shape_.known_tags == 0;
}

// Offset of the first whole record at or after `from` in the next kScan bytes; kScan if there is none.
std::size_t TlvRecords::find_in_window(std::size_t from) {
    ByteWindow window = stream_.look(kScan + kHeader);
    for (std::size_t at = from; at < kScan && at + kHeader + shape_.fixed_bytes <= window.size(); ++at) {
        const std::uint8_t* const header = window.data() + at;
        if (load_le<std::uint16_t>(header) != shape_.type) {
            continue;
        }
        const std::size_t length = length_at(header);
        if (length < shape_.fixed_bytes || length > kLongestFound || (shape_.known_tags == 0 && length > shape_.fixed_bytes)) {
            continue;
        }
        const std::size_t end = at + kHeader + length;
        window = stream_.look(end + kHeader);
        if (window.size() >= end && is_exact(window.part(at, kHeader + length)) && may_begin(window, end)) {
            return at;
        }
    }
    return kScan;
}

// Rejects the bytes up to the next whole record, or all that are left.
void TlvRecords::find_next(const FaultKind& kind_at_end) {
    for (bool is_first = true;; is_first = false) {
        const std::size_t at = find_in_window(is_first ? 1 : 0);
        const bool is_end = at == kScan && stream_.bytes_left() <= kScan;
        stream_.reject(at, is_end ? kind_at_end : fault::kDamagedRecord, is_first ? 1 : 0, is_first || is_end ? 1 : 0);
        if (at < kScan || is_end) {
            return;
        }
    }
}

}  // namespace npuwh

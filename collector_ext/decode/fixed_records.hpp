// Records of one size, found again after damage.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "decode/slice_stream.hpp"

namespace npuwh {

struct AnyNeighbours {
    bool operator()(const std::uint8_t* /*record*/, const std::uint8_t* /*next*/) const { return true; }
};

// `is_valid(record)` says whether record_size bytes can be a record: a magic number, a type in range.  Bytes that are none are rejected
// until the next ones that are: one record in step with those before it, or kConfirm in a row out of step (bytes were lost or put in),
// and records that follow each other must be are_neighbours(record, next), where is_valid alone is weak.
//
//     while (const std::uint8_t* record = records.next()) {
//         ...
//         stream.accept(records.size());  // or stream.reject(records.size(), kMyFault)
//     }
template <class IsValid, class AreNeighbours = AnyNeighbours>
class FixedRecords {
public:
    static constexpr std::size_t kConfirm = 3;

    FixedRecords(SliceStream& stream, std::size_t record_size, IsValid is_valid, AreNeighbours are_neighbours = {})
        : stream_(stream), record_size_(record_size), is_valid_(is_valid), are_neighbours_(are_neighbours) {}

    std::size_t size() const { return record_size_; }

    // The next valid record, or null at the end.  The caller must accept or reject it before the next call.
    const std::uint8_t* next() {
        for (;;) {
            const ByteWindow window = stream_.look(record_size_);
            if (window.size() < record_size_) {
                stream_.reject(window.size(), fault::kTruncatedTail);
                return nullptr;
            }
            if (!is_lost_ && is_valid_(window.data())) {
                if constexpr (kHasNeighbours) {
                    last_.assign(window.data(), window.data() + record_size_);
                }
                return window.data();
            }
            find_next();
        }
    }

private:
    static constexpr std::size_t kScan = std::size_t{64} << 10;
    static constexpr bool kHasNeighbours = !std::is_same_v<AreNeighbours, AnyNeighbours>;

    // Rejects bytes up to the next record, or all of the window if it has none.
    void find_next() {
        const ByteWindow window = stream_.look(kScan + kConfirm * record_size_);
        if (!is_lost_ && window.size() >= 2 * record_size_ && is_likely(window, record_size_) && goes_with_last(window, record_size_)) {
            found(record_size_);  // by far the most likely: one record is damaged, nothing was lost
            return;
        }
        // rather such as go with the last good record, which may be damaged itself; rather such as are in step
        const bool is_found = (kHasNeighbours && !last_.empty() && find_in(window, [&](std::size_t at) {
                                  return (is_in_step(at) ? is_likely(window, at) : is_confirmed(window, at)) && goes_with_last(window, at);
                              })) ||
                              (kHasNeighbours && find_in(window, [&](std::size_t at) { return is_in_step(at) && is_likely(window, at); })) ||
                              find_in(window, [&](std::size_t at) { return is_in_step(at) ? is_likely(window, at) : is_confirmed(window, at); });
        if (is_found) {
            return;
        }
        is_lost_ = true;
        reject(std::min(kScan, window.size()));
    }

    template <class Accept>
    bool find_in(const ByteWindow& window, const Accept& is_accepted) {
        for (std::size_t at = is_lost_ ? 0 : 1; at < kScan && at + record_size_ <= window.size(); ++at) {
            if (is_accepted(at)) {
                found(at);
                return true;
            }
        }
        return false;
    }

    bool goes_with_last(const ByteWindow& window, std::size_t at) const {
        return last_.empty() || are_neighbours_(last_.data(), window.data() + at);
    }
    bool is_in_step(std::size_t at) const { return (lost_bytes_ + at) % record_size_ == 0; }

    void found(std::size_t at) {
        reject(at);
        is_lost_ = false;
        lost_bytes_ = 0;
    }

    // A record, and if one follows it, its neighbour.
    bool is_likely(const ByteWindow& window, std::size_t at) const {
        const std::uint8_t* const record = window.data() + at;
        return is_valid_(record) && (!window.holds(at + record_size_, record_size_) || !is_valid_(record + record_size_) ||
                                     are_neighbours_(record, record + record_size_));
    }

    bool is_confirmed(const ByteWindow& window, std::size_t at) const {
        if (!is_valid_(window.data() + at)) {
            return false;
        }
        for (std::size_t more = 1; more < kConfirm; ++more) {
            const std::size_t next = at + more * record_size_;
            if (next + record_size_ > window.size()) {
                return next == window.size();  // the stream ends with whole records
            }
            if (!is_valid_(window.data() + next) || !are_neighbours_(window.data() + next - record_size_, window.data() + next)) {
                return false;
            }
        }
        return true;
    }

    void reject(std::size_t bytes) {
        if (bytes > 0) {
            stream_.reject(bytes, fault::kDamagedRecord, std::max<std::size_t>(1, bytes / record_size_), lost_bytes_ == 0 ? 1 : 0);
            lost_bytes_ += bytes;
        }
    }

    SliceStream& stream_;
    std::size_t record_size_;
    IsValid is_valid_;
    AreNeighbours are_neighbours_;
    bool is_lost_ = false;        // the window ended before a record was found
    std::size_t lost_bytes_ = 0;  // rejected since the last record
    std::vector<std::uint8_t> last_;  // record that was valid, where neighbours are compared
};

}  // namespace npuwh

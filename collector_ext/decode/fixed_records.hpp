// Records of one size, found again after damage.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "decode/slice_stream.hpp"

namespace npuwh {

// `is_valid(const std::uint8_t* record)` says whether record_size bytes can be a record: a magic number, a type in range.  Bytes that
// are none are rejected until the next ones that are: one record in step with those before it, or kConfirm in a row out of step
// (bytes were lost or put in).
//
//     while (const std::uint8_t* record = records.next()) {
//         ...
//         stream.accept(records.size());  // or stream.reject(records.size(), kMyFault)
//     }
template <class IsValid>
class FixedRecords {
public:
    static constexpr std::size_t kConfirm = 3;

    FixedRecords(SliceStream& stream, std::size_t record_size, IsValid is_valid)
        : stream_(stream), record_size_(record_size), is_valid_(is_valid) {}

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
                return window.data();
            }
            find_next();
        }
    }

private:
    static constexpr std::size_t kScan = std::size_t{64} << 10;

    // Rejects bytes up to the next record, or all of the window if it has none.
    void find_next() {
        const ByteWindow window = stream_.look(kScan + kConfirm * record_size_);
        const bool is_last = window.size() < kScan + kConfirm * record_size_;
        const std::size_t step = is_lost_ ? record_size_ - lost_bytes_ % record_size_ : record_size_;
        for (std::size_t at = is_lost_ ? 0 : 1; at + record_size_ <= window.size() && (is_last || at < kScan); ++at) {
            const bool in_step = at % record_size_ == step % record_size_;
            if (is_valid_(window.data() + at) && (in_step || is_confirmed(window, at))) {
                reject(at);
                is_lost_ = false;
                lost_bytes_ = 0;
                return;
            }
        }
        if (is_last) {
            reject(window.size());
        } else {
            reject(kScan);
            is_lost_ = true;
        }
    }

    bool is_confirmed(const ByteWindow& window, std::size_t at) const {
        for (std::size_t more = 1; more < kConfirm; ++more) {
            const std::size_t next = at + more * record_size_;
            if (next + record_size_ > window.size()) {
                return next == window.size();  // the stream ends with whole records
            }
            if (!is_valid_(window.data() + next)) {
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
    bool is_lost_ = false;        // the window ended before a record was found
    std::size_t lost_bytes_ = 0;  // rejected since the last record
};

}  // namespace npuwh

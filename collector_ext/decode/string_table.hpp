// Texts as numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>

#include "decode/byte_numbers.hpp"
#include "decode/record_batch.hpp"

namespace npuwh {

// Numbers are dense from `first_id` and never reused.  Each new (id, value) is handed out once, by take(); only a bounded cache of
// texts is kept to recognise them again.  A text that fell out of the cache gets a second number, as `string` records allow
// (warehouse/batches/records.py), so memory is bounded however many texts there are.
//
// Not locked; who shares a table between threads holds mutex() around each piece of work.
class StringTable {
public:
    static constexpr std::size_t kPendingLimit = std::size_t{8} << 20;

    struct Interned {
        std::int64_t id;
        bool was_repaired;  // it was not UTF-8; U+FFFD stands for what could not be read
    };

    explicit StringTable(std::int64_t first_id = 0, ByteNumbers::Limits limits = {}) : cache_(limits), next_id_(first_id) {}

    Interned intern(std::string_view bytes) {
        if (const ByteNumbers::Entry* const known = cache_.find(bytes)) {
            return {known->number >> 1, (known->number & 1) != 0};
        }
        return add(bytes);
    }

    // Texts not taken yet fill so much memory that a decoder should end its batch.
    bool is_full() const { return pending_bytes_ >= kPendingLimit; }

    // New texts as a batch of columns id (int64) and value (utf8), in the order of their ids; null if there are none.  Call until null.
    SharedBatch take();

    std::int64_t next_id() const { return next_id_; }
    std::mutex& mutex() { return mutex_; }

private:
    Interned add(std::string_view bytes);

    ByteNumbers cache_;  // number = id * 2 + was_repaired
    std::int64_t next_id_;
    std::deque<std::shared_ptr<RecordBatch>> pending_;
    std::size_t pending_bytes_ = 0;
    std::mutex mutex_;
};

using SharedStrings = std::shared_ptr<StringTable>;

}  // namespace npuwh

// Call stacks as numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "decode/byte_numbers.hpp"
#include "decode/record_batch.hpp"
#include "decode/string_table.hpp"

namespace npuwh {

// A stack is a text of frames joined by ';', innermost first.  Each new one is split once, into rows (stack, depth, frame) whose frames
// are strings of their own: stacks are many and long, their frames are few.  As with StringTable, only a bounded cache is kept, and a
// stack that fell out of it gets a second number.
class StackTable {
public:
    // Deeper frames are left out.
    static constexpr std::int64_t kDeepest = 16384;

    explicit StackTable(std::size_t batch_rows) : batch_rows_(batch_rows) {}

    struct Numbered {
        std::int64_t id;
        bool was_repaired;  // a frame was not UTF-8
        bool is_cut;        // it was deeper than kDeepest
    };
    Numbered number(std::string_view stack, StringTable& strings);

    bool is_full() const { return pending_ && pending_->rows() >= batch_rows_; }
    // `stack_frame` rows since the last call: stack, depth (0 innermost), frame (string id); null if there are none.
    SharedBatch take();

private:
    ByteNumbers cache_{{std::size_t{1} << 16, std::size_t{16} << 20}};  // number = id * 2 + was_repaired
    std::int64_t next_id_ = 0;
    std::size_t batch_rows_;
    std::shared_ptr<RecordBatch> pending_;
};

}  // namespace npuwh

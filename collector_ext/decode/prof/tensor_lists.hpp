// The tensors of an operator, as a numbered list that operators with the same tensors share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "decode/byte_numbers.hpp"
#include "decode/record_batch.hpp"
#include "decode/slice_stream.hpp"
#include "decode/string_table.hpp"

namespace npuwh::prof {

// Numbers are dense from 0 and never reused.  As with StringTable, only a bounded cache is kept to recognise lists: a list that fell
// out of it gets a second number.
class TensorLists {
public:
    static constexpr const char* kKind = "tensor_list";

    explicit TensorLists(StringTable& strings) : strings_(strings) {}

    // The number of a list of 44-byte tensors (cann-files.md 4.3), of which `tensors` holds whole ones.
    std::int64_t intern(std::string_view tensors, SliceStream& stream);

    // Lists not handed out yet: `id`, the numbers of inputs and outputs, and six texts as ids of the string table, -1 where there is no
    // such tensor.  Shapes read "16,128;128", types and formats "FLOAT;INT32", in the order of the record.  Null if there are none.
    SharedBatch take();

private:
    struct Side {
        std::int64_t count = 0;
        std::string shapes, types, formats;

        void add(const std::uint8_t* tensor);
    };

    ByteNumbers cache_{{std::size_t{1} << 16, std::size_t{16} << 20}};
    StringTable& strings_;
    std::int64_t next_id_ = 0;
    std::shared_ptr<RecordBatch> pending_;
};

}  // namespace npuwh::prof

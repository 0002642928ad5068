// Records of one layout, collected as rows of a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decode/prof/layout.hpp"
#include "decode/prof/tensor_lists.hpp"
#include "decode/record_batch.hpp"
#include "decode/slice_stream.hpp"
#include "decode/string_table.hpp"

namespace npuwh::prof {

// Columns: the fields in the order of the layout; then, for a layout with tensors, `tensors` (number of a tensor list); for one with
// repeated elements `position` and their fields.  Everything is int64 (u64 keeps its bits, texts are ids of the string table) but f64,
// which is float64.
class LayoutRows {
public:
    LayoutRows(const RecordLayout& layout, StringTable& strings, TensorLists& tensors, bool is_expanded);

    const RecordLayout& layout() const { return layout_; }
    std::size_t rows() const { return batch_ ? batch_->rows() : 0; }

    // Whether its numbers of elements fit the layout; a record for which they do not has no meaning.
    bool has_good_counts(const std::uint8_t* record) const;

    // Adds the record, whose counts are good.  Faults of its texts are noted in the stream.
    void add(const std::uint8_t* record, SliceStream& stream);

    // As add, but with these tensors in place of the record's own.
    void add_with_tensors(const std::uint8_t* record, std::string_view tensors, SliceStream& stream);

    // The rows so far, null if there are none.
    SharedBatch take();

private:
    void open();
    std::size_t add_fields(const Fields& fields, const std::uint8_t* from, std::size_t column, SliceStream& stream,
                           std::size_t end_of_valid);
    void add_record_fields(const std::uint8_t* record, SliceStream& stream);
    void add_element(const std::uint8_t* record, std::int64_t position, SliceStream& stream);

    const RecordLayout& layout_;
    StringTable& strings_;
    TensorLists& tensors_;
    bool is_expanded_;
    std::vector<std::string> names_;
    std::vector<ColumnSpec> schema_;
    std::size_t own_columns_ = 0;  // those of layout_.fields
    std::size_t reserve_ = 0;
    std::shared_ptr<RecordBatch> batch_;
};

}  // namespace npuwh::prof

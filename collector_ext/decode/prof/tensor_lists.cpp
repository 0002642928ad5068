#include "decode/prof/tensor_lists.hpp"

#include <utility>
#include <vector>

#include "decode/prof/host_layouts.hpp"
#include "decode/prof/prof_faults.hpp"
#include "decode/prof/tensor_names.hpp"
#include "text/number_text.hpp"

namespace npuwh::prof {
namespace {

constexpr std::size_t kFormatOffset = 4;
constexpr std::size_t kTypeOffset = 8;
constexpr std::size_t kShapeOffset = 12;
constexpr std::size_t kDimensions = 8;
constexpr std::uint32_t kInput = 0;
constexpr std::uint32_t kOutput = 1;

const std::vector<ColumnSpec>& list_schema() {
    static const std::vector<ColumnSpec> schema{{"id"},           {"input_count"},    {"output_count"},
                                                {"input_shapes"}, {"input_types"},    {"input_formats"},
                                                {"output_shapes"}, {"output_types"}, {"output_formats"}};
    return schema;
}

}  // namespace

void TensorLists::Side::add(const std::uint8_t* tensor) {
    if (count++ > 0) {
        shapes += ';';
        types += ';';
        formats += ';';
    }
    for (std::size_t dimension = 0; dimension < kDimensions; ++dimension) {
        const auto size = load_le<std::uint32_t>(tensor + kShapeOffset + dimension * sizeof(std::uint32_t));
        if (size == 0) {
            break;
        }
        if (dimension > 0) {
            shapes += ',';
        }
        append_integer(shapes, size);
    }
    append_data_type(types, load_le<std::uint32_t>(tensor + kTypeOffset));
    append_format(formats, load_le<std::uint32_t>(tensor + kFormatOffset));
}

std::int64_t TensorLists::intern(std::string_view tensors, SliceStream& stream) {
    if (const ByteNumbers::Entry* const known = cache_.find(tensors)) {
        return known->number;
    }
    cache_.add(tensors, next_id_);
    Side input;
    Side output;
    std::uint64_t unknown = 0;
    for (std::size_t at = 0; at + kTensorSize <= tensors.size(); at += kTensorSize) {
        const auto* const tensor = reinterpret_cast<const std::uint8_t*>(tensors.data()) + at;
        const auto kind = load_le<std::uint32_t>(tensor);
        if (kind == kInput) {
            input.add(tensor);
        } else if (kind == kOutput) {
            output.add(tensor);
        } else {
            ++unknown;
        }
    }
    if (unknown > 0) {
        stream.note(fault::kUnknownTensorKind, unknown);
    }
    if (!pending_) {
        pending_ = std::make_shared<RecordBatch>(list_schema());
    }
    RecordBatch& rows = *pending_;
    std::size_t column = 0;
    rows.column(column++).add(next_id_);
    rows.column(column++).add(input.count);
    rows.column(column++).add(output.count);
    for (const Side* const side : {&input, &output}) {
        for (const std::string* const text : {&side->shapes, &side->types, &side->formats}) {
            rows.column(column++).add(side->count == 0 ? -1 : strings_.intern(*text).id);
        }
    }
    return next_id_++;
}

SharedBatch TensorLists::take() { return std::exchange(pending_, nullptr); }

}  // namespace npuwh::prof

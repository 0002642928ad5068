#include "decode/prof/layout_rows.hpp"

#include <algorithm>
#include <utility>

#include "decode/prof/device_ids.hpp"
#include "decode/prof/host_layouts.hpp"

namespace npuwh::prof {
namespace {

constexpr std::size_t kDataSizeOffset = 12;
constexpr std::size_t kAllValid = SIZE_MAX;

void append_names(std::vector<std::string>& names, std::vector<ColumnType>& types, const Fields& fields) {
    for (const Field& field : fields) {
        const bool is_array = field.count > 1 && field.type != FieldType::text;
        const std::size_t columns = is_array ? field.count : 1;
        for (std::size_t index = 0; index < columns; ++index) {
            names.push_back(is_array ? std::string(field.name) + "_" + std::to_string(index) : field.name);
            types.push_back(field.type == FieldType::f64 ? ColumnType::float64 : ColumnType::int64);
        }
    }
}

std::int64_t value_of(const Field& field, const std::uint8_t* from, bool is_expanded) {
    std::int64_t value = 0;
    switch (field.type) {
        case FieldType::u8:
            value = *from;
            break;
        case FieldType::u16:
            value = load_int64<std::uint16_t>(from);
            break;
        case FieldType::u32:
            value = load_int64<std::uint32_t>(from);
            break;
        case FieldType::i32:
            value = load_int64<std::int32_t>(from);
            break;
        case FieldType::u64:
        case FieldType::i64:
        case FieldType::f64:
            return load_int64<std::int64_t>(from);
        case FieldType::stream:
            return device_ids(load_le<std::uint16_t>(from), load_le<std::uint16_t>(from + 2), is_expanded).stream;
        case FieldType::task:
            return device_ids(load_le<std::uint16_t>(from), load_le<std::uint16_t>(from + 2), is_expanded).task;
        case FieldType::text:
            break;
    }
    return field.bits == 0 ? value : (value >> field.shift) & ((std::int64_t{1} << field.bits) - 1);
}

std::uint32_t count_of(const Repeat& repeat, const std::uint8_t* record) {
    return repeat.count_offset == Repeat::kAlwaysAll ? repeat.most : load_le<std::uint32_t>(record + repeat.count_offset);
}

}  // namespace

LayoutRows::LayoutRows(const RecordLayout& layout, StringTable& strings, TensorLists& tensors, bool is_expanded)
    : layout_(layout), strings_(strings), tensors_(tensors), is_expanded_(is_expanded) {
    std::vector<ColumnType> types;
    append_names(names_, types, layout.fields);
    own_columns_ = names_.size();
    if (layout.tensors.most > 0) {
        names_.emplace_back("tensors");
        types.push_back(ColumnType::int64);
    }
    if (layout.repeat.most > 0) {
        names_.emplace_back("position");
        types.push_back(ColumnType::int64);
        append_names(names_, types, layout.repeat.fields);
    }
    for (std::size_t index = 0; index < names_.size(); ++index) {
        schema_.push_back({names_[index].c_str(), types[index], false});
    }
}

bool LayoutRows::has_good_counts(const std::uint8_t* record) const {
    const Repeat& repeat = layout_.repeat;
    const TensorPart& tensors = layout_.tensors;
    return (repeat.most == 0 || count_of(repeat, record) <= repeat.most) &&
           (tensors.most == 0 || load_le<std::uint32_t>(record + tensors.count_offset) <= tensors.most);
}

void LayoutRows::open() {
    if (!batch_) {
        batch_ = std::make_shared<RecordBatch>(schema_, reserve_);
    }
}

SharedBatch LayoutRows::take() {
    if (batch_) {
        reserve_ = std::max(reserve_, batch_->rows());
    }
    return std::exchange(batch_, nullptr);
}

// Fields that end beyond `end_of_valid` hold nothing.  Returns the column after the last.
std::size_t LayoutRows::add_fields(const Fields& fields, const std::uint8_t* from, std::size_t column, SliceStream& stream,
                                   std::size_t end_of_valid) {
    for (const Field& field : fields) {
        if (field.type == FieldType::text) {
            const char* const begin = reinterpret_cast<const char*>(from) + field.offset;
            const char* const end = std::find(begin, begin + field.count, '\0');
            const StringTable::Interned text = strings_.intern({begin, static_cast<std::size_t>(end - begin)});
            if (text.was_repaired) {
                stream.note(fault::kBadUtf8);
            }
            batch_->column(column++).add(text.id);
            continue;
        }
        const bool is_valid = field.offset < end_of_valid;
        for (std::size_t index = 0; index < field.count; ++index) {
            const std::uint8_t* const at = from + field.offset + index * width(field.type);
            batch_->column(column++).add(is_valid ? value_of(field, at, is_expanded_) : -1);
        }
    }
    return column;
}

void LayoutRows::add_record_fields(const std::uint8_t* record, SliceStream& stream) {
    const OptionalPart& optional = layout_.optional;
    const bool is_short = optional.data_size > 0 && load_le<std::uint32_t>(record + kDataSizeOffset) != optional.data_size;
    add_fields(layout_.fields, record, 0, stream, is_short ? optional.first : kAllValid);
}

void LayoutRows::add_element(const std::uint8_t* record, std::int64_t position, SliceStream& stream) {
    add_record_fields(record, stream);
    batch_->column(own_columns_).add(position);
    const std::uint8_t* const element = record + layout_.repeat.first + static_cast<std::size_t>(std::max<std::int64_t>(position, 0)) *
                                                                            layout_.repeat.stride;
    add_fields(layout_.repeat.fields, element, own_columns_ + 1, stream, position < 0 ? 0 : kAllValid);
}

void LayoutRows::add(const std::uint8_t* record, SliceStream& stream) {
    open();
    const Repeat& repeat = layout_.repeat;
    if (repeat.most > 0) {
        const std::uint32_t count = count_of(repeat, record);
        std::size_t added = 0;
        for (std::uint32_t position = 0; position < count; ++position) {
            const std::uint8_t* const element = record + repeat.first + std::size_t{position} * repeat.stride;
            const bool is_used = repeat.count_offset != Repeat::kAlwaysAll ||
                                 std::any_of(element, element + repeat.stride, [](std::uint8_t byte) { return byte != 0; });
            if (is_used) {
                add_element(record, position, stream);
                ++added;
            }
        }
        if (added == 0) {
            add_element(record, -1, stream);
        }
        return;
    }
    if (layout_.tensors.most > 0) {
        const TensorPart& tensors = layout_.tensors;
        const std::size_t bytes = load_le<std::uint32_t>(record + tensors.count_offset) * kTensorSize;
        add_with_tensors(record, {reinterpret_cast<const char*>(record) + tensors.first, bytes}, stream);
        return;
    }
    add_record_fields(record, stream);
}

void LayoutRows::add_with_tensors(const std::uint8_t* record, std::string_view tensors, SliceStream& stream) {
    open();
    add_record_fields(record, stream);
    batch_->column(own_columns_).add(tensors_.intern(tensors, stream));
}

}  // namespace npuwh::prof

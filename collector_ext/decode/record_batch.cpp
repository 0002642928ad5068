#include "decode/record_batch.hpp"

#include <array>
#include <stdexcept>
#include <utility>

namespace npuwh {

BatchColumn::BatchColumn(const ColumnSpec& spec) : name_(spec.name), type_(spec.type), is_nullable_(spec.is_nullable) {
    if (type_ == ColumnType::utf8) {
        offsets_.push_back(0);
    }
}

void BatchColumn::reserve(std::size_t rows) {
    if (type_ == ColumnType::utf8) {
        offsets_.reserve(rows + 1);
    } else {
        values_.reserve(rows);
    }
}

void BatchColumn::add_text(std::string_view text) {
    if (text.size() > static_cast<std::size_t>(INT32_MAX) - text_.size()) {
        throw std::length_error("a batch column of text exceeds 2 GiB");
    }
    text_.append(text);
    offsets_.push_back(static_cast<std::int32_t>(text_.size()));
    add_valid();
}

void BatchColumn::assign(std::vector<std::int64_t> values, std::vector<std::uint8_t> validity, std::size_t nulls) {
    values_ = std::move(values);
    validity_ = std::move(validity);
    rows_ = values_.size();
    null_count_ = nulls;
}

void BatchColumn::add_null() {
    if (validity_.empty()) {
        validity_.assign(rows_ / 8 + 1, 0xFF);
    }
    mark(false);
    ++null_count_;
    ++rows_;
    if (type_ == ColumnType::utf8) {
        offsets_.push_back(static_cast<std::int32_t>(text_.size()));
    } else {
        values_.push_back(0);
    }
}

// The row being added.
void BatchColumn::mark(bool is_valid) {
    if (rows_ / 8 >= validity_.size()) {
        validity_.push_back(0);
    }
    const auto bit = static_cast<std::uint8_t>(1U << (rows_ % 8));
    std::uint8_t& byte = validity_[rows_ / 8];
    byte = static_cast<std::uint8_t>(is_valid ? byte | bit : byte & ~bit);
}

std::string_view BatchColumn::text(std::size_t row) const {
    const auto from = static_cast<std::size_t>(offsets_[row]);
    return std::string_view(text_).substr(from, static_cast<std::size_t>(offsets_[row + 1]) - from);
}

const void* BatchColumn::value_data() const {
    return type_ == ColumnType::utf8 ? static_cast<const void*>(text_.data()) : static_cast<const void*>(values_.data());
}

RecordBatch::RecordBatch(const std::vector<ColumnSpec>& schema, std::size_t reserved_rows) {
    columns_.reserve(schema.size());
    for (const ColumnSpec& spec : schema) {
        columns_.emplace_back(spec);
        columns_.back().reserve(reserved_rows);
    }
}

namespace {

// An empty vector has no address, and consumers may insist on one.
const std::int64_t kNoBytes = 0;
const void* address(const void* data) { return data == nullptr ? &kNoBytes : data; }

const char* format_of(ColumnType type) {
    switch (type) {
        case ColumnType::uint64:
            return "L";
        case ColumnType::float64:
            return "g";
        case ColumnType::utf8:
            return "u";
        case ColumnType::int64:
            break;
    }
    return "l";
}

// What one exported structure owns.  A consumer may move a child out and release it later than its parent, so each stands alone.
struct SchemaOwner {
    std::string name;
    std::vector<ArrowSchema*> children;
};
struct ArrayOwner {
    SharedBatch batch;
    std::array<const void*, 3> buffers{};
    std::vector<ArrowArray*> children;
};

template <class Structure, class Owner>
void release(Structure* structure) {
    const std::unique_ptr<Owner> owner(static_cast<Owner*>(structure->private_data));
    for (Structure* const child : owner->children) {
        if (child->release != nullptr) {
            child->release(child);
        }
        delete child;
    }
    structure->release = nullptr;
}

// Gives `structure` its owner and as many empty children.
template <class Structure, class Owner>
void own(Structure* structure, std::unique_ptr<Owner> owner, std::size_t children) {
    *structure = Structure{};
    owner->children.reserve(children);
    for (std::size_t child = 0; child < children; ++child) {
        owner->children.push_back(new Structure{});
    }
    structure->n_children = static_cast<std::int64_t>(children);
    structure->children = children == 0 ? nullptr : owner->children.data();
    structure->release = &release<Structure, Owner>;
    structure->private_data = owner.release();
}

}  // namespace

void export_schema(const RecordBatch& batch, ArrowSchema* out) {
    own(out, std::make_unique<SchemaOwner>(), batch.columns());
    out->format = "+s";
    out->name = "";
    for (std::size_t index = 0; index < batch.columns(); ++index) {
        const BatchColumn& column = batch.column(index);
        ArrowSchema* const child = out->children[index];
        auto owner = std::make_unique<SchemaOwner>();
        owner->name = column.name();
        const char* const name = owner->name.c_str();
        own(child, std::move(owner), 0);
        child->format = format_of(column.type());
        child->name = name;
        child->flags = column.is_nullable() ? ARROW_FLAG_NULLABLE : 0;
    }
}

void export_array(const SharedBatch& batch, ArrowArray* out) {
    for (std::size_t index = 0; index < batch->columns(); ++index) {
        if (batch->column(index).rows() != batch->rows()) {
            throw std::logic_error("column " + batch->column(index).name() + " has " +
                                   std::to_string(batch->column(index).rows()) + " rows, the first column has " +
                                   std::to_string(batch->rows()));
        }
    }
    const auto rows = static_cast<std::int64_t>(batch->rows());
    auto root = std::make_unique<ArrayOwner>();
    const void** const root_buffers = root->buffers.data();
    own(out, std::move(root), batch->columns());
    out->length = rows;
    out->n_buffers = 1;  // the validity of the rows themselves: none
    out->buffers = root_buffers;
    for (std::size_t index = 0; index < batch->columns(); ++index) {
        const BatchColumn& column = batch->column(index);
        ArrowArray* const child = out->children[index];
        auto owner = std::make_unique<ArrayOwner>();
        owner->batch = batch;
        owner->buffers[0] = column.validity_data();
        const bool is_text = column.type() == ColumnType::utf8;
        owner->buffers[1] = is_text ? column.offset_data() : address(column.value_data());
        owner->buffers[2] = is_text ? address(column.value_data()) : nullptr;
        const void** const buffers = owner->buffers.data();
        own(child, std::move(owner), 0);
        child->length = rows;
        child->null_count = static_cast<std::int64_t>(column.null_count());
        child->n_buffers = is_text ? 3 : 2;
        child->buffers = buffers;
    }
}

}  // namespace npuwh

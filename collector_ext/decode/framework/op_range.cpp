// torch.op_range: one record a RecordFunction range (framework-files.md 2.3).
#include <utility>

#include "decode/framework/framework_decoder.hpp"
#include "decode/framework/stack_table.hpp"
#include "decode/framework/tensor_text.hpp"
#include "decode/framework/text_parts.hpp"
#include "decode/framework/tlv_records.hpp"

namespace npuwh {

namespace fault {
inline constexpr FaultKind kEndBeforeStart{"end_before_start", "a range ends before it starts; it was kept"};
inline constexpr FaultKind kStackTooDeep{"stack_too_deep", "a call stack of so many frames that the outermost were left out"};
inline constexpr FaultKind kTooManyTensors{"too_many_tensors", "an op with so many input tensors that the last were left out"};
}  // namespace fault

namespace {

constexpr unsigned kName = 2;
constexpr unsigned kDtypes = 3;
constexpr unsigned kShapes = 4;
constexpr unsigned kTensors = 5;
constexpr unsigned kTensorLists = 6;
constexpr unsigned kScalars = 7;
constexpr unsigned kStack = 8;
constexpr unsigned kModules = 9;
constexpr unsigned kExtra = 10;

constexpr TlvShape kShape{1, 58, 0b111'1111'1100U};
constexpr std::int64_t kNoSequence = -1;
constexpr std::int64_t kScopes = 10;
// of one op; bounds what a damaged record can make us hold
constexpr std::int64_t kMostTensors = std::int64_t{1} << 20;

const std::vector<ColumnSpec>& op_schema() {
    static const std::vector<ColumnSpec> schema{{"start_tick"},
                                                {"end_tick"},
                                                {"sequence_no", ColumnType::int64, true},
                                                {"pid"},
                                                {"tid"},
                                                {"end_tid"},
                                                {"forward_thread_no"},
                                                {"scope"},
                                                {"is_async"},
                                                {"name", ColumnType::int64, true},
                                                {"dtypes", ColumnType::int64, true},
                                                {"shapes", ColumnType::int64, true},
                                                {"scalars", ColumnType::int64, true},
                                                {"stack", ColumnType::int64, true},
                                                {"modules", ColumnType::int64, true},
                                                {"extra", ColumnType::int64, true}};
    return schema;
}

const std::vector<ColumnSpec>& tensor_schema() {
    static const std::vector<ColumnSpec> schema{{"row"},  // of the op, from 0 in the file
                                                {"list_no", ColumnType::int64, true},
                                                {"tensor_no"},
                                                {"address"},
                                                {"storage_address", ColumnType::int64, true},
                                                {"dtype"},
                                                {"element_bytes"},
                                                {"sizes"},
                                                {"strides"},
                                                {"device_type"},
                                                {"device_no"}};
    return schema;
}

class OpRangeDecoder : public StreamDecoder {
public:
    OpRangeDecoder(const DecoderInput& input, bool with_tensors)
        : StreamDecoder(input), records_(stream(), kShape), with_tensors_(with_tensors), stacks_(4 * batch_rows()) {}

    SharedBatch next() override {
        auto batch = std::make_shared<RecordBatch>(op_schema(), batch_rows());
        TlvRecord record;
        while (!is_batch_over(*batch) && !stacks_.is_full() && !are_tensors_full() && records_.next(record)) {
            add(*batch, record);
            if (with_tensors_) {
                add_tensors(record);
            }
            ++row_;
            records_.accept();
        }
        return finish(std::move(batch));
    }

    SharedBatch take(const std::string& kind) override {
        if (kind == "stack_frame") {
            return stacks_.take();
        }
        return kind == "tensor" ? SharedBatch(std::exchange(tensors_, nullptr)) : nullptr;
    }

private:
    void add(RecordBatch& batch, const TlvRecord& record) {
        const std::int64_t start = record.field<std::int64_t>(0);
        const std::int64_t end = record.field<std::int64_t>(8);
        const std::int64_t sequence = record.field<std::int64_t>(16);
        const std::int64_t scope = record.field<std::uint8_t>(56);
        if (end < start) {
            stream().note(fault::kEndBeforeStart);
        }
        if (scope >= kScopes) {
            stream().note(fault::kUnknownValue);
        }
        std::size_t column = 0;
        batch.column(column++).add(start);
        batch.column(column++).add(end);
        batch.column(column++).add_or_null(sequence != kNoSequence, sequence);
        batch.column(column++).add(record.field<std::uint64_t>(24));
        batch.column(column++).add(record.field<std::uint64_t>(32));
        batch.column(column++).add(record.field<std::uint64_t>(40));
        batch.column(column++).add(record.field<std::uint64_t>(48));
        batch.column(column++).add(scope);
        batch.column(column++).add(record.field<std::uint8_t>(57) != 0 ? 1 : 0);
        for (const unsigned tag : {kName, kDtypes, kShapes, kScalars}) {
            add_text(batch.column(column++), record, tag);
        }
        add_stack(batch.column(column++), record);
        for (const unsigned tag : {kModules, kExtra}) {
            add_text(batch.column(column++), record, tag);
        }
    }

    void add_text(BatchColumn& column, const TlvRecord& record, unsigned tag) {
        if (record.has(tag)) {
            column.add(text_id(record.text(tag)));
        } else {
            column.add_null();
        }
    }

    void add_stack(BatchColumn& column, const TlvRecord& record) {
        if (!record.has(kStack) || record.text(kStack).empty()) {
            column.add_null();
            return;
        }
        const StackTable::Numbered stack = stacks_.number(record.text(kStack), strings());
        if (stack.was_repaired) {
            stream().note(fault::kBadUtf8);
        }
        if (stack.is_cut) {
            stream().note(fault::kStackTooDeep);
        }
        column.add(stack.id);
    }

    bool are_tensors_full() const { return tensors_ && tensors_->rows() >= batch_rows(); }

    // tag 5: tensors joined by ')'; tag 6: lists joined by '}', each tensor of a list followed by ')'
    void add_tensors(const TlvRecord& record) {
        tensors_of_op_ = 0;
        if (record.has(kTensors)) {
            add_list(record.text(kTensors), -1);
        }
        if (record.has(kTensorLists)) {
            TextParts lists(record.text(kTensorLists), '}');
            std::int64_t list_no = 0;
            for (std::string_view list; tensors_of_op_ < kMostTensors && lists.next(list); ++list_no) {
                if (!list.empty()) {
                    list.remove_suffix(list.back() == ')' ? 1 : 0);
                    add_list(list, list_no);
                }
            }
        }
        if (tensors_of_op_ >= kMostTensors) {
            stream().note(fault::kTooManyTensors);
        }
    }

    void add_list(std::string_view list, std::int64_t list_no) {
        TextParts parts(list, ')');
        std::int64_t tensor_no = 0;
        for (std::string_view part; tensors_of_op_ < kMostTensors && parts.next(part); ++tensor_no) {
            TensorText tensor;
            ++tensors_of_op_;
            if (parse_tensor(part, tensor)) {
                add_tensor(tensor, list_no, tensor_no);
            } else {
                stream().note(fault::kBadTensor);
            }
        }
    }

    void add_tensor(const TensorText& tensor, std::int64_t list_no, std::int64_t tensor_no) {
        if (!tensors_) {
            tensors_ = std::make_shared<RecordBatch>(tensor_schema());
        }
        std::size_t column = 0;
        tensors_->column(column++).add(row_);
        tensors_->column(column++).add_or_null(list_no >= 0, list_no);
        tensors_->column(column++).add(tensor_no);
        tensors_->column(column++).add(tensor.address);
        tensors_->column(column++).add_or_null(tensor.has_storage, tensor.storage);
        tensors_->column(column++).add(text_id(tensor.dtype));
        tensors_->column(column++).add(tensor.element_bytes);
        tensors_->column(column++).add(text_id(tensor.sizes));
        tensors_->column(column++).add(text_id(tensor.strides));
        tensors_->column(column++).add(tensor.device_type);
        tensors_->column(column++).add(tensor.device_no);
    }

    TlvRecords records_;
    bool with_tensors_;
    StackTable stacks_;
    std::shared_ptr<RecordBatch> tensors_;
    std::int64_t row_ = 0;
    std::int64_t tensors_of_op_ = 0;
};

}  // namespace

std::unique_ptr<BatchDecoder> make_op_range_decoder(const DecoderInput& input, bool with_tensors) {
    return std::make_unique<OpRangeDecoder>(input, with_tensors);
}

}  // namespace npuwh

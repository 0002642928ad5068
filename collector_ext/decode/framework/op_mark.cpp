// torch.op_mark: beginnings and ends of enqueueing and dequeueing (framework-files.md 2.4).
#include <utility>

#include "decode/framework/framework_decoder.hpp"
#include "decode/framework/tlv_records.hpp"

namespace npuwh {

namespace fault {
inline constexpr FaultKind kBadCategory{"bad_category", "a mark that is neither start nor end of an enqueue or a dequeue; it was skipped"};
}  // namespace fault

namespace {

constexpr unsigned kName = 1;
constexpr TlvShape kShape{2, 40, 1U << kName};
constexpr std::int64_t kEnqueueStart = 0;
constexpr std::int64_t kDequeueEnd = 3;

// category: 0 enqueue start, 1 enqueue end, 2 dequeue start, 3 dequeue end; an enqueue that starts has no correlation number yet
const std::vector<ColumnSpec>& mark_schema() {
    static const std::vector<ColumnSpec> schema{{"tick"},
                                                {"category"},
                                                {"correlation_no", ColumnType::int64, true},
                                                {"tid"},
                                                {"pid"},
                                                {"name", ColumnType::int64, true}};
    return schema;
}

class OpMarkDecoder : public StreamDecoder {
public:
    explicit OpMarkDecoder(const DecoderInput& input) : StreamDecoder(input), records_(stream(), kShape) {}

    SharedBatch next() override {
        auto batch = std::make_shared<RecordBatch>(mark_schema(), batch_rows());
        TlvRecord record;
        while (!is_batch_over(*batch) && records_.next(record)) {
            const std::int64_t category = record.field<std::uint64_t>(8);
            if (category < kEnqueueStart || category > kDequeueEnd) {
                records_.reject(fault::kBadCategory);
                continue;
            }
            batch->column(0).add(record.field<std::int64_t>(0));
            batch->column(1).add(category);
            batch->column(2).add_or_null(category != kEnqueueStart, record.field<std::uint64_t>(16));
            batch->column(3).add(record.field<std::uint64_t>(24));
            batch->column(4).add(record.field<std::uint64_t>(32));
            if (record.has(kName)) {
                batch->column(5).add(text_id(record.text(kName)));
            } else {
                batch->column(5).add_null();
            }
            records_.accept();
        }
        return finish(std::move(batch));
    }

private:
    TlvRecords records_;
};

}  // namespace

std::unique_ptr<BatchDecoder> make_op_mark_decoder(const DecoderInput& input) { return std::make_unique<OpMarkDecoder>(input); }

}  // namespace npuwh

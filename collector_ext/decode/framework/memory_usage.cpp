// torch.memory_usage: events of the allocators (framework-files.md 2.5).
#include <utility>

#include "decode/framework/framework_decoder.hpp"
#include "decode/framework/tlv_records.hpp"

namespace npuwh {
namespace {

constexpr TlvShape kShape{3, 77, 0};

// component: 0 caching, 1 workspace allocator; action: 0 malloc, 1 free, 2 block free, 3 invalid; allocator: 0 inner, 1 external,
// 2 invalid.  On the CPU all three are 0, and only the sign of the size tells a free.
const std::vector<ColumnSpec>& memory_schema() {
    static const std::vector<ColumnSpec> schema{{"address"},
                                                {"tick"},
                                                {"size_bytes"},
                                                {"total_allocated_bytes"},
                                                {"total_reserved_bytes"},
                                                {"total_active_bytes"},
                                                {"stream_ptr"},
                                                {"device_type"},
                                                {"device_no"},
                                                {"component"},
                                                {"action"},
                                                {"allocator"},
                                                {"tid"},
                                                {"pid"}};
    return schema;
}

class MemoryUsageDecoder : public StreamDecoder {
public:
    explicit MemoryUsageDecoder(const DecoderInput& input) : StreamDecoder(input), records_(stream(), kShape) {}

    SharedBatch next() override {
        auto batch = std::make_shared<RecordBatch>(memory_schema(), batch_rows());
        TlvRecord record;
        while (!is_batch_over(*batch) && records_.next(record)) {
            std::size_t column = 0;
            for (; column < 7; ++column) {
                batch->column(column).add(record.field<std::int64_t>(column * 8));
            }
            const std::int64_t component = record.field<std::uint8_t>(58);
            const std::int64_t action = record.field<std::uint8_t>(59);
            const std::int64_t allocator = record.field<std::uint8_t>(60);
            if (component > 1 || action > 3 || allocator > 2) {
                stream().note(fault::kUnknownValue);
            }
            batch->column(column++).add(record.field<std::int8_t>(56));
            batch->column(column++).add(record.field<std::int8_t>(57));
            batch->column(column++).add(component);
            batch->column(column++).add(action);
            batch->column(column++).add(allocator);
            batch->column(column++).add(record.field<std::uint64_t>(61));
            batch->column(column++).add(record.field<std::uint64_t>(69));
            records_.accept();
        }
        return finish(std::move(batch));
    }

private:
    TlvRecords records_;
};

}  // namespace

std::unique_ptr<BatchDecoder> make_memory_usage_decoder(const DecoderInput& input) {
    return std::make_unique<MemoryUsageDecoder>(input);
}

}  // namespace npuwh

// torch.gc_record: runs of Python's garbage collector (framework-files.md 2.9).
#include <algorithm>
#include <utility>

#include "decode/fixed_records.hpp"
#include "decode/framework/framework_decoder.hpp"
#include "decode/framework/thread_number.hpp"

namespace npuwh {
namespace {

constexpr std::size_t kBytes = 24;

bool is_collection(const std::uint8_t* record) {
    return is_thread_number(record) && load_le<std::uint64_t>(record + 8) <= load_le<std::uint64_t>(record + 16);
}

bool are_of_one_process(const std::uint8_t* record, const std::uint8_t* next) {
    return load_le<std::uint64_t>(record) == load_le<std::uint64_t>(next);
}

const std::vector<ColumnSpec>& gc_schema() {
    static const std::vector<ColumnSpec> schema{{"pid"}, {"start_tick"}, {"end_tick"}};
    return schema;
}

class GcRecordDecoder : public StreamDecoder {
public:
    explicit GcRecordDecoder(const DecoderInput& input) : StreamDecoder(input), records_(stream(), kBytes, is_collection, are_of_one_process) {}

    SharedBatch next() override {
        auto batch = std::make_shared<RecordBatch>(gc_schema(), std::min<std::size_t>(batch_rows(), 1024));
        while (!is_batch_over(*batch)) {
            const std::uint8_t* const record = records_.next();
            if (record == nullptr) {
                break;
            }
            for (std::size_t column = 0; column < 3; ++column) {
                batch->column(column).add(load_int64<std::uint64_t>(record + column * 8));
            }
            stream().accept(kBytes);
        }
        return finish(std::move(batch));
    }

private:
    FixedRecords<bool (*)(const std::uint8_t*), bool (*)(const std::uint8_t*, const std::uint8_t*)> records_;
};

}  // namespace

std::unique_ptr<BatchDecoder> make_gc_record_decoder(const DecoderInput& input) { return std::make_unique<GcRecordDecoder>(input); }

}  // namespace npuwh

// torch.python_tracer_func and torch.python_tracer_hash: calls and returns, and what their keys mean (framework-files.md 2.6, 2.7).
#include <utility>

#include "decode/fixed_records.hpp"
#include "decode/framework/framework_decoder.hpp"
#include "decode/framework/thread_number.hpp"
#include "decode/framework/tlv_records.hpp"

namespace npuwh {
namespace {

constexpr std::size_t kCallBytes = 33;
constexpr std::uint8_t kCReturn = 3;

bool is_call(const std::uint8_t* record) {
    return is_thread_number(record + 8) && is_thread_number(record + 16) && record[32] <= kCReturn;
}

// All calls of a file are of one process.
bool are_of_one_process(const std::uint8_t* record, const std::uint8_t* next) {
    return load_le<std::uint64_t>(record + 16) == load_le<std::uint64_t>(next + 16);
}

// action: 0 Python call, 1 Python return, 2 C call, 3 C return; a return has the exit key, not that of its function
const std::vector<ColumnSpec>& call_schema() {
    static const std::vector<ColumnSpec> schema{{"tick"}, {"tid"}, {"pid"}, {"key"}, {"action"}};
    return schema;
}

class PythonCallDecoder : public StreamDecoder {
public:
    explicit PythonCallDecoder(const DecoderInput& input) : StreamDecoder(input), records_(stream(), kCallBytes, is_call, are_of_one_process) {}

    SharedBatch next() override {
        auto batch = std::make_shared<RecordBatch>(call_schema(), batch_rows());
        while (!is_batch_over(*batch)) {
            const std::uint8_t* const record = records_.next();
            if (record == nullptr) {
                break;
            }
            for (std::size_t column = 0; column < 4; ++column) {
                batch->column(column).add(load_int64<std::uint64_t>(record + column * 8));
            }
            batch->column(4).add(record[32]);
            stream().accept(kCallBytes);
        }
        return finish(std::move(batch));
    }

private:
    FixedRecords<bool (*)(const std::uint8_t*), bool (*)(const std::uint8_t*, const std::uint8_t*)> records_;
};

constexpr unsigned kText = 1;
constexpr TlvShape kNameShape{4, 8, 1U << kText};

// of a key that comes twice the last row counts
const std::vector<ColumnSpec>& name_schema() {
    static const std::vector<ColumnSpec> schema{{"key"}, {"name", ColumnType::int64, true}};
    return schema;
}

class PythonNameDecoder : public StreamDecoder {
public:
    explicit PythonNameDecoder(const DecoderInput& input) : StreamDecoder(input), records_(stream(), kNameShape) {}

    SharedBatch next() override {
        auto batch = std::make_shared<RecordBatch>(name_schema(), batch_rows());
        TlvRecord record;
        while (!is_batch_over(*batch) && records_.next(record)) {
            batch->column(0).add(record.field<std::uint64_t>(0));
            if (record.has(kText)) {
                batch->column(1).add(text_id(record.text(kText)));
            } else {
                batch->column(1).add_null();
            }
            records_.accept();
        }
        return finish(std::move(batch));
    }

private:
    TlvRecords records_;
};

}  // namespace

std::unique_ptr<BatchDecoder> make_python_call_decoder(const DecoderInput& input) { return std::make_unique<PythonCallDecoder>(input); }

std::unique_ptr<BatchDecoder> make_python_name_decoder(const DecoderInput& input) { return std::make_unique<PythonNameDecoder>(input); }

}  // namespace npuwh

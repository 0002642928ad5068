#include "decode/prof/prof_decoder.hpp"

#include "decode/prof/device_tasks.hpp"
#include "decode/prof/line_decoders.hpp"
#include "decode/prof/record_decoders.hpp"

namespace npuwh::prof {
namespace {

// Of a stream whose content cannot be read, everything is rejected for one reason.
class Refusal final : public ProfDecoder {
public:
    Refusal(const ProfInput& input, const FaultKind& reason) : ProfDecoder(input), reason_(reason) {}

protected:
    bool work() override {
        stream().reject(stream().bytes_left(), reason_, 0);
        return false;
    }

private:
    const FaultKind& reason_;
};

}  // namespace

ProfDecoder::ProfDecoder(const ProfInput& input) : StreamDecoder(input), limits_(input.limits), tensors_(strings()) {}

SharedBatch ProfDecoder::next() {
    while (ready_.empty()) {
        if (is_done_) {
            return nullptr;
        }
        is_done_ = !work();
    }
    kind_ = ready_.front().first;
    SharedBatch batch = std::move(ready_.front().second);
    ready_.pop_front();
    return batch;
}

SharedBatch ProfDecoder::take(const std::string& kind) { return kind == TensorLists::kKind ? tensors_.take() : nullptr; }

void ProfDecoder::hand_over(const char* kind, SharedBatch batch) {
    if (batch && batch->rows() > 0) {
        ready_.emplace_back(kind, std::move(batch));
    }
}

std::unique_ptr<ProfDecoder> make_prof_decoder(const std::string& stream, const ProfInput& input) {
    const FormatFound found = find_format(stream, input.collection);
    if (found.format == nullptr) {
        return nullptr;
    }
    if (found.fault != nullptr) {
        return std::make_unique<Refusal>(input, *found.fault);
    }
    const StreamFormat& format = *found.format;
    switch (format.reader) {
        case Reader::records:
            return std::make_unique<RecordsDecoder>(input, format);
        case Reader::api:
            return std::make_unique<ApiDecoder>(input, format);
        case Reader::tensors:
            return std::make_unique<TensorDecoder>(input, format);
        case Reader::tasks:
            return std::make_unique<TaskDecoder>(input, format);
        case Reader::variable:
            return std::make_unique<VariableDecoder>(input, format);
        case Reader::hashes:
            return std::make_unique<HashDecoder>(input);
        case Reader::types:
            return std::make_unique<TypeDecoder>(input);
        case Reader::table:
            return std::make_unique<TableDecoder>(input, format);
    }
    return nullptr;
}

}  // namespace npuwh::prof

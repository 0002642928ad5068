// torch.param_tensor_info: parameters of modules and optimizers (framework-files.md 2.8).
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "decode/framework/framework_decoder.hpp"
#include "decode/framework/tensor_text.hpp"
#include "decode/framework/text_parts.hpp"
#include "decode/framework/tlv_records.hpp"

namespace npuwh {

namespace fault {
inline constexpr FaultKind kBadParameter{"bad_parameter", "a parameter that is not written as it should be; it was skipped"};
}  // namespace fault

namespace {

constexpr unsigned kModule = 1;
constexpr unsigned kOptimizer = 2;
constexpr TlvShape kShape{5, 8, 1U << kModule | 1U << kOptimizer};

constexpr std::int64_t kParameter = 0;
constexpr std::int64_t kGradient = 1;
constexpr std::int64_t kState = 2;
// of one parameter; real optimizers have up to four
constexpr int kMostStates = 1024;

// One row a tensor.  owner: 1 module, 2 optimizer; parameter_no: place within its owner's record; name: of a module's parameter;
// role: 0 the parameter, 1 its gradient, 2 a state of the optimizer, named by `state`
const std::vector<ColumnSpec>& parameter_schema() {
    static const std::vector<ColumnSpec> schema{{"key"},
                                                {"owner"},
                                                {"parameter_no"},
                                                {"name", ColumnType::int64, true},
                                                {"role"},
                                                {"state", ColumnType::int64, true},
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

class ParamTensorDecoder : public StreamDecoder {
public:
    explicit ParamTensorDecoder(const DecoderInput& input) : StreamDecoder(input), records_(stream(), kShape) {}

    // A record may hold a whole model: it is kept and spread over as many batches as it takes.
    SharedBatch next() override {
        auto batch = std::make_shared<RecordBatch>(parameter_schema());
        TlvRecord record;
        while (!is_batch_over(*batch)) {
            std::string_view item;
            if (items_ && items_->next(item)) {
                add_parameter(*batch, item);
                continue;
            }
            items_.reset();
            if (owner_ == kModule && !optimizer_text_.empty()) {
                begin(kOptimizer, std::exchange(optimizer_text_, {}));
                continue;
            }
            if (std::exchange(is_open_, false)) {
                records_.accept();
            }
            if (!records_.next(record)) {
                break;
            }
            is_open_ = true;
            key_ = record.field<std::uint64_t>(0);
            optimizer_text_ = std::string(record.has(kOptimizer) ? record.text(kOptimizer) : std::string_view());
            begin(kModule, std::string(record.has(kModule) ? record.text(kModule) : std::string_view()));
        }
        return finish(std::move(batch));
    }

private:
    void begin(unsigned owner, std::string text) {
        owner_ = owner;
        parameter_no_ = 0;
        text_ = std::move(text);
        if (!text_.empty()) {
            items_.emplace(text_, '}');
        }
    }

    // name ) tensor ) [gradient], or tensor ) [gradient] ) { state > tensor ] }
    void add_parameter(RecordBatch& batch, std::string_view item) {
        const std::int64_t parameter_no = parameter_no_++;
        if (std::count(item.begin(), item.end(), ')') != 2) {
            stream().note(fault::kBadParameter);
            return;
        }
        std::string_view parts[3];
        TextParts split(item, ')');
        for (std::string_view& part : parts) {
            split.next(part);
        }
        const bool is_module = owner_ == kModule;
        const std::optional<std::string_view> name = is_module ? std::optional(parts[0]) : std::nullopt;
        add_tensor(batch, parts[is_module ? 1 : 0], parameter_no, kParameter, name, std::nullopt);
        add_tensor(batch, parts[is_module ? 2 : 1], parameter_no, kGradient, name, std::nullopt);
        if (!is_module) {
            add_states(batch, parts[2], parameter_no);
        }
    }

    // One state that is not "name>tensor" spoils all of its parameter, as in the reference reader.
    void add_states(RecordBatch& batch, std::string_view text, std::int64_t parameter_no) {
        if (text.empty()) {
            return;
        }
        text.remove_suffix(text.back() == ']' ? 1 : 0);
        TextParts check(text, ']');
        int count = 0;
        for (std::string_view state; check.next(state);) {
            if (++count > kMostStates || std::count(state.begin(), state.end(), '>') != 1) {
                stream().note(fault::kBadParameter);
                return;
            }
        }
        TextParts states(text, ']');
        for (std::string_view state; states.next(state);) {
            const std::size_t at = state.find('>');
            add_tensor(batch, state.substr(at + 1), parameter_no, kState, std::nullopt, state.substr(0, at));
        }
    }

    void add_tensor(RecordBatch& batch, std::string_view text, std::int64_t parameter_no, std::int64_t role,
                    std::optional<std::string_view> name, std::optional<std::string_view> state) {
        TensorText tensor;
        if (text.empty()) {
            return;  // no gradient
        }
        if (!parse_tensor(text, tensor)) {
            stream().note(fault::kBadTensor);
            return;
        }
        std::size_t column = 0;
        batch.column(column++).add(key_);
        batch.column(column++).add(owner_);
        batch.column(column++).add(parameter_no);
        batch.column(column++).add_or_null(name.has_value(), name ? text_id(*name) : 0);
        batch.column(column++).add(role);
        batch.column(column++).add_or_null(state.has_value(), state ? text_id(*state) : 0);
        batch.column(column++).add(tensor.address);
        batch.column(column++).add_or_null(tensor.has_storage, tensor.storage);
        batch.column(column++).add(text_id(tensor.dtype));
        batch.column(column++).add(tensor.element_bytes);
        batch.column(column++).add(text_id(tensor.sizes));
        batch.column(column++).add(text_id(tensor.strides));
        batch.column(column++).add(tensor.device_type);
        batch.column(column++).add(tensor.device_no);
    }

    TlvRecords records_;
    bool is_open_ = false;  // the record was not accepted yet: its texts are still being gone through
    std::int64_t key_ = 0;
    std::int64_t owner_ = kModule;
    std::int64_t parameter_no_ = 0;
    std::string text_;  // of the record in work
    std::string optimizer_text_;
    std::optional<TextParts> items_;
};

}  // namespace

std::unique_ptr<BatchDecoder> make_param_tensor_decoder(const DecoderInput& input) { return std::make_unique<ParamTensorDecoder>(input); }

}  // namespace npuwh

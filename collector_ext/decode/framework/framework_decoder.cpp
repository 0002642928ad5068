#include "decode/framework/framework_decoder.hpp"

#include <stdexcept>

namespace npuwh {
namespace {

struct Kind {
    const char* name;  // of the file, without "torch."
    std::unique_ptr<BatchDecoder> (*make)(const DecoderInput& input);
};

constexpr const char* kOpRange = "op_range";

const Kind kKinds[] = {
    {kOpRange, [](const DecoderInput& input) { return make_op_range_decoder(input, false); }},
    {"op_mark", make_op_mark_decoder},
    {"memory_usage", make_memory_usage_decoder},
    {"python_tracer_func", make_python_call_decoder},
    {"python_tracer_hash", make_python_name_decoder},
    {"param_tensor_info", make_param_tensor_decoder},
    {"gc_record", make_gc_record_decoder},
};

}  // namespace

std::vector<std::string> framework_kinds() {
    std::vector<std::string> names;
    for (const Kind& kind : kKinds) {
        names.emplace_back(kind.name);
    }
    return names;
}

std::unique_ptr<BatchDecoder> make_framework_decoder(std::string_view kind, const DecoderInput& input, bool with_tensors) {
    if (with_tensors && kind == kOpRange) {
        return make_op_range_decoder(input, true);
    }
    std::string names;
    for (const Kind& known : kKinds) {
        if (kind == known.name) {
            return known.make(input);
        }
        names += (names.empty() ? "" : ", ") + std::string(known.name);
    }
    throw std::invalid_argument("FrameworkDecoder: no kind '" + std::string(kind) + "'; kinds are " + names);
}

}  // namespace npuwh

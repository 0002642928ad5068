// Decoders of the raw files in FRAMEWORK/ (framework-files.md 2).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decode/stream_decoder.hpp"

namespace npuwh {

// The kinds: op_range, op_mark, memory_usage, python_tracer_func, python_tracer_hash, param_tensor_info, gc_record.
std::vector<std::string> framework_kinds();

// with_tensors: op_range also gives the tensors of the inputs, as rows of kind "tensor".
// Throws std::invalid_argument for any other kind.
std::unique_ptr<BatchDecoder> make_framework_decoder(std::string_view kind, const DecoderInput& input, bool with_tensors = false);

// One a kind; the columns stand in the files.
std::unique_ptr<BatchDecoder> make_op_range_decoder(const DecoderInput& input, bool with_tensors);
std::unique_ptr<BatchDecoder> make_op_mark_decoder(const DecoderInput& input);
std::unique_ptr<BatchDecoder> make_memory_usage_decoder(const DecoderInput& input);
std::unique_ptr<BatchDecoder> make_python_call_decoder(const DecoderInput& input);
std::unique_ptr<BatchDecoder> make_python_name_decoder(const DecoderInput& input);
std::unique_ptr<BatchDecoder> make_param_tensor_decoder(const DecoderInput& input);
std::unique_ptr<BatchDecoder> make_gc_record_decoder(const DecoderInput& input);

}  // namespace npuwh

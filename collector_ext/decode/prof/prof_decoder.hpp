// Decoders of the streams of a CANN PROF directory.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "decode/prof/stream_format.hpp"
#include "decode/prof/tensor_lists.hpp"
#include "decode/stream_decoder.hpp"

namespace npuwh::prof {

// Bounds of what waits for something that may come later; memory does not depend on the input.
struct OpenLimits {
    std::size_t reorder = std::size_t{1} << 12;  // stars records that wait for earlier ones
    std::size_t open = std::size_t{1} << 17;     // starts, events and threads that wait for their other half
    std::size_t bytes = std::size_t{16} << 20;   // tensors of operators that may have more
};

// Paths are slices in their order, without a gap.
struct ProfInput : DecoderInput {
    Collection collection;
    OpenLimits limits;
};

// One stream of one directory and one retention class.  Its rows come in several kinds; `kind()` names that of the last batch.
// Side rows: "tensor_list".
class ProfDecoder : public StreamDecoder {
public:
    explicit ProfDecoder(const ProfInput& input);

    SharedBatch next() final;
    SharedBatch take(const std::string& kind) final;

    // Null before the first batch.
    const char* kind() const { return kind_; }

protected:
    // Decodes until a batch is handed over; false at the end of the stream, when all of them are.
    virtual bool work() = 0;

    void hand_over(const char* kind, SharedBatch batch);
    bool is_full(std::size_t rows) { return rows >= batch_rows() || strings().is_full(); }
    TensorLists& tensors() { return tensors_; }
    const OpenLimits& limits() const { return limits_; }

private:
    OpenLimits limits_;
    TensorLists tensors_;
    std::deque<std::pair<const char*, SharedBatch>> ready_;
    bool is_done_ = false;
    std::atomic<const char*> kind_{nullptr};
};

// Null for an unknown stream.
std::unique_ptr<ProfDecoder> make_prof_decoder(const std::string& stream, const ProfInput& input);

}  // namespace npuwh::prof

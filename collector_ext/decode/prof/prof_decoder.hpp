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

// Paths are slices in their order.
struct ProfInput : DecoderInput {
    Collection collection;
    OpenLimits limits;
    std::shared_ptr<TensorLists> tensors;  // null: lists of its own
};

// One stream of one directory and one retention class.  Its rows come in several kinds.  Side rows: "tensor_list".
class ProfReader : public BatchDecoder {
public:
    using BatchDecoder::BatchDecoder;

    // Of the last batch; null before the first.
    virtual const char* kind() const = 0;
};

// The same of slices between which none is missing.
class ProfDecoder : public ProfReader {
public:
    explicit ProfDecoder(const ProfInput& input);

    SharedBatch next() final;
    SharedBatch take(const std::string& kind) final;
    const Ledger& ledger() const final { return stream_.ledger(); }
    const char* kind() const final { return kind_; }

protected:
    // Decodes until a batch is handed over; false at the end of the stream, when all of them are.
    virtual bool work() = 0;

    void hand_over(const char* kind, SharedBatch batch);
    bool is_full(std::size_t rows) { return rows >= batch_rows_ || strings().is_full(); }
    SliceStream& stream() { return stream_; }
    TensorLists& tensors() { return *tensors_; }
    const OpenLimits& limits() const { return limits_; }

private:
    SliceStream stream_;
    std::size_t batch_rows_;
    OpenLimits limits_;
    std::shared_ptr<TensorLists> tensors_;
    std::deque<std::pair<const char*, SharedBatch>> ready_;
    bool is_done_ = false;
    std::atomic<const char*> kind_{nullptr};
};

// Null for an unknown stream.  Where the numbers of the slices (`.slice_7`) leave one out, a new string of bytes begins: nothing is
// joined across the gap.
std::unique_ptr<ProfReader> make_prof_decoder(const std::string& stream, const ProfInput& input);

}  // namespace npuwh::prof

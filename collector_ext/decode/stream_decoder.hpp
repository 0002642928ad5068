// A decoder of one stream of files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decode/batch_decoder.hpp"
#include "decode/slice_stream.hpp"

namespace npuwh {

struct DecoderInput {
    std::vector<std::string> paths;  // slices in their order
    std::size_t window_bytes = std::size_t{1} << 20;
    std::size_t batch_rows = std::size_t{1} << 16;  // a batch may end earlier
    SharedStrings strings;                          // null: a table of its own
};

class StreamDecoder : public BatchDecoder {
public:
    // record_size: see SliceStream.
    explicit StreamDecoder(const DecoderInput& input, std::size_t record_size = 0)
        : BatchDecoder(input.strings ? input.strings : std::make_shared<StringTable>()),
          stream_(input.paths, input.window_bytes, record_size),
          batch_rows_(input.batch_rows == 0 ? 1 : input.batch_rows) {}

    const Ledger& ledger() const override { return stream_.ledger(); }

protected:
    // Number of the text; one that is not UTF-8 is booked as a fault at the record in hand.
    std::int64_t text_id(std::string_view bytes) {
        const StringTable::Interned interned = strings().intern(bytes);
        if (interned.was_repaired) {
            stream_.note(fault::kBadUtf8);
        }
        return interned.id;
    }

    bool is_batch_over(const RecordBatch& batch) { return batch.rows() >= batch_rows_ || strings().is_full(); }

    SharedBatch finish(std::shared_ptr<RecordBatch>&& batch) const {
        return batch->rows() == 0 ? nullptr : SharedBatch(std::move(batch));
    }

    SliceStream& stream() { return stream_; }
    std::size_t batch_rows() const { return batch_rows_; }

private:
    SliceStream stream_;
    std::size_t batch_rows_;
};

}  // namespace npuwh

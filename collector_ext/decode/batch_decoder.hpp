// What every decoder offers.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "decode/ledger.hpp"
#include "decode/record_batch.hpp"
#include "decode/string_table.hpp"

namespace npuwh {

// Reads one stream from its first byte to its last, a batch at a time.  Texts are numbers of the string table: take its new ones
// after each batch and before using the batch.
class BatchDecoder {
public:
    explicit BatchDecoder(SharedStrings strings) : strings_(std::move(strings)) {}
    virtual ~BatchDecoder() = default;
    BatchDecoder(const BatchDecoder&) = delete;
    BatchDecoder& operator=(const BatchDecoder&) = delete;

    // The next rows, at least one; null at the end of the stream.
    virtual SharedBatch next() = 0;

    // Rows of another kind that came up since the last call, e.g. "stack_frame"; null if there are none.  Call until null.
    virtual SharedBatch take(const std::string& /*kind*/) { return nullptr; }

    virtual const Ledger& ledger() const = 0;

    StringTable& strings() { return *strings_; }

private:
    SharedStrings strings_;
};

}  // namespace npuwh

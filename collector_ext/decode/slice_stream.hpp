// A list of files read as one string of bytes, through a window of bounded size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "decode/byte_window.hpp"
#include "decode/ledger.hpp"

namespace npuwh {

// Memory is the window plus the longest record asked for, whatever the files hold.  Files are read with read calls, never mapped:
// they may be cut while they are read.  A file that is missing or shorter than it said is reported, and the next one follows.
//
// Every byte is accepted or rejected, and nothing else moves the stream on, so that the ledger balances by construction.
class SliceStream {
public:
    static constexpr std::size_t kLongestLook = std::size_t{64} << 20;

    // record_size > 0: the files are the rest of a ring of fixed-size records that may have lost its beginning, so
    // (sum of sizes) mod record_size bytes are rejected from the front (cann-files.md 1.1).
    SliceStream(std::vector<std::string> paths, std::size_t window_bytes, std::size_t record_size = 0);
    ~SliceStream();
    SliceStream(const SliceStream&) = delete;
    SliceStream& operator=(const SliceStream&) = delete;

    // At least `wanted` bytes from here on where the stream has that many (and up to kLongestLook), else all that are left.
    // Valid until the stream is looked at again or moves on.
    ByteWindow look(std::size_t wanted) {
        if (end_ - begin_ < wanted) {
            fill(wanted);
        }
        return {buffer_.data() + begin_, end_ - begin_};
    }

    // The bytes were decoded; the records begin here.
    void accept(std::size_t bytes, std::uint64_t records = 1) {
        if (bytes <= end_ - begin_ && bytes <= slice_end_ - position_) {
            ledger_.file(slice_).bytes_decoded += bytes;
            ledger_.file(slice_).records_decoded += records;
            begin_ += bytes;
            position_ += bytes;
            return;
        }
        accept_across(bytes, records);
    }

    // The bytes (as far as the stream has them) are no good; they may reach beyond the window.  `faults` is 0 where they go on
    // what was rejected before.
    void reject(std::uint64_t bytes, const FaultKind& kind, std::uint64_t records = 1, std::uint64_t faults = 1);

    // Something is wrong here, but no byte is lost for it.
    void note(const FaultKind& kind, std::uint64_t count = 1);

    // Bytes from here to the end, as far as is known: less if a file turns out short.
    std::uint64_t bytes_left() const { return (end_ - begin_) + unread_; }
    std::uint64_t position() const { return position_; }  // from the beginning of the first file
    const Ledger& ledger() const { return ledger_; }

private:
    static constexpr std::uint64_t kUnknownEnd = UINT64_MAX;

    void accept_across(std::size_t bytes, std::uint64_t records);
    void fill(std::size_t wanted);
    bool open_next();
    void close_file(const FaultKind* reason);
    void move_on(std::size_t bytes, std::uint64_t FileLedger::*bucket);
    void settle();
    std::uint64_t offset_in_file() const;

    Ledger ledger_;
    std::size_t window_bytes_;
    std::vector<std::uint8_t> buffer_;
    std::size_t begin_ = 0;  // of the bytes in hand, within the buffer
    std::size_t end_ = 0;

    int descriptor_ = -1;
    std::size_t reading_ = 0;            // file that is read next or now
    std::uint64_t reading_offset_ = 0;   // within it
    std::uint64_t unread_ = 0;           // bytes of all files that are not read yet
    std::vector<std::uint64_t> ends_;    // position where each file read so far ends

    std::uint64_t position_ = 0;
    std::size_t slice_ = 0;              // file of position_
    std::uint64_t slice_start_ = 0;
    std::uint64_t slice_end_ = kUnknownEnd;  // unknown while that file is read
};

}  // namespace npuwh

#include "decode/slice_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <utility>

namespace npuwh {
namespace {

constexpr std::size_t kSmallestWindow = 4096;

// EINTR is no failure.
ssize_t read_at(int descriptor, std::uint8_t* to, std::size_t bytes, std::uint64_t offset) {
    ssize_t got = 0;
    do {
        got = ::pread(descriptor, to, bytes, static_cast<off_t>(offset));
    } while (got < 0 && errno == EINTR);
    return got;
}

}  // namespace

SliceStream::SliceStream(std::vector<std::string> paths, std::size_t window_bytes, std::size_t record_size)
    : ledger_(std::move(paths)), window_bytes_(std::min(std::max(window_bytes, kSmallestWindow), kLongestLook)) {
    for (std::size_t index = 0; index < ledger_.files().size(); ++index) {
        FileLedger& file = ledger_.file(index);
        struct stat state {};
        if (::stat(file.path.c_str(), &state) == 0 && S_ISREG(state.st_mode)) {
            file.size_bytes = static_cast<std::uint64_t>(state.st_size);
            unread_ += file.size_bytes;
        }
    }
    if (record_size > 0 && unread_ % record_size > 0) {
        reject(unread_ % record_size, fault::kFrontPartial);
    }
}

SliceStream::~SliceStream() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

bool SliceStream::open_next() {
    FileLedger& file = ledger_.file(reading_);
    // not blocking: a pipe that took the file's place must not hang us
    descriptor_ = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    reading_offset_ = 0;
    if (descriptor_ < 0) {
        close_file(&fault::kFileMissing);
        return false;
    }
    struct stat state {};
    if (::fstat(descriptor_, &state) != 0 || !S_ISREG(state.st_mode)) {
        close_file(&fault::kFileNotRegular);
        return false;
    }
    return true;
}

// Done with the file being read; what it still owes is not to be had.
void SliceStream::close_file(const FaultKind* reason) {
    FileLedger& file = ledger_.file(reading_);
    if (descriptor_ >= 0) {
        struct stat state {};
        if (reason == nullptr && ::fstat(descriptor_, &state) == 0 &&
            static_cast<std::uint64_t>(state.st_size) > file.size_bytes) {
            reason = &fault::kFileGrew;
        }
        ::close(descriptor_);
        descriptor_ = -1;
    }
    if (reason != nullptr) {
        ledger_.add_fault(*reason, reading_, reading_offset_);
    }
    unread_ -= file.size_bytes - reading_offset_;
    ends_.push_back(position_ + (end_ - begin_));
    ++reading_;
    settle();
}

// Finds the file that position_ lies in.  A file's last byte gone, the next file is the one, unless none follows.
void SliceStream::settle() {
    slice_end_ = slice_ < ends_.size() ? ends_[slice_] : kUnknownEnd;
    while (position_ >= slice_end_ && slice_ + 1 < ledger_.files().size()) {
        slice_start_ = slice_end_;
        ++slice_;
        slice_end_ = slice_ < ends_.size() ? ends_[slice_] : kUnknownEnd;
    }
}

void SliceStream::fill(std::size_t wanted) {
    wanted = std::min(wanted, kLongestLook);
    if (unread_ == 0 && reading_ == ledger_.files().size()) {
        return;
    }
    // a window beyond what is wanted, so that the bytes in hand are moved once a window and not once a record
    const std::size_t in_hand = end_ - begin_;
    const std::size_t room = wanted + window_bytes_;
    if (begin_ > 0) {
        std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
                  buffer_.begin());
        begin_ = 0;
        end_ = in_hand;
    }
    if (buffer_.size() < room && buffer_.size() < in_hand + unread_) {
        buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(room, in_hand + unread_)));
    } else if (buffer_.size() > 4 * room) {  // a giant record is over
        buffer_.resize(room);
        buffer_.shrink_to_fit();
    }
    while (end_ < buffer_.size() || unread_ == 0) {
        if (reading_ == ledger_.files().size()) {
            return;
        }
        if (descriptor_ < 0 && !open_next()) {
            continue;
        }
        const std::uint64_t owed = ledger_.file(reading_).size_bytes - reading_offset_;
        if (owed == 0) {
            close_file(nullptr);
            continue;
        }
        const std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(owed, buffer_.size() - end_));
        const ssize_t got = read_at(descriptor_, buffer_.data() + end_, most, reading_offset_);
        if (got <= 0) {
            close_file(got == 0 ? &fault::kFileShrunk : &fault::kReadError);
            continue;
        }
        end_ += static_cast<std::size_t>(got);
        reading_offset_ += static_cast<std::uint64_t>(got);
        unread_ -= static_cast<std::uint64_t>(got);
    }
}

void SliceStream::move_on(std::size_t bytes, std::uint64_t FileLedger::*bucket) {
    assert(bytes <= end_ - begin_);
    begin_ += bytes;
    while (bytes > 0) {
        const std::uint64_t part = std::min<std::uint64_t>(bytes, slice_end_ - position_);
        ledger_.file(slice_).*bucket += part;
        position_ += part;
        bytes -= static_cast<std::size_t>(part);
        if (position_ == slice_end_) {
            if (slice_ + 1 == ledger_.files().size()) {
                break;
            }
            settle();
        }
    }
}

void SliceStream::accept_across(std::size_t bytes, std::uint64_t records) {
    settle();
    ledger_.file(slice_).records_decoded += records;
    move_on(bytes, &FileLedger::bytes_decoded);
}

void SliceStream::reject(std::uint64_t bytes, const FaultKind& kind, std::uint64_t records, std::uint64_t faults) {
    ByteWindow window = look(1);
    if (window.size() == 0) {
        return;
    }
    settle();
    const std::size_t file = slice_;
    const std::uint64_t offset = offset_in_file();
    ledger_.file(file).records_rejected += records;
    std::uint64_t rejected = 0;
    while (rejected < bytes && window.size() > 0) {
        const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(bytes - rejected, window.size()));
        move_on(part, &FileLedger::bytes_rejected);
        rejected += part;
        window = look(1);
    }
    ledger_.add_fault(kind, file, offset, rejected, faults);
}

void SliceStream::note(const FaultKind& kind, std::uint64_t count) {
    if (!ledger_.files().empty()) {
        settle();
        ledger_.add_fault(kind, slice_, offset_in_file(), 0, count);
    }
}

std::uint64_t SliceStream::offset_in_file() const { return position_ - slice_start_; }

}  // namespace npuwh

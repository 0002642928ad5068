#include "sqlite_file/page_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sqlite_file/errors.hpp"

namespace npuwh::sqlite_file {
namespace {

constexpr std::size_t kStagingBytes = 1 << 20;  // fits the cache; larger ones measure slower
constexpr std::size_t kBuffers = 3;             // one is filled, one is written, one waits
constexpr std::uint64_t kLockByte = 0x40000000;
constexpr std::uint32_t kMostPages = 0xfffffffe;

}  // namespace

PageFile::PageFile(int handle, std::size_t page_size, std::function<void()> between)
    : handle_(handle),
      page_size_(page_size),
      between_(std::move(between)),
      lock_page_(static_cast<std::uint32_t>(kLockByte / page_size + 1)),
      buffers_(kBuffers) {
    for (Staging& buffer : buffers_) {
        buffer.bytes.resize(kStagingBytes / page_size * page_size);
    }
    for (std::size_t place = 1; place < kBuffers; ++place) {
        empty_.push_back(place);
    }
    buffers_[filling_].first = next_;
    thread_ = std::thread([this] { write_in_background(); });
}

PageFile::~PageFile() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        is_ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

std::uint32_t PageFile::append(const std::uint8_t* page) {
    if (next_ >= kMostPages) {
        throw_errno("page count", EFBIG);
    }
    if (buffers_[filling_].pages * page_size_ == buffers_[filling_].bytes.size()) {
        hand_over();
    }
    Staging& buffer = buffers_[filling_];
    std::memcpy(buffer.bytes.data() + buffer.pages * page_size_, page, page_size_);
    ++buffer.pages;
    const std::uint32_t number = next_;
    next_ = after(number);
    if (next_ != number + 1) {  // a hole in the file reads as zeros
        hand_over();
    }
    return number;
}

void PageFile::hand_over() {
    if (between_) {
        between_();
    }
    std::unique_lock<std::mutex> lock(mutex_);
    if (buffers_[filling_].pages > 0) {
        waiting_.push_back(filling_);
        changed_.notify_all();
        changed_.wait(lock, [this] { return !empty_.empty() || failure_ != 0; });
        if (failure_ != 0) {
            throw_errno("write", failure_);
        }
        filling_ = empty_.back();
        empty_.pop_back();
        buffers_[filling_].pages = 0;
    }
    buffers_[filling_].first = next_;
}

void PageFile::wait_until_written() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return (waiting_.empty() && !is_writing_) || failure_ != 0; });
    if (failure_ != 0) {
        throw_errno("write", failure_);
    }
}

void PageFile::rewind(std::uint32_t next) {
    Staging& buffer = buffers_[filling_];
    next_ = next;
    if (next >= buffer.first && next <= buffer.first + buffer.pages) {
        buffer.pages = next - buffer.first;
        return;
    }
    wait_until_written();  // later pages are written over what is there
    buffer.pages = 0;
    buffer.first = next;
}

void PageFile::finish(const std::uint8_t* first_page) {
    hand_over();
    wait_until_written();
    write_all(first_page, page_size_, 0);
    if (ftruncate(handle_, static_cast<off_t>(page_size_ * count())) != 0) {
        throw_errno("truncate");
    }
}

void PageFile::write_in_background() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
        if (is_ending_ || failure_ != 0) {
            return;
        }
        const std::size_t place = waiting_.front();
        waiting_.erase(waiting_.begin());
        is_writing_ = true;
        lock.unlock();
        const Staging& buffer = buffers_[place];
        int failure = 0;
        try {
            write_all(buffer.bytes.data(), buffer.pages * page_size_, std::uint64_t{buffer.first - 1} * page_size_);
        } catch (const std::system_error& error) {
            failure = error.code().value();
        }
        lock.lock();
        is_writing_ = false;
        failure_ = failure;
        empty_.push_back(place);
        changed_.notify_all();
        if (failure != 0) {
            return;
        }
    }
}

void PageFile::write_all(const std::uint8_t* bytes, std::size_t size, std::uint64_t offset) const {
    while (size > 0) {
        const ssize_t written = pwrite(handle_, bytes, size, static_cast<off_t>(offset));
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            throw_errno("write");
        }
        bytes += written;
        offset += static_cast<std::uint64_t>(written);
        size -= static_cast<std::size_t>(written);
    }
}

}  // namespace npuwh::sqlite_file

// The file that keys go to when they are more than the memory given to them.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "sqlite_file/errors.hpp"

namespace npuwh::sqlite_file {

// Grows at its end; what was written is read from anywhere, by several threads.
class SpillFile {
public:
    // `handle` is an empty file, which stays the caller's.
    explicit SpillFile(int handle) : handle_(handle) {}

    // Returns where the bytes went.
    std::uint64_t reserve(std::size_t size) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const std::uint64_t place = end_;
        end_ += size;
        return place;
    }

    void write(std::uint64_t place, const std::uint8_t* bytes, std::size_t size) const {
        while (size > 0) {
            const ssize_t done = pwrite(handle_, bytes, size, static_cast<off_t>(place));
            if (done < 0 && errno == EINTR) {
                continue;
            }
            if (done < 0) {
                throw_errno("write sort file");
            }
            bytes += done;
            place += static_cast<std::uint64_t>(done);
            size -= static_cast<std::size_t>(done);
        }
    }

    void read(std::uint64_t place, std::uint8_t* bytes, std::size_t size) const {
        while (size > 0) {
            const ssize_t done = pread(handle_, bytes, size, static_cast<off_t>(place));
            if (done < 0 && errno == EINTR) {
                continue;
            }
            if (done <= 0) {
                throw_errno("read sort file", done < 0 ? errno : EIO);
            }
            bytes += done;
            place += static_cast<std::uint64_t>(done);
            size -= static_cast<std::size_t>(done);
        }
    }

private:
    int handle_;
    std::mutex mutex_;
    std::uint64_t end_ = 0;
};

}  // namespace npuwh::sqlite_file

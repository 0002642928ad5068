// Files that live as long as their object, in memory.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace check {

using Bytes = std::vector<std::uint8_t>;

class ScratchFile {
public:
    explicit ScratchFile(const Bytes& bytes = {}) : descriptor_(::memfd_create("scratch", MFD_CLOEXEC)) {
        if (descriptor_ < 0) {
            throw std::runtime_error("no scratch file");
        }
        path_ = "/proc/self/fd/" + std::to_string(descriptor_);
        write(bytes);
    }
    ~ScratchFile() { ::close(descriptor_); }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;

    void write(const Bytes& bytes) {
        truncate(0);
        if (::pwrite(descriptor_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
            throw std::runtime_error("short write to " + path_);
        }
    }
    void truncate(std::size_t bytes) {
        if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) {
            throw std::runtime_error("cannot cut " + path_);
        }
    }
    const std::string& path() const { return path_; }

private:
    int descriptor_;
    std::string path_;
};

}  // namespace check

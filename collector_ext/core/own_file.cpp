#include "core/own_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace npuwh::core {

int OwnFile::open(const std::string& path, int flags) noexcept {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0640);
    if (descriptor_ < 0) return errno;
    struct stat found;
    if (fstat(descriptor_, &found) != 0) {
        const int error = errno;
        ::close(descriptor_);
        descriptor_ = -1;
        return error;
    }
    device_ = found.st_dev;
    inode_ = found.st_ino;
    return 0;
}

bool OwnFile::is_ours() const noexcept {
    struct stat found;
    return descriptor_ >= 0 && fstat(descriptor_, &found) == 0 && found.st_dev == device_ && found.st_ino == inode_;
}

int OwnFile::write(const void* data, size_t size, size_t& written) noexcept {
    written = 0;
    while (written != size) {
        if (!is_ours()) return EBADF;
        const ssize_t now = ::write(descriptor_, static_cast<const char*>(data) + written, size - written);
        if (now >= 0) {
            written += static_cast<size_t>(now);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

int OwnFile::cut(off_t size) noexcept {
    if (!is_ours()) return EBADF;
    return ftruncate(descriptor_, size) != 0 || lseek(descriptor_, size, SEEK_SET) < 0 ? errno : 0;
}

off_t OwnFile::size() const noexcept {
    struct stat found;
    return is_ours() && fstat(descriptor_, &found) == 0 ? found.st_size : -1;
}

int OwnFile::close() noexcept {
    if (descriptor_ < 0) return 0;
    const bool was_ours = is_ours();
    const int descriptor = descriptor_;
    descriptor_ = -1;
    if (!was_ours) return EBADF;
    return ::close(descriptor) != 0 ? errno : 0;
}

}  // namespace npuwh::core

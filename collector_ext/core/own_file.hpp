// A file that is written by its descriptor, which the program may close and use for a file of its own: daemons close
// all descriptors they find.  Whether it is still ours is looked at before every use.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace npuwh::core {

// Functions return 0 or an errno; EBADF if the descriptor is not ours any more, which is then left alone.
class OwnFile {
   public:
    OwnFile() = default;
    OwnFile(const OwnFile&) = delete;
    OwnFile& operator=(const OwnFile&) = delete;
    ~OwnFile() { close(); }

    // As open(2) with O_WRONLY, O_CREAT, O_CLOEXEC and O_NOFOLLOW besides `flags`.
    int open(const std::string& path, int flags) noexcept;

    bool is_open() const noexcept { return descriptor_ >= 0; }

    // All of it at where the last write ended; `written` gets how much of it went, also if not all did.
    int write(const void* data, size_t size, size_t& written) noexcept;

    // Its size from now on; the next write begins there.
    int cut(off_t size) noexcept;

    // -1 if it is not ours.
    off_t size() const noexcept;

    int close() noexcept;

   private:
    bool is_ours() const noexcept;

    int descriptor_ = -1;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace npuwh::core

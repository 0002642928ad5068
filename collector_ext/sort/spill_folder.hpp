// The memory that several sorters share, and where they put what goes beyond it.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sqlite_file/spill_file.hpp"

namespace npuwh::sort {

// Holds memory that it can do without.
class Holder {
public:
    virtual ~Holder() = default;
    // Moves everything to disk.
    virtual void spill() = 0;
    std::size_t held() const { return held_.load(std::memory_order_relaxed); }

protected:
    std::atomic<std::size_t> held_{0};  // bytes
};

// A file that only its handle leads to: gone when it is closed, or when the process ends, however it does.
class TemporaryFile {
public:
    // In a new folder that nobody else may enter.  Throws std::system_error.
    explicit TemporaryFile(const std::string& folder);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    sqlite_file::SpillFile& bytes() { return bytes_; }

private:
    int handle_;
    sqlite_file::SpillFile bytes_;
};

class SpillFolder {
public:
    // `place`: the directory for temporary files; nothing is made there before something has to go to disk.
    SpillFolder(std::string place, std::size_t limit) : place_(std::move(place)), limit_(limit) {}

    std::unique_ptr<TemporaryFile> new_file() const { return std::make_unique<TemporaryFile>(place_); }
    void enter(const std::weak_ptr<Holder>& holder);

    // While all together hold more than the limit, the one that holds most spills.  No holder may be locked by the caller.
    void make_room();

    std::size_t held() const;

private:
    std::shared_ptr<Holder> largest_beyond_limit();

    const std::string place_;
    const std::size_t limit_;
    mutable std::mutex mutex_;
    std::vector<std::weak_ptr<Holder>> holders_;
};

}  // namespace npuwh::sort

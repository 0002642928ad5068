#include "sort/spill_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace npuwh::sort {
namespace {

int open_unnamed(const std::string& folder) {
    std::string inside = folder + "/npuwh-XXXXXX";
    if (mkdtemp(inside.data()) == nullptr) {
        sqlite_file::throw_errno("make a temporary folder");
    }
    const std::string path = inside + "/rows";
    const int handle = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const int code = errno;
    if (handle >= 0) {
        unlink(path.c_str());
    }
    rmdir(inside.c_str());
    if (handle < 0) {
        sqlite_file::throw_errno("open a temporary file", code);
    }
    return handle;
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& folder) : handle_(open_unnamed(folder)), bytes_(handle_) {}

TemporaryFile::~TemporaryFile() { close(handle_); }

void SpillFolder::enter(const std::weak_ptr<Holder>& holder) {
    const std::lock_guard<std::mutex> lock(mutex_);
    holders_.erase(std::remove_if(holders_.begin(), holders_.end(), [](const auto& each) { return each.expired(); }), holders_.end());
    holders_.push_back(holder);
}

std::size_t SpillFolder::held() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::size_t total = 0;
    for (const std::weak_ptr<Holder>& each : holders_) {
        if (const std::shared_ptr<Holder> holder = each.lock()) {
            total += holder->held();
        }
    }
    return total;
}

std::shared_ptr<Holder> SpillFolder::largest_beyond_limit() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::size_t total = 0;
    std::shared_ptr<Holder> largest;
    for (const std::weak_ptr<Holder>& each : holders_) {
        if (std::shared_ptr<Holder> holder = each.lock()) {
            total += holder->held();
            if (!largest || holder->held() > largest->held()) {
                largest = std::move(holder);
            }
        }
    }
    return total > limit_ ? largest : nullptr;
}

void SpillFolder::make_room() {
    while (const std::shared_ptr<Holder> largest = largest_beyond_limit()) {
        largest->spill();
    }
}

}  // namespace npuwh::sort

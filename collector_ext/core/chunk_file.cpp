#include "core/chunk_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "core/ticks.hpp"

namespace npuwh::core {

int ChunkFile::open_next() {
    char number[16];
    std::snprintf(number, sizeof number, "%06u", next_number_++);
    facts_ = {std::string(name_of(table_)) + "-" + number + ".arrows", table_, 0, 0, 0};
    const std::string path = folder_ + "/" + facts_.file + ".part";
    // never over a file that is there, never through a link
    descriptor_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (descriptor_ < 0) return errno;
    opened_ns_ = read_clock_ns(CLOCK_MONOTONIC);
    const std::vector<std::byte> schema = schema_message(columns_of(table_));
    return write_all(schema.data(), schema.size());
}

int ChunkFile::write_all(const std::byte* data, size_t size) {
    while (size != 0) {
        const ssize_t written = ::write(descriptor_, data, size);
        if (written < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        data += written;
        size -= static_cast<size_t>(written);
        facts_.bytes += written;
    }
    return 0;
}

int ChunkFile::write(const std::vector<std::byte>& messages, int64_t rows) {
    if (!is_open()) {
        if (const int error = open_next()) return error;
    }
    if (const int error = write_all(messages.data(), messages.size())) return error;
    facts_.rows += rows;
    ++facts_.batches;
    return 0;
}

int ChunkFile::complete(std::vector<ChunkFacts>& facts) {
    if (!is_open()) return 0;
    const std::vector<std::byte> end = end_message();
    int error = write_all(end.data(), end.size());
    // No fsync: what a process wrote survives its end however it ends.  After a power cut the manifest's row counts tell
    // what is missing; waiting for the disk here would fill the rings.
    if (close(descriptor_) != 0 && error == 0) error = errno;
    descriptor_ = -1;
    if (error != 0) return error;
    const std::string path = folder_ + "/" + facts_.file;
    if (rename((path + ".part").c_str(), path.c_str()) != 0) return errno;
    facts.push_back(facts_);
    return 0;
}

void ChunkFile::forget() noexcept {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
}

}  // namespace npuwh::core

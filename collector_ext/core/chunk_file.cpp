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
    // never over a file that is there
    if (const int error = file_.open(path, O_EXCL)) return error;
    opened_ns_ = read_clock_ns(CLOCK_MONOTONIC);
    const int error = write_all(schema_message(columns_of(table_)));
    if (error != 0 && error != EBADF) {  // not even begun
        file_.close();
        unlink(path.c_str());
    }
    return error;
}

int ChunkFile::write_all(const std::vector<std::byte>& bytes) {
    size_t written = 0;
    const int error = file_.write(bytes.data(), bytes.size(), written);
    if (error == 0) {
        facts_.bytes += static_cast<int64_t>(written);
    } else if (written != 0) {
        file_.cut(facts_.bytes);  // a part of a message is of no use, and its place may be what the end mark needs
    }
    return error;
}

int ChunkFile::write(const std::vector<std::byte>& messages, int64_t rows) {
    if (!is_open()) {
        if (const int error = open_next()) return error;
    }
    if (const int error = write_all(messages)) return error;
    facts_.rows += rows;
    ++facts_.batches;
    return 0;
}

int ChunkFile::complete(std::vector<ChunkFacts>& facts) {
    if (!is_open()) return 0;
    int error = write_all(end_message());
    // No fsync: what a process wrote survives its end however it ends.  After a power cut the manifest's row counts tell
    // what is missing; waiting for the disk here would fill the rings.
    if (const int closing = file_.close(); error == 0) error = closing;
    if (error != 0) return error;
    const std::string path = folder_ + "/" + facts_.file;
    if (rename((path + ".part").c_str(), path.c_str()) != 0) return errno;
    facts.push_back(facts_);
    return 0;
}

}  // namespace npuwh::core

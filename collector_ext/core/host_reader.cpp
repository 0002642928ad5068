#include "core/host_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>

#include "core/ticks.hpp"

namespace npuwh::core {

namespace {

constexpr size_t kLargestFile = size_t{1} << 20;
constexpr int64_t kSectorBytes = 512;  // of diskstats, whatever the disk's are

// Words of a line, one after the other.
class Words {
   public:
    explicit Words(std::string_view line) : left_(line) {}

    // The next word; empty at the end.
    std::string_view next() {
        const size_t from = std::min(left_.find_first_not_of(" \t"), left_.size());
        left_.remove_prefix(from);
        const size_t size = std::min(left_.find_first_of(" \t"), left_.size());
        const std::string_view word = left_.substr(0, size);
        left_.remove_prefix(size);
        return word;
    }

    // The next word as a number, 0 if it is none.
    int64_t number() {
        const std::string_view word = next();
        int64_t value = 0;
        const auto end = std::from_chars(word.data(), word.data() + word.size(), value);
        return end.ec == std::errc() ? value : 0;
    }

    void skip(int count) {
        for (int each = 0; each < count; ++each) next();
    }

   private:
    std::string_view left_;
};

// The next line of `text`, which loses it.
std::string_view take_line(std::string_view& text) {
    const size_t size = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, size);
    text.remove_prefix(std::min(size + 1, text.size()));
    return line;
}

bool begins_with(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

int open_file(const std::string& path) { return open(path.c_str(), O_RDONLY | O_CLOEXEC); }

}  // namespace

HostReader::HostReader(unsigned parts, std::string proc, std::string sys) : parts_(parts), sys_(std::move(sys)) {
    files_.fill(-1);
    const auto add = [&](unsigned part, File file, const char* name) {
        if ((parts & part) != 0) files_[file] = open_file(proc + name);
    };
    add(host_part::kCpu, kStat, "/stat");
    add(host_part::kMemory, kMeminfo, "/meminfo");
    add(host_part::kMemory, kProcessMemory, "/self/statm");
    add(host_part::kDisk, kDiskstats, "/diskstats");
    add(host_part::kDisk, kProcessIo, "/self/io");
    add(host_part::kNetwork, kNetDev, "/net/dev");
}

HostReader::~HostReader() {
    for (const int file : files_) {
        if (file >= 0) close(file);
    }
}

void HostReader::read(const Sample& sample) {
    if ((parts_ & host_part::kCpu) != 0) read_processors(sample);
    if ((parts_ & host_part::kMemory) != 0) read_memory(sample);
    if ((parts_ & host_part::kDisk) != 0) read_disks(sample);
    if ((parts_ & host_part::kNetwork) != 0) read_network(sample);
}

std::string_view HostReader::text_of(File file) {
    if (files_[file] < 0) return {};
    if (text_.empty()) text_.resize(size_t{1} << 14);
    size_t size = 0;
    for (;;) {
        const ssize_t got = pread(files_[file], text_.data() + size, text_.size() - size, static_cast<off_t>(size));
        if (got <= 0) break;
        size += static_cast<size_t>(got);
        if (size < text_.size()) continue;
        if (size >= kLargestFile) break;
        text_.resize(text_.size() * 2);
    }
    return {text_.data(), size};
}

void HostReader::read_processors(const Sample& sample) {
    timespec time{};
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0) {
        sample("cpu process", static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec, 0);
    }
    std::string series;
    for (std::string_view text = text_of(kStat); begins_with(text, "cpu");) {
        Words words(take_line(text));
        const std::string_view number = words.next().substr(3);
        if (number.empty()) continue;  // all of them
        // user nice system idle iowait irq softirq steal; guests are counted as user already
        int64_t all = 0;
        int64_t idle = 0;
        for (int place = 0; place < 8; ++place) {
            const int64_t ticks = words.number();
            all += ticks;
            if (place == 3 || place == 4) idle += ticks;
        }
        series.assign("cpu ").append(number);
        sample(series, all - idle, all);
    }
}

void HostReader::read_memory(const Sample& sample) {
    int64_t total = 0;
    int64_t available = 0;
    for (std::string_view text = text_of(kMeminfo); !text.empty();) {
        Words words(take_line(text));
        const std::string_view name = words.next();
        if (name == "MemTotal:") total = words.number() * 1024;
        if (name == "MemAvailable:") available = words.number() * 1024;
        if (total != 0 && available != 0) break;
    }
    if (total != 0) sample("memory system", total - available, total);
    Words pages(text_of(kProcessMemory));
    pages.skip(1);
    if (const int64_t resident = pages.number(); resident != 0) {
        sample("memory process", resident * sysconf(_SC_PAGESIZE), 0);
    }
}

void HostReader::read_disks(const Sample& sample) {
    int64_t read = 0;
    int64_t written = 0;
    int64_t busiest_ms = 0;
    bool has_disk = false;
    for (std::string_view text = text_of(kDiskstats); !text.empty();) {
        Words words(take_line(text));
        words.skip(2);
        const std::string_view name = words.next();
        if (name.empty() || !is_whole_disk(name)) continue;
        has_disk = true;
        words.skip(2);
        read += words.number() * kSectorBytes;
        words.skip(3);
        written += words.number() * kSectorBytes;
        words.skip(2);
        const int64_t busy_ms = words.number();
        const auto known = busy_ms_.try_emplace(std::string(name), busy_ms).first;
        busiest_ms = std::max(busiest_ms, busy_ms - known->second);
        known->second = busy_ms;
    }
    if (has_disk) {
        busiest_ns_ += busiest_ms * 1'000'000;
        sample("disk read", read, 0);
        sample("disk write", written, 0);
        sample("disk busy", busiest_ns_, 0);
    }
    for (std::string_view text = text_of(kProcessIo); !text.empty();) {
        Words words(take_line(text));
        const std::string_view name = words.next();
        if (name == "read_bytes:") sample("disk process read", words.number(), 0);
        if (name == "write_bytes:") sample("disk process write", words.number(), 0);
    }
}

void HostReader::read_network(const Sample& sample) {
    int64_t received = 0;
    int64_t sent = 0;
    int64_t capacity = 0;
    bool has_interface = false;
    for (std::string_view text = text_of(kNetDev); !text.empty();) {
        const std::string_view line = take_line(text);
        const size_t colon = line.find(':');
        if (colon == std::string_view::npos) continue;  // the two lines above the numbers
        const std::string_view name = Words(line.substr(0, colon)).next();
        if (name == "lo") continue;
        has_interface = true;
        Words words(line.substr(colon + 1));
        received += words.number();
        words.skip(7);
        sent += words.number();
        capacity += bytes_a_second(name);
    }
    if (!has_interface) return;
    sample("network receive", received, 0);
    sample("network send", sent, 0);
    sample("network all", received + sent, capacity);
}

// Partitions, loops, and what is put together of other disks would count the same bytes twice.
bool HostReader::is_whole_disk(std::string_view name) {
    const auto [found, is_new] = disks_.try_emplace(std::string(name), false);
    if (is_new && name.find('/') == std::string_view::npos) {
        found->second = access((sys_ + "/block/" + found->first + "/device").c_str(), F_OK) == 0;
    }
    return found->second;
}

int64_t HostReader::bytes_a_second(std::string_view interface) {
    const auto [found, is_new] = speeds_.try_emplace(std::string(interface), 0);
    if (!is_new || interface.find('/') != std::string_view::npos) return found->second;
    const int file = open_file(sys_ + "/class/net/" + found->first + "/speed");
    if (file < 0) return 0;
    char text[32] = {};
    if (pread(file, text, sizeof text - 1, 0) > 0) {
        // in Mbit/s; -1 if the interface has no speed, as those of virtual machines
        found->second = std::max<int64_t>(std::strtol(text, nullptr, 10), 0) * 1'000'000 / 8;
    }
    close(file);
    return found->second;
}

}  // namespace npuwh::core

// What the host does beside the program, as the system's files say it: processors, memory, disks, network.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace npuwh::core {

// What is read; bits of a set.
namespace host_part {
constexpr unsigned kCpu = 1;
constexpr unsigned kMemory = 2;
constexpr unsigned kDisk = 4;
constexpr unsigned kNetwork = 8;
}  // namespace host_part

// Totals since some moment, or amounts of now, by series:
//   cpu N            ticks in which processor N was at work, of all its ticks
//   cpu process      ns that the threads of this process ran
//   memory system    bytes in use, of all bytes (now)
//   memory process   resident bytes of this process (now)
//   disk read, disk write                     bytes, all disks
//   disk busy        ns that the busiest disk was at work, of each time between two readings
//   disk process read, disk process write     bytes that this process caused
//   network receive, network send             bytes, all interfaces but lo
//   network all      both, of as many bytes a second as the interfaces can take (0: unknown)
// What a machine does not tell is left out.  Not safe for use by several threads at once.
class HostReader {
   public:
    // `whole`: what the value is a part of, 0 if it is none.
    using Sample = std::function<void(std::string_view series, int64_t value, int64_t whole)>;

    // `proc` and `sys`: where the system's files are.
    explicit HostReader(unsigned parts, std::string proc = "/proc", std::string sys = "/sys");
    ~HostReader();
    HostReader(const HostReader&) = delete;
    HostReader& operator=(const HostReader&) = delete;

    void read(const Sample& sample);

   private:
    enum File { kStat, kMeminfo, kDiskstats, kNetDev, kProcessMemory, kProcessIo, kFileCount };

    // The file's text, at most 1 MiB of it; empty if there is none.  Valid until the next call.
    std::string_view text_of(File file);
    void read_processors(const Sample& sample);
    void read_memory(const Sample& sample);
    void read_disks(const Sample& sample);
    void read_network(const Sample& sample);
    bool is_whole_disk(std::string_view name);
    int64_t bytes_a_second(std::string_view interface);

    const unsigned parts_;
    const std::string sys_;
    std::array<int, kFileCount> files_;  // -1: not there
    std::string text_;
    std::unordered_map<std::string, bool> disks_;
    std::unordered_map<std::string, int64_t> busy_ms_;  // of each disk when it was read last
    int64_t busiest_ns_ = 0;
    std::unordered_map<std::string, int64_t> speeds_;
};

}  // namespace npuwh::core

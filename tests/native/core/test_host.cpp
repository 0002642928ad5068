#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "check.hpp"
#include "core/host_reader.hpp"
#include "core/host_sampler.hpp"
#include "core/recorder.hpp"

using namespace npuwh::core;

namespace {

// Files of a system that is not this one; removed with the object.
class System {
   public:
    System() {
        const char* base = getenv("TMPDIR");
        path = std::string(base != nullptr ? base : P_tmpdir) + "/npuwh-host-XXXXXX";
        if (mkdtemp(path.data()) == nullptr) abort();
    }
    ~System() { std::filesystem::remove_all(path); }
    void write(const std::string& file, const std::string& text) const {
        const std::filesystem::path whole = path + "/" + file;
        std::filesystem::create_directories(whole.parent_path());
        std::ofstream(whole) << text;
    }
    std::string path;
};

using Values = std::map<std::string, std::pair<int64_t, int64_t>>;

Values read(HostReader& reader) {
    Values found;
    reader.read([&](std::string_view series, int64_t value, int64_t whole) {
        found[std::string(series)] = {value, whole};
    });
    found.erase("cpu process");  // of this process
    return found;
}

int64_t busy_ns(HostReader& reader) { return read(reader)["disk busy"].first; }

constexpr unsigned kAll = host_part::kCpu | host_part::kMemory | host_part::kDisk | host_part::kNetwork;

}  // namespace

TEST(what_the_files_of_a_system_say) {
    System system;
    system.write("stat", "cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 10 1 5 80 3 0 1 0 7 0\ncpu12 1 0 0 9 0 0 0 0\nintr 5 cpu\ncpu99 1\n");
    system.write("meminfo", "MemTotal:       1000 kB\nMemFree:  1 kB\nMemAvailable:    400 kB\n");
    system.write("self/statm", "900 25 3 1 0 7 0\n");
    system.write("self/io", "rchar: 7\nwchar: 8\nread_bytes: 4096\nwrite_bytes: 8192\n");
    system.write("diskstats",
                 "   8  0 sda 1 0 10 5 2 0 20 6 0 30 11\n   8  1 sda1 1 0 10 5 2 0 20 6 0 30 11\n"
                 " 259  0 nvme0n1 1 0 100 5 2 0 200 6 0 7 11\n");
    system.write("block/sda/device", "");
    system.write("block/nvme0n1/device", "");
    system.write("net/dev",
                 "Inter-|   Receive  |  Transmit\n face |bytes packets |bytes\n"
                 "    lo: 5 1 0 0 0 0 0 0 5 1 0\n  eth0:1000 1 0 0 0 0 0 0 30 1 0\n eth1: 7 1 0 0 0 0 0 0 3 1 0\n");
    system.write("class/net/eth0/speed", "1000\n");
    system.write("class/net/eth1/speed", "-1\n");
    HostReader reader(kAll, system.path, system.path);
    const int64_t page = sysconf(_SC_PAGESIZE);
    Values first = read(reader);
    CHECK((first == Values{
        {"cpu 0", {17, 100}}, {"cpu 12", {1, 10}},
        {"memory system", {600 * 1024, 1000 * 1024}}, {"memory process", {25 * page, 0}},
        {"disk read", {110 * 512, 0}}, {"disk write", {220 * 512, 0}}, {"disk busy", {0, 0}},
        {"disk process read", {4096, 0}}, {"disk process write", {8192, 0}},
        {"network receive", {1007, 0}}, {"network send", {33, 0}}, {"network all", {1040, 125'000'000}},
    }));
    // the busiest of the disks, of each time
    system.write("diskstats", "8 0 sda 1 0 10 5 2 0 20 6 0 40 11\n259 0 nvme0n1 1 0 100 5 2 0 200 6 0 32 11\n");
    CHECK_EQUAL(busy_ns(reader), int64_t{25'000'000});
    system.write("diskstats", "8 0 sda 1 0 10 5 2 0 20 6 0 50 11\n259 0 nvme0n1 1 0 100 5 2 0 200 6 0 33 11\n");
    CHECK_EQUAL(busy_ns(reader), int64_t{35'000'000});
}

TEST(what_is_missing_or_damaged_is_left_out) {
    System empty;
    HostReader nothing(kAll, empty.path, empty.path);
    CHECK(read(nothing).empty());
    static const char damage[] = "cpu:\n:\n\n8 0 ../../x\ncpu 1\n: 5\n99999999999999999999 a b\0 c";
    System system;
    for (const char* file : {"stat", "meminfo", "self/statm", "self/io", "diskstats", "net/dev"}) {
        system.write(file, std::string(damage, sizeof damage - 1));
    }
    HostReader damaged(kAll, system.path, system.path);
    for (const auto& [series, value] : read(damaged)) CHECK(value.first >= 0);
    system.write("stat", "cpu0 " + std::string(size_t{3} << 20, '1'));  // far more than is read
    HostReader large(host_part::kCpu, system.path, system.path);
    CHECK_EQUAL(read(large).size(), size_t{1});
}

TEST(samples_are_recorded_only_while_something_is) {
    System folder;
    RecorderOptions options;
    options.folder = folder.path;
    options.ring_bytes = size_t{1} << 16;
    Recorder& recorder = Recorder::instance();
    recorder.prepare(options);
    {
        HostSampler sampler(kAll, 1'000'000);
        usleep(20'000);
        CHECK_EQUAL(recorder.counters().other_records, uint64_t{0});
        recorder.start();
        usleep(50'000);
        recorder.pause();
        usleep(20'000);
        const uint64_t taken = recorder.counters().other_records;
        CHECK(taken > 0);
        usleep(20'000);
        CHECK_EQUAL(recorder.counters().other_records, taken);
        recorder.start();
        // a child has no such thread, and waits for none
        const pid_t child = fork();
        if (child == 0) _exit(Recorder::instance().is_open() ? 1 : 0);
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    recorder.stop();
    recorder.finish("{}");
    HostSampler after(host_part::kCpu, 1'000'000);  // with no recording: harmless
}

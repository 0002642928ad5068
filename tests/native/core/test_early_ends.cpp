#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "check.hpp"
#include "core/manifest.hpp"
#include "core/recorder.hpp"
#include "recording_folder.hpp"

using namespace npuwh::core;

namespace {

// Records until the recording ends early, of several threads; (events, calls and returns) that were taken.
std::pair<int64_t, int64_t> record_to_the_end() {
    std::atomic<int64_t> events{0};
    std::atomic<int64_t> frames{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread) {
        threads.emplace_back([&] {
            ThreadLog* log = Recorder::instance().thread_log();
            while (log != nullptr && Recorder::instance().is_on()) {
                events += record_one("op") ? 1 : 0;  // it may be off by now, and no ring is full
                auto* mark = log->begin<MarkRecord>(Kind::kMark, 0, now_ticks());
                if (mark == nullptr) break;
                const RecordHeader header = mark->header;
                *mark = {};
                mark->header = header;
                log->finish(mark);
                ++events;
                log->frame(now_ticks(), 1, FrameEvent::kCall, 0);
                log->frame(now_ticks(), 0, FrameEvent::kReturn, 0);
                frames += 2;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    return {events, frames};
}

void check_sums(const Folder& folder, std::pair<int64_t, int64_t> done) {
    const int64_t recorded = folder.rows("op") + folder.rows("mark");
    CHECK_EQUAL(recorded + folder.lost("events"), done.first);
    CHECK_EQUAL(folder.rows("frame") + folder.lost("frames"), done.second);
    CHECK(recorded > 0);
    CHECK(folder.lost("events") > 0);
}

}  // namespace

TEST(what_a_budget_keeps_from_the_files_is_counted) {
    for (const int64_t bytes : {int64_t{30'000}, int64_t{1'000'000}}) {
        Folder folder;
        Recorder& recorder = Recorder::instance();
        RecorderOptions options = options_for(folder);
        options.ring_bytes = size_t{64} << 20;  // that none is full
        options.limits.disk_bytes = bytes;
        options.limits.flush_ns = 1'000'000;
        recorder.prepare(options);
        recorder.start();
        const auto done = record_to_the_end();
        recorder.finish("{}");
        CHECK_EQUAL(recorder.state(), std::string("idle"));
        CHECK(folder.read("manifest.json").find("\"ended_by\": \"disk limit\"") != std::string::npos);
        check_sums(folder, done);
    }
}

TEST(what_a_small_budget_holds_is_taken_though_much_comes_at_once) {
    Folder folder;
    Recorder& recorder = Recorder::instance();
    RecorderOptions options = options_for(folder);
    options.limits.disk_bytes = 20'000;
    recorder.prepare(options);
    recorder.start();
    int64_t taken = 0;
    for (int each = 0; each < 10'000; ++each) taken += record_one("op") ? 1 : 0;
    recorder.stop();
    recorder.finish("{}");
    CHECK(folder.rows("op") >= 200);
    CHECK_EQUAL(folder.rows("op") + folder.lost("events"), taken);
}

TEST(what_a_file_does_not_take_is_counted_and_cut_off_it) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    Folder folder;
    Recorder& recorder = Recorder::instance();
    RecorderOptions options = options_for(folder);
    options.ring_bytes = size_t{64} << 20;
    options.limits.flush_ns = 1'000'000;
    options.limits.disk_bytes = 1'000'000;  // not reached, but batches are small
    recorder.prepare(options);
    recorder.start();
    const rlimit small{100'000, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const auto done = record_to_the_end();
    recorder.finish("{}");
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(!folder.has(".part"));
    CHECK(folder.read("manifest.json").find("\"ended_by\": \"disk error\"") != std::string::npos);
    check_sums(folder, done);
}

TEST(a_manifest_has_room_to_become_longer) {
    Folder folder;
    const auto numbers = [&] {
        std::set<ino_t> found;
        for (const std::string& file : folder.files()) {
            struct stat facts;
            CHECK_EQUAL(stat((folder.path + "/" + file).c_str(), &facts), 0);
            CHECK(facts.st_size >= 8192);
            found.insert(facts.st_ino);
        }
        return found;
    };
    Manifest manifest;
    manifest.state = "recording";
    CHECK_EQUAL(write_manifest(folder.path, manifest, false), 0);
    CHECK(folder.has("manifest.json.part"));
    const auto first = numbers();
    CHECK_EQUAL(first.size(), size_t{2});
    manifest.state = "disk-error";
    for (uint32_t each = 0; each < 50; ++each) {
        manifest.chunks.push_back({"op-" + std::to_string(100'000 + each) + ".arrows", Table::kOp, 16'384, 1, 500'000});
        CHECK_EQUAL(write_manifest(folder.path, manifest, false), 0);
        CHECK(numbers() == first);  // in their own places
        CHECK_EQUAL(folder.rows("op"), int64_t{16'384} * (each + 1));
    }
    manifest.chunks.resize(1);
    CHECK_EQUAL(write_manifest(folder.path, manifest, false), 0);
    CHECK_EQUAL(folder.rows("op"), int64_t{16'384});  // nothing of the longer one is left
    manifest.lost_events = 7;
    CHECK_EQUAL(write_manifest(folder.path, manifest, true), 0);
    CHECK(!folder.has(".part"));
    CHECK_EQUAL(folder.lost("events"), int64_t{7});
    const std::string text = folder.read("manifest.json");
    CHECK_EQUAL(text.substr(text.size() - 2), std::string("}\n"));
}

TEST(descriptors_that_the_program_took_over_are_left_alone) {
    Folder folder;
    Folder others;
    Recorder& recorder = Recorder::instance();
    recorder.prepare(options_for(folder));
    recorder.start();
    CHECK(record_one("op"));
    recorder.stop();
    const std::string path = others.path + "/file";
    const int own = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
    std::vector<int> taken;
    for (int each = 3; each < 200; ++each) {
        char target[4096];
        const ssize_t size = readlink(("/proc/self/fd/" + std::to_string(each)).c_str(), target, sizeof target);
        if (size <= 0 || std::string(target, static_cast<size_t>(size)).rfind(folder.path, 0) != 0) continue;
        CHECK_EQUAL(dup2(own, each), each);
        taken.push_back(each);
    }
    CHECK(taken.size() >= 3);
    recorder.start();
    CHECK(record_one("op"));
    CHECK(record_one("op"));
    recorder.stop();
    CHECK_EQUAL(recorder.state(), std::string("disk-error"));
    CHECK(recorder.reason().find("the program closed descriptors of its files") != std::string::npos);
    recorder.finish("{}");
    struct stat facts;
    CHECK_EQUAL(fstat(own, &facts), 0);
    CHECK_EQUAL(facts.st_size, off_t{0});
    for (const int each : taken) CHECK_EQUAL(close(each), 0);
    close(own);
    CHECK_EQUAL(folder.lost("events"), int64_t{2});
    CHECK(folder.has("op-000001.arrows.part"));  // with the one before
}

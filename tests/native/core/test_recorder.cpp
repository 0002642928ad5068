#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "core/recorder.hpp"

using namespace npuwh::core;

namespace {

// A folder of its own, removed with what is in it.
class Folder {
   public:
    Folder() {
        const char* base = getenv("TMPDIR");
        path = std::string(base != nullptr ? base : P_tmpdir) + "/npuwh-recorder-XXXXXX";
        if (mkdtemp(path.data()) == nullptr) abort();
    }
    ~Folder() {
        for (const std::string& file : files()) unlink((path + "/" + file).c_str());
        rmdir(path.c_str());
    }
    std::vector<std::string> files() const {
        std::vector<std::string> found;
        DIR* folder = opendir(path.c_str());
        while (const dirent* entry = readdir(folder)) {
            if (entry->d_name[0] != '.') found.emplace_back(entry->d_name);
        }
        closedir(folder);
        return found;
    }
    bool has(const std::string& ending) const {
        for (const std::string& file : files()) {
            if (file.size() >= ending.size() && file.compare(file.size() - ending.size(), ending.size(), ending) == 0) {
                return true;
            }
        }
        return false;
    }
    std::string read(const std::string& file) const {
        std::ifstream in(path + "/" + file);
        std::stringstream text;
        text << in.rdbuf();
        return text.str();
    }
    // Sum of "rows" of a table in the manifest.
    int64_t rows(const std::string& table) const {
        const std::string text = read("manifest.json");
        const std::string key = "\"table\": \"" + table + "\", \"rows\": ";
        int64_t sum = 0;
        for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
            sum += std::stoll(text.substr(at + key.size()));
        }
        return sum;
    }
    std::string path;
};

RecorderOptions options_for(const Folder& folder) {
    RecorderOptions options;
    options.folder = folder.path;
    options.ring_bytes = size_t{1} << 20;
    return options;
}

bool record_one(const char* name) {
    Recorder& recorder = Recorder::instance();
    ThreadLog* log = recorder.thread_log();
    if (log == nullptr) return false;
    const int64_t now = now_ticks();
    return log->op({{}, now, now + 1, -1, 0, recorder.number_of(name), 0, 0, log->facts.number, 0, 0, 7, 0, 0});
}

}  // namespace

TEST(everything_taken_between_start_and_stop_is_in_the_files) {
    Folder folder;
    Recorder& recorder = Recorder::instance();
    recorder.prepare(options_for(folder));
    CHECK(!record_one("before"));
    recorder.start();
    std::vector<std::thread> threads;
    std::atomic<int> taken{0};
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
            for (int each = 0; each < 5000; ++each) taken += record_one("op") ? 1 : 0;
        });
    }
    for (auto& thread : threads) thread.join();
    recorder.stop();
    CHECK(!record_one("after"));
    const RecorderCounters counters = recorder.counters();
    recorder.finish("{}");
    CHECK_EQUAL(counters.ops, static_cast<uint64_t>(taken.load()));
    CHECK_EQUAL(counters.ops + counters.lost_events, uint64_t{20000});
    CHECK_EQUAL(folder.rows("op"), static_cast<int64_t>(taken.load()));
    CHECK_EQUAL(folder.rows("thread"), int64_t{4});
    CHECK(!folder.has(".part"));
    CHECK(folder.read("manifest.json").find("\"state\": \"complete\"") != std::string::npos);
}

TEST(an_operator_whose_numbers_are_large_or_that_has_more_to_tell_is_whole) {
    Folder folder;
    Recorder& recorder = Recorder::instance();
    recorder.prepare(options_for(folder));
    recorder.start();
    ThreadLog& log = *recorder.thread_log();
    const OpRecord plain{{}, 1000, 2000, -1, 0, 0, 0, 0, log.facts.number, 0, 0, 0, 0, 0};
    const auto record = [&](auto&& change, const void* payload = nullptr) {
        OpRecord op = plain;
        change(op);
        CHECK(log.op(op, payload, payload));
    };
    const char bytes[] = {4};
    record([](OpRecord&) {});
    record([](OpRecord& op) { op.end = op.start + UINT32_MAX; });
    record([](OpRecord& op) { op.sequence = INT32_MAX; });
    record([](OpRecord& op) { op.stack = 1; });  // a form of its own
    record([](OpRecord& op) { op.forward_thread = 1; });  // another
    record([](OpRecord& op) { op.shape_size = 1; }, bytes);  // another, with texts
    record([](OpRecord& op) { ++op.start_thread; });  // another
    record([](OpRecord& op) { op.end = op.start + UINT32_MAX + int64_t{1}; });
    record([](OpRecord& op) { op.end = op.start - 1; });
    record([](OpRecord& op) { op.sequence = int64_t{1} << 31; });
    record([](OpRecord& op) { op.start_thread = 1 << 16; });  // a form: it ends on another thread
    record([](OpRecord& op) { op.tensor_size = 1; }, bytes);
    recorder.stop();
    CHECK_EQUAL(recorder.counters().ops, uint64_t{12});
    recorder.finish("{}");
    CHECK_EQUAL(folder.rows("op"), int64_t{7});
    CHECK_EQUAL(folder.rows("wide_op"), int64_t{5});
    CHECK_EQUAL(folder.rows("op_form"), int64_t{5});
}

TEST(starts_and_stops_in_a_storm_of_threads) {
    Folder folder;
    Recorder& recorder = Recorder::instance();
    recorder.prepare(options_for(folder));
    std::atomic<bool> go_on{true};
    std::atomic<int64_t> taken{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread) {
        threads.emplace_back([&] {
            while (go_on) {
                taken += record_one("op") ? 1 : 0;
                std::thread([&] { taken += record_one("short") ? 1 : 0; }).join();  // a thread that ends at once
            }
        });
    }
    for (int round = 0; round < 50; ++round) {
        recorder.start();
        std::this_thread::sleep_for(std::chrono::microseconds(500));
        recorder.stop();
    }
    go_on = false;
    for (auto& thread : threads) thread.join();
    recorder.finish("{}");
    CHECK_EQUAL(folder.rows("op"), taken.load());
}

TEST(recordings_one_after_the_other_share_nothing) {
    for (int round = 0; round < 3; ++round) {
        Folder folder;
        Recorder& recorder = Recorder::instance();
        recorder.prepare(options_for(folder));
        recorder.start();
        CHECK(record_one("op"));
        recorder.stop();
        recorder.finish("{}");
        CHECK_EQUAL(folder.rows("op"), int64_t{1});
        CHECK_EQUAL(folder.rows("string"), int64_t{2});  // the name of the operator, and that of the thread
    }
}

TEST(a_second_recording_is_refused_while_one_is_open) {
    Folder folder;
    Recorder& recorder = Recorder::instance();
    recorder.prepare(options_for(folder));
    bool refused = false;
    try {
        recorder.prepare(options_for(folder));
    } catch (const std::runtime_error&) {
        refused = true;
    }
    CHECK(refused);
    recorder.finish("{}");
}

TEST(a_budget_ends_the_recording_and_keeps_what_is_there) {
    Folder folder;
    Recorder& recorder = Recorder::instance();
    RecorderOptions options = options_for(folder);
    options.limits.disk_bytes = 20'000;
    recorder.prepare(options);
    recorder.start();
    for (int round = 0; round < 10 && recorder.is_on(); ++round) {
        for (int each = 0; each < 200; ++each) record_one("op");
        recorder.stop();
        if (recorder.state() == "recording") recorder.start();
    }
    CHECK_EQUAL(recorder.state(), std::string("disk-budget"));
    CHECK(!recorder.is_on());
    recorder.finish("{}");
    CHECK(!folder.has(".part"));
    CHECK(folder.rows("op") > 0);
    CHECK(folder.read("manifest.json").find("\"state\": \"disk-budget\"") != std::string::npos);
}

TEST(a_forked_child_records_nothing_and_leaves_the_files_alone) {
    Folder folder;
    Recorder& recorder = Recorder::instance();
    recorder.prepare(options_for(folder));
    recorder.start();
    CHECK(record_one("parent"));
    const pid_t child = fork();
    if (child == 0) {
        const bool recorded = record_one("child");
        Recorder::instance().stop();
        Recorder::instance().finish("{}");
        _exit(recorded ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(record_one("parent"));
    recorder.stop();
    recorder.finish("{}");
    CHECK_EQUAL(folder.rows("op"), int64_t{2});
}

TEST(a_folder_that_cannot_be_written_is_refused_at_once) {
    Recorder& recorder = Recorder::instance();
    RecorderOptions options;
    options.folder = "/nonexistent/folder";
    std::string message;
    try {
        recorder.prepare(options);
    } catch (const std::runtime_error& error) {
        message = error.what();
    }
    CHECK(message.find("/nonexistent/folder") != std::string::npos);
    CHECK(!recorder.is_open());
}

TEST(a_process_killed_in_mid_write_leaves_whole_batches) {
    for (int point = 0; point < 24; ++point) {
        Folder folder;
        const pid_t child = fork();
        if (child == 0) {
            RecorderOptions options = options_for(folder);
            options.limits.flush_ns = 500'000;
            options.limits.chunk_bytes = 100'000;  // chunks are completed and renamed all the time
            Recorder::instance().prepare(options);
            Recorder::instance().start();
            for (;;) record_one("op");
        }
        while (!folder.has(".arrows.part") && !folder.has(".arrows")) usleep(500);
        usleep(static_cast<useconds_t>(point * point * 37));
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(folder.has("manifest.json"));
        // what the manifest lists is there, whole
        const std::string text = folder.read("manifest.json");
        CHECK(text.find("\"state\": \"recording\"") != std::string::npos);
        CHECK_EQUAL(text.substr(text.size() - 2), std::string("}\n"));
        for (size_t at = text.find("\"file\": \""); at != std::string::npos; at = text.find("\"file\": \"", at + 1)) {
            const std::string file = text.substr(at + 9, text.find('"', at + 9) - at - 9);
            struct stat found {};
            CHECK_EQUAL(stat((folder.path + "/" + file).c_str(), &found), 0);
            const std::string bytes = "\"bytes\": " + std::to_string(found.st_size) + "}";
            CHECK(text.find(bytes, at) != std::string::npos);
        }
    }
}

TEST(a_full_ring_loses_records_and_counts_each) {
    Folder folder;
    Recorder& recorder = Recorder::instance();
    RecorderOptions options = options_for(folder);
    options.ring_bytes = 4096;
    recorder.prepare(options);
    recorder.start();
    constexpr int kEach = 50'000;
    std::atomic<int64_t> taken{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
            for (int each = 0; each < kEach; ++each) taken += record_one("op") ? 1 : 0;
        });
    }
    for (auto& thread : threads) thread.join();
    recorder.stop();
    const RecorderCounters counters = recorder.counters();
    recorder.finish("{}");
    CHECK_EQUAL(folder.rows("op"), taken.load());
    CHECK_EQUAL(counters.lost_events, static_cast<uint64_t>(4 * kEach - taken.load()));
    CHECK(counters.lost_events > 0);
    CHECK(folder.rows("gap") > 0);
    CHECK(folder.read("manifest.json").find("\"events\": " + std::to_string(counters.lost_events)) != std::string::npos);
}

TEST(names_that_a_filter_leaves_out_have_no_number) {
    Folder folder;
    Recorder& recorder = Recorder::instance();
    RecorderOptions options = options_for(folder);
    options.ops.include = {"aten::*"};
    options.ops.exclude = {"aten::empty*"};
    recorder.prepare(options);
    CHECK(recorder.number_of_op("aten::add") != kLeftOut);
    CHECK_EQUAL(recorder.number_of_op("aten::add"), recorder.number_of("aten::add"));
    CHECK_EQUAL(recorder.number_of_op("aten::empty_like"), kLeftOut);
    CHECK_EQUAL(recorder.number_of_op("autograd::engine"), kLeftOut);
    recorder.finish("{}");
}

TEST(a_pause_takes_nothing_and_waits_for_nothing) {
    Folder folder;
    Recorder& recorder = Recorder::instance();
    recorder.prepare(options_for(folder));
    for (int round = 0; round < 100; ++round) {
        recorder.start();
        CHECK(record_one("op"));
        recorder.pause();
        CHECK(!record_one("op"));
    }
    recorder.finish("{}");
    CHECK_EQUAL(folder.rows("op"), int64_t{100});
}

TEST(chunks_roll_by_size_and_by_age) {
    for (const bool is_by_size : {true, false}) {
        Folder folder;
        Recorder& recorder = Recorder::instance();
        RecorderOptions options = options_for(folder);
        options.limits.flush_ns = 1'000'000;
        (is_by_size ? options.limits.chunk_bytes : options.limits.chunk_ns) = is_by_size ? 5'000 : 5'000'000;
        recorder.prepare(options);
        recorder.start();
        int64_t taken = 0;
        for (int round = 0; round < 20; ++round) {
            for (int each = 0; each < 100; ++each) taken += record_one("op") ? 1 : 0;
            usleep(3000);
        }
        recorder.stop();
        recorder.finish("{}");
        int chunks = 0;
        for (const std::string& file : folder.files()) chunks += file.compare(0, 3, "op-") == 0 ? 1 : 0;
        CHECK(chunks > 2);
        CHECK_EQUAL(folder.rows("op"), taken);
    }
}

#if !defined(__SANITIZE_ADDRESS__)  // its own locks do not survive a fork amid threads that allocate
TEST(forks_in_a_storm_of_threads) {
    Folder folder;
    Recorder& recorder = Recorder::instance();
    recorder.prepare(options_for(folder));
    recorder.start();
    std::atomic<bool> go_on{true};
    std::atomic<int64_t> taken{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread) {
        threads.emplace_back([&] {
            while (go_on) taken += record_one("op") ? 1 : 0;
        });
    }
    for (int round = 0; round < 20; ++round) {
        const pid_t child = fork();
        if (child == 0) {
            const bool recorded = record_one("child") || Recorder::instance().is_open();
            Recorder::instance().finish("{}");
            _exit(recorded ? 1 : 0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    go_on = false;
    for (auto& thread : threads) thread.join();
    recorder.stop();
    recorder.finish("{}");
    CHECK_EQUAL(folder.rows("op"), taken.load());
}

#endif

#if !defined(__SANITIZE_THREAD__)  // it takes no threads of the forked child of a process with threads
TEST(a_child_records_on_its_own_what_it_begins) {
    Folder folder;
    Folder own;
    Recorder& recorder = Recorder::instance();
    recorder.prepare(options_for(folder));
    recorder.start();
    CHECK(record_one("parent"));
    const pid_t child = fork();
    if (child == 0) {
        Recorder::instance().prepare(options_for(own));
        Recorder::instance().start();
        const bool recorded = record_one("child");
        Recorder::instance().stop();
        Recorder::instance().finish("{}");
        _exit(recorded ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    recorder.stop();
    recorder.finish("{}");
    CHECK_EQUAL(folder.rows("op"), int64_t{1});
    CHECK_EQUAL(own.rows("op"), int64_t{1});
}
#endif

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "core/recorder.hpp"
#include "recording_folder.hpp"

using namespace npuwh::core;

namespace {

constexpr unsigned kLongestSeconds = 30;  // for a child, which is ended then
#if defined(__SANITIZE_ADDRESS__)
// this sanitizer does not free its allocator's locks for a child: one that was forked amid an allocation waits for ever
constexpr int kForks = 5;
#else
constexpr int kForks = 1;
#endif

// Whether `work` is true in a forked child.
template <typename Work>
bool is_true_in_a_child(Work&& work) {
    for (int left = kForks; left > 0; --left) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(kLongestSeconds);
            _exit(work() ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFEXITED(status)) return WEXITSTATUS(status) == 0;
        if (WTERMSIG(status) != SIGALRM) return false;
    }
    return false;
}

// What a child that has no recording of its own must find: nothing is recorded, and nothing it calls does harm.
bool records_nothing() {
    const bool recorded = record_one("child") || Recorder::instance().is_open();
    Recorder::instance().stop();
    Recorder::instance().finish("{}");
    return !recorded;
}

}  // namespace

TEST(a_forked_child_records_nothing_and_leaves_the_files_alone) {
    Folder folder;
    Recorder& recorder = Recorder::instance();
    recorder.prepare(options_for(folder));
    recorder.start();
    CHECK(record_one("parent"));
    CHECK(is_true_in_a_child(records_nothing));
    CHECK(record_one("parent"));
    recorder.stop();
    recorder.finish("{}");
    CHECK_EQUAL(folder.rows("op"), int64_t{2});
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
        const size_t blanks = text.size() - 1 - text.find_last_not_of(' ');  // room for what the end would have told
        CHECK(text.find("\"state\": \"recording\"") != std::string::npos);
        CHECK_EQUAL(text.substr(text.find_last_not_of(' ') - 1), "}\n" + std::string(blanks, ' '));
        for (size_t at = text.find("\"file\": \""); at != std::string::npos; at = text.find("\"file\": \"", at + 1)) {
            const std::string file = text.substr(at + 9, text.find('"', at + 9) - at - 9);
            struct stat found {};
            CHECK_EQUAL(stat((folder.path + "/" + file).c_str(), &found), 0);
            const std::string bytes = "\"bytes\": " + std::to_string(found.st_size) + "}";
            CHECK(text.find(bytes, at) != std::string::npos);
        }
    }
}

#if !defined(__SANITIZE_ADDRESS__)  // its own locks do not survive a fork amid threads that allocate
TEST(forks_in_a_storm_of_threads) {
    Folder folder;
    Recorder& recorder = Recorder::instance();
    recorder.prepare(options_for(folder));
    recorder.start();
    Storm storm;
    for (int round = 0; round < 20; ++round) {
        CHECK(is_true_in_a_child(records_nothing));
    }
    const int64_t taken = storm.end();
    recorder.stop();
    recorder.finish("{}");
    CHECK_EQUAL(folder.rows("op"), taken);
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
    CHECK(is_true_in_a_child([&] {
        Recorder::instance().prepare(options_for(own));
        Recorder::instance().start();
        const bool recorded = record_one("child");
        Recorder::instance().stop();
        Recorder::instance().finish("{}");
        return recorded;
    }));
    recorder.stop();
    recorder.finish("{}");
    CHECK_EQUAL(folder.rows("op"), int64_t{1});
    CHECK_EQUAL(own.rows("op"), int64_t{1});
}
#endif

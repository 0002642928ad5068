#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "core/recorder.hpp"
#include "recording_folder.hpp"

using namespace npuwh::core;

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

TEST(threads_that_end_while_their_rings_are_emptied_lose_nothing) {
    Folder folder;
    Recorder& recorder = Recorder::instance();
    RecorderOptions options = options_for(folder);
    options.ring_bytes = 4096;  // so that what waits meets the ring's end, and some of it a full ring
    recorder.prepare(options);
    recorder.start();
    constexpr int kThreads = 200;
    constexpr int kEach = 100;
    std::atomic<int64_t> taken{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&] {
            ThreadLog* log = Recorder::instance().thread_log();
            for (int each = 0; each < kEach; ++each) {
                taken += record_one("op") ? 1 : 0;
                log->frame(now_ticks(), 1, FrameEvent::kCall, 0);
                log->frame(now_ticks(), 0, FrameEvent::kReturn, 0);
            }
        });
        if (thread % 8 == 7) {
            for (auto& each : threads) each.join();
            threads.clear();
        }
    }
    recorder.stop();
    const RecorderCounters counters = recorder.counters();
    recorder.finish("{}");
    CHECK_EQUAL(counters.threads, uint64_t{kThreads});
    CHECK_EQUAL(folder.rows("thread"), int64_t{kThreads});
    CHECK_EQUAL(counters.ops, static_cast<uint64_t>(taken.load()));
    CHECK_EQUAL(folder.rows("op"), taken.load());
    // a loss is told by two records: one among the events, one at its end among the frames
    CHECK_EQUAL(counters.frames + counters.lost_frames, uint64_t{2 * kThreads * kEach});
    CHECK(folder.rows("frame") >= static_cast<int64_t>(counters.frames));
    CHECK(counters.lost_frames == 0 || folder.rows("gap") > 0);
}

TEST(whoever_looks_at_the_counters_disturbs_nothing) {
    Folder folder;
    Recorder& recorder = Recorder::instance();
    recorder.prepare(options_for(folder));
    recorder.start();
    std::atomic<bool> go_on{true};
    std::thread monitor([&] {
        uint64_t last = 0;
        while (go_on) {
            const RecorderCounters counters = recorder.counters();
            CHECK(counters.ops >= last);
            last = counters.ops;
            recorder.state();
            recorder.reason();
        }
    });
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread) {
        threads.emplace_back([] {
            for (int each = 0; each < 3000; ++each) record_one(each % 100 == 0 ? std::to_string(each).c_str() : "op");
        });
    }
    for (auto& thread : threads) thread.join();
    recorder.stop();
    go_on = false;
    monitor.join();
    CHECK_EQUAL(recorder.counters().ops + recorder.counters().lost_events, uint64_t{9000});
    recorder.finish("{}");
}

TEST(recordings_are_finished_while_threads_record) {
    Storm storm;
    for (int round = 0; round < 20; ++round) {
        Folder folder;
        Recorder& recorder = Recorder::instance();
        recorder.prepare(options_for(folder));
        recorder.start();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        recorder.finish("{}");  // without a stop: those who are in the middle of a record are not waited for
        CHECK(!folder.has(".part"));
        CHECK(folder.read("manifest.json").find("\"state\": \"complete\"") != std::string::npos);
    }
    CHECK(storm.end() > 0);
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

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sqlite_rows/ordered_output.hpp"

using npuwh::TextBuffer;
using npuwh::sqlite_rows::OrderedOutput;

namespace {

TextBuffer buffer(std::string_view text) {
    TextBuffer buffer;
    buffer += text;
    return buffer;
}

// Several threads write parts of random sizes in random pieces, and one more a seventh of the parts, whose long ones wait for their
// turn; gives what was written.
std::string written(std::size_t threads, std::size_t parts, std::size_t held, std::size_t longest) {
    std::string out;
    OrderedOutput output([&out](const TextBuffer& text) { out += text.view(); }, held);
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> running;
    for (std::size_t thread = 0; thread <= threads; ++thread) {
        running.emplace_back([&, thread] {
            const bool is_forerunner = thread == threads;
            check::Random random(thread + 1);
            std::size_t own = 0;
            for (std::size_t part = is_forerunner ? own++ : next++; part < parts; part = is_forerunner ? own++ : next++) {
                if (is_forerunner != (part % 7 == 0)) {
                    continue;
                }
                TextBuffer text;
                const auto pieces = static_cast<std::size_t>(random.between(0, 5));
                for (std::size_t piece = 0; piece < pieces; ++piece) {
                    text.append(static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(longest))), 'x');
                    text += std::to_string(part) + "." + std::to_string(piece) + " ";
                    if (is_forerunner) {
                        output.wait_for_turn(part);
                    }
                    text = output.put(part, std::move(text), false);
                    CHECK(text.empty());
                }
                text += std::to_string(part) + ".end ";
                output.put(part, std::move(text), true);
            }
        });
    }
    for (std::thread& each : running) {
        each.join();
    }
    return out;
}

}  // namespace

TEST(parts_come_in_their_order) {
    for (const std::size_t held : {std::size_t{0}, std::size_t{100}, std::size_t{100'000}}) {
        const std::string out = written(4, 300, held, 60);
        std::size_t at = 0;
        for (std::size_t part = 0; part < 300; ++part) {
            const std::string name = std::to_string(part) + ".";
            for (std::size_t piece = 0;; ++piece) {
                while (out[at] == 'x') {
                    ++at;
                }
                CHECK(out.compare(at, name.size(), name) == 0);
                at += name.size();
                const bool is_end = out.compare(at, 4, "end ") == 0;
                const std::string number = is_end ? "end " : std::to_string(piece) + " ";
                CHECK(out.compare(at, number.size(), number) == 0);
                at += number.size();
                if (is_end) {
                    break;
                }
            }
        }
        CHECK(at == out.size());
    }
}

TEST(what_waits_for_its_turn_is_woken_by_stop) {
    OrderedOutput output([](const TextBuffer&) {}, 10);
    bool is_stopped = false;
    std::thread late([&] {
        try {
            output.put(1, buffer(std::string(100, 'x')), true);  // part 0 never comes
        } catch (const OrderedOutput::Stopped&) {
            is_stopped = true;
        }
    });
    output.stop();
    late.join();
    CHECK(is_stopped);
}

TEST(a_failure_of_the_target_ends_it_for_all) {
    OrderedOutput output([](const TextBuffer&) { throw std::invalid_argument("full"); }, 10);
    CHECK_REJECTS(output.put(0, buffer("a"), false), "full");
    bool is_stopped = false;
    try {
        output.put(0, buffer("b"), true);
    } catch (const OrderedOutput::Stopped&) {
        is_stopped = true;
    }
    CHECK(is_stopped);
}

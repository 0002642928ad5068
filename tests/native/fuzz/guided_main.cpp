// Runs a fuzzer's entry, guided by coverage, where the compiler has no libFuzzer.
//
//     fuzz_x [--seconds 2] [--seed 1] [--corpus DIR] [FILE...]     FILE: run these inputs once instead
//
// Inputs that took a new way through the decoders are kept, in DIR if there is one, and changed further.  Prints one "ok" line as
// the other native tests do.  A failing input (an exception, a finding of a sanitizer, one that takes longer than ten seconds) is
// left in fuzz_x.failed beside the program.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>

#include "check.hpp"
#include "corpus.hpp"
#include "coverage_map.hpp"
#include "fuzz_seeds.hpp"
#include "mutator.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));
// a header that says a huge size must not make anything allocate it
extern "C" const char* __asan_default_options() { return "max_allocation_size_mb=256:hard_rss_limit_mb=2048"; }

namespace {

using check::Bytes;

constexpr unsigned kLongestSeconds = 10;

Bytes input;
std::string failed_path;

void keep_input() {
    std::ofstream file(failed_path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
}

void takes_too_long(int) {
    keep_input();
    constexpr char kText[] = "FAILED  an input takes longer than ten seconds\n";
    [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, kText, sizeof kText - 1);
    ::_exit(1);
}

void run() {
    fuzz::begin_run();
    ::alarm(kLongestSeconds);
    LLVMFuzzerTestOneInput(input.data(), input.size());
    ::alarm(0);
}

struct Options {
    double seconds = 2;
    std::uint64_t seed = 1;
    std::string corpus;
    std::vector<std::string> files;
};

Options parse(int count, char** arguments) {
    Options options;
    int index = 1;
    for (; index + 1 < count && arguments[index][0] == '-'; index += 2) {
        const std::string name = arguments[index];
        const std::string value = arguments[index + 1];
        if (name == "--seconds") {
            options.seconds = std::atof(value.c_str());
        } else if (name == "--seed") {
            options.seed = std::strtoull(value.c_str(), nullptr, 10);
        } else if (name == "--corpus") {
            options.corpus = value;
        }
    }
    options.files.assign(arguments + index, arguments + count);
    return options;
}

void run_files(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
        std::ifstream file(path, std::ios::binary);
        input.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        run();
    }
}

void search(const Options& options) {
    check::Random random(options.seed);
    fuzz::Mutator mutator(random);
    fuzz::Corpus corpus(options.corpus);
    for (const Bytes& seed : check::fuzz_seeds()) {
        input = seed;
        run();
        corpus.take(input, true);
    }
    for (const Bytes& kept : corpus.kept()) {
        input = kept;
        run();
        corpus.take(input, false);
    }
    long runs = 0;
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < options.seconds) {
        input = corpus.choose(random);
        const std::uint8_t group = input[0];
        const bool is_aimed = (random.bits() & 3U) == 0;
        if (is_aimed) {  // what the input is compared with is known after it ran
            run();
        }
        if (!is_aimed || !mutator.satisfy(input, fuzz::comparisons())) {
            for (std::int64_t steps = random.between(1, 8); steps > 0; --steps) {
                mutator.mutate(input, corpus.any(random));
            }
        }
        if (!input.empty() && (random.bits() & 63U) != 0) {
            input[0] = group;  // the groups take turns
        }
        run();
        corpus.take(input, false);
        ++runs;
    }
    std::printf("ok      %ld inputs, %zu kept, %zu edges\n", runs, corpus.size(), corpus.edge_count());
}

}  // namespace

int main(int count, char** arguments) {
    const Options options = parse(count, arguments);
    failed_path = std::string(arguments[0]) + ".failed";
    if (__sanitizer_set_death_callback != nullptr) {
        __sanitizer_set_death_callback(keep_input);
    }
    std::signal(SIGALRM, takes_too_long);
    try {
        if (options.files.empty()) {
            search(options);
        } else {
            run_files(options.files);
        }
    } catch (const std::exception& error) {
        keep_input();
        std::printf("FAILED  %s\n", error.what());
        return 1;
    }
    return 0;
}

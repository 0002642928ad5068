// A minimal test frame: TEST(name) { CHECK(...); }, one executable a file, random numbers that repeat.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace check {

struct Failure : std::exception {
    std::string text;
    explicit Failure(std::string what) : text(std::move(what)) {}
    const char* what() const noexcept override { return text.c_str(); }
};

struct Test {
    const char* name;
    std::function<void()> body;
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

struct Registration {
    Registration(const char* name, std::function<void()> body) { tests().push_back({name, std::move(body)}); }
};

[[noreturn]] inline void fail(const char* file, int line, const std::string& text) {
    throw Failure(std::string(file) + ":" + std::to_string(line) + ": " + text);
}

template <class T>
std::string show(const T& value) {
    std::ostringstream out;
    out << value;
    return out.str();
}
template <class T>
std::string show(const std::vector<T>& values) {
    std::string out = "[";
    for (const T& value : values) {
        out += (out.size() > 1 ? ", " : "") + show(value);
    }
    return out + "]";
}

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
    }
    std::uint64_t bits() { return engine_(); }

private:
    std::mt19937_64 engine_;
};

inline int run_all() {
    int failed = 0;
    for (const Test& test : tests()) {
        try {
            test.body();
            std::printf("ok      %s\n", test.name);
        } catch (const std::exception& error) {
            ++failed;
            std::printf("FAILED  %s\n        %s\n", test.name, error.what());
        }
    }
    return failed == 0 ? 0 : 1;
}

}  // namespace check

#define TEST(name)                                                          \
    static void test_##name();                                              \
    static const check::Registration registration_##name(#name, test_##name); \
    static void test_##name()

#define CHECK(condition)                                   \
    do {                                                   \
        if (!(condition)) {                                \
            check::fail(__FILE__, __LINE__, #condition);   \
        }                                                  \
    } while (false)

// Copies both: what is given may lie in a temporary.
#define CHECK_EQUAL(actual, expected)                                                                        \
    do {                                                                                                     \
        const auto actual_ = (actual);                                                                       \
        const auto expected_ = (expected);                                                                   \
        if (!(actual_ == expected_)) {                                                                       \
            check::fail(__FILE__, __LINE__, #actual " is " + check::show(actual_) + ", not " + check::show(expected_)); \
        }                                                                                                    \
    } while (false)

// The call must throw std::invalid_argument whose message contains `part`.
#define CHECK_REJECTS(call, part)                                                                      \
    do {                                                                                               \
        std::string message_ = "(nothing thrown)";                                                     \
        try {                                                                                          \
            call;                                                                                      \
        } catch (const std::invalid_argument& error) {                                                 \
            message_ = error.what();                                                                   \
        }                                                                                              \
        if (message_.find(part) == std::string::npos) {                                                \
            check::fail(__FILE__, __LINE__, #call " says '" + message_ + "', expected '" + (part) + "'"); \
        }                                                                                              \
    } while (false)

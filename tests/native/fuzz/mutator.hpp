// Changes of an input, blind ones and such that make a comparison of the last run come out the other way.
#pragma once

#include <vector>

#include "check.hpp"
#include "coverage_map.hpp"
#include "scratch_file.hpp"

namespace fuzz {

constexpr std::size_t kLongest = 20000;

class Mutator {
public:
    explicit Mutator(check::Random& random) : random_(random) {}

    // `other`: an input to take parts of.
    void mutate(check::Bytes& bytes, const check::Bytes& other);

    // Puts what was wanted in the place of what was found; false if the input does not hold that.
    bool satisfy(check::Bytes& bytes, const std::vector<Comparison>& comparisons);

private:
    std::size_t place(std::size_t size) { return static_cast<std::size_t>(random_.between(0, static_cast<std::int64_t>(size))); }

    check::Random& random_;
};

}  // namespace fuzz

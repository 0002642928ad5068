// Inputs that each found something new, in groups by their first byte: what is decoded.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "check.hpp"
#include "coverage_map.hpp"
#include "scratch_file.hpp"

namespace fuzz {

class Corpus {
public:
    // folder: "" keeps the inputs in memory only.
    explicit Corpus(std::string folder) : folder_(std::move(folder)) {}

    // Inputs that earlier runs left in the folder.
    std::vector<check::Bytes> kept() const;

    // Takes an input if the run that just ended took an edge, or took one oftener, as none before; or if it must.
    bool take(const check::Bytes& input, bool is_seed);

    // An input of the next group in turn; the newer ones oftener.
    const check::Bytes& choose(check::Random& random);
    const check::Bytes& any(check::Random& random) const;

    std::size_t size() const { return inputs_.size(); }
    std::size_t edge_count() const;

private:
    void write(const check::Bytes& input) const;

    std::string folder_;
    std::vector<check::Bytes> inputs_;
    std::map<std::uint8_t, std::vector<std::size_t>> groups_;
    std::size_t turn_ = 0;
    std::array<std::uint8_t, kEdges> seen_{};  // a bit a range of counts
};

}  // namespace fuzz

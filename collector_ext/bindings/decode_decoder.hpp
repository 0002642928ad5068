// The Python face that all decoders share.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "decode/batch_decoder.hpp"

namespace npuwh {

// Paths (str, bytes or os.PathLike) as the system's bytes.
std::vector<std::string> path_list(const pybind11::iterable& paths);

// A decoder as Python holds it: the GIL is released while it works, so two Python threads could meet in it.
class PyDecoder {
public:
    explicit PyDecoder(std::unique_ptr<BatchDecoder> decoder) : decoder_(std::move(decoder)) {}

    pybind11::object next();
    pybind11::object take(const std::string& kind);
    pybind11::object strings();
    pybind11::dict ledger();

private:
    // Runs without the GIL; nobody else is in the decoder or its string table.
    template <class Work>
    auto alone(const Work& work) {
        const pybind11::gil_scoped_release release;
        const std::lock_guard<std::mutex> lock(mutex_);
        const std::lock_guard<std::mutex> table_lock(decoder_->strings().mutex());
        return work(*decoder_);
    }

    std::unique_ptr<BatchDecoder> decoder_;
    std::mutex mutex_;
};

}  // namespace npuwh

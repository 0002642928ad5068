// A sweep that several Python threads may meet in, because the GIL is released while it runs.
#pragma once

#include <pybind11/pybind11.h>

#include <mutex>
#include <utility>

namespace npuwh {

template <class Sweep>
class Guarded {
public:
    template <class... Arguments>
    explicit Guarded(Arguments&&... arguments) : sweep_(std::forward<Arguments>(arguments)...) {}

    // call(sweep) without the GIL, one caller at a time.
    template <class Call>
    auto run(Call call) {
        const pybind11::gil_scoped_release release;
        const std::lock_guard<std::mutex> lock(mutex_);
        return call(sweep_);
    }

private:
    Sweep sweep_;
    std::mutex mutex_;
};

}  // namespace npuwh

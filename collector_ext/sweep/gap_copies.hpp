// The copies that run while a device is idle.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace npuwh {

// Copies of one device, fed in order of start between its busy slices.  Copies that overlap count their time once.
//
// State: the copies that are open, and sums over those that have ended since the device was busy.
class GapCopies {
public:
    struct Sums {
        std::int64_t count = 0;
        std::int64_t ns = 0;
    };

    // `gap_start`: where the device's last busy slice ended.  Copies without length are none.
    void add(std::int64_t start, std::int64_t end, std::int64_t gap_start);
    // What ran in the gap that ends at `gap_end`, the start of a busy slice or the end of everything.
    Sums until(std::int64_t gap_end) const;
    // The device is busy until `gap_start`.
    void begin(std::int64_t gap_start);

private:
    std::vector<std::pair<std::int64_t, std::int64_t>> open_;
    std::int64_t ended_ = 0;
    std::int64_t ns_ = 0;           // of stretches before the last one
    std::int64_t stretch_start_ = 0;  // of copies that touch each other
    std::int64_t stretch_end_ = 0;
};

}  // namespace npuwh

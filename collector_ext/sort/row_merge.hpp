// Sorted runs as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sort/row_sorter.hpp"

namespace npuwh::sort {

// Some neighbouring rows of a piece.
struct Segment {
    SharedColumns columns;
    std::size_t first;
    std::size_t count;
};

// Values of a column, and one bit a row in `validity`, which stays empty if no row is null; returns how many are null.
std::size_t gather(const std::vector<Segment>& segments, std::size_t rows, std::size_t column, std::vector<std::int64_t>& values,
                   std::vector<std::uint8_t>& validity);

// Of equal keys those of earlier runs come first.  Of each run one piece is in memory.
class RowMerge {
public:
    using Load = std::function<SharedColumns(const Piece&)>;

    // The runs stay the caller's and must not gain pieces.
    RowMerge(const std::vector<const SortedRun*>& runs, const std::vector<Key>& keys, Load load);
    ~RowMerge();

    // Where the next rows are, `most` of them or what is left, and after them those whose first `together` keys equal the last one's;
    // returns how many, 0 at the end.
    std::size_t next(std::size_t most, std::size_t together, std::vector<Segment>& segments);

    // Where all next rows are whose first keys are not after these (Key::rising); returns how many.
    std::size_t next_until(const std::vector<std::int64_t>& last, std::vector<Segment>& segments);

    // Leaves out the next rows whose first keys are before these.
    void skip_before(const std::vector<std::int64_t>& first);

private:
    class Cursor;

    void sink(std::size_t place);
    std::size_t count_first() const;
    std::size_t take(std::size_t most, std::vector<Segment>& segments);
    void advance(std::size_t count);

    Load load_;
    std::vector<std::unique_ptr<Cursor>> heap_;  // the one with the least row first
};

}  // namespace npuwh::sort

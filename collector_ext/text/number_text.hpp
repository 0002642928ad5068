// Numbers as text, to the byte as Python, C or the vendor's writers print them.  Every function appends to `out`.
#pragma once

#include <cstdint>
#include <string>

#include "text/text_buffer.hpp"

namespace npuwh {

void append_integer(TextBuffer& out, std::int64_t value);
void append_integer(std::string& out, std::int64_t value);

// As Python's repr(float): the shortest digits that read back as the same number, 1e-05, 4.0, 8868.240000000003, inf, nan.
void append_repr(TextBuffer& out, double value);

// As C's "%.3f" and the like: correctly rounded, exact half to even.  decimals: 1 to 15.
void append_fixed(TextBuffer& out, double value, int decimals);

// "%.3f" without its trailing zeros and bare point (deliverables.md 0.1, C++ DoubleToStr).
void append_trimmed(TextBuffer& out, double value);

// With three decimals, halves away from zero, then as Python's repr: 0.0625 -> 0.063, 4.0005 -> 4.001.  A half may have lost
// its last bits.
void append_rounded(TextBuffer& out, double value);

// Nanoseconds as microseconds with exactly three decimals, never through a float: 1500 -> 1.500, -1 -> -0.001.
void append_microseconds(TextBuffer& out, std::int64_t nanoseconds);

}  // namespace npuwh

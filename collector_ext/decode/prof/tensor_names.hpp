// Names of tensor data types and formats (cann-files.md 3).
#pragma once

#include <cstdint>
#include <string>

namespace npuwh::prof {

// Append the name of the number, or the number itself where it has none.
void append_data_type(std::string& text, std::uint32_t data_type);
// The low byte is the format, the next 16 bits a sub format: "FRACTAL_Z:32".
void append_format(std::string& text, std::uint32_t format);

}  // namespace npuwh::prof

#include "decode/framework/tensor_text.hpp"

#include <array>
#include <charconv>

#include "decode/framework/text_parts.hpp"

namespace npuwh {
namespace {

template <class Number>
bool parse_whole(std::string_view text, Number& number, int base = 10) {
    const char* const end = text.data() + text.size();
    const std::from_chars_result result = std::from_chars(text.data(), end, number, base);
    return result.ec == std::errc() && result.ptr == end;
}

// "0x1f", or "0"
bool parse_address(std::string_view text, std::int64_t& address) {
    std::uint64_t bits = 0;
    const bool has_prefix = text.substr(0, 2) == "0x";
    if (!parse_whole(has_prefix ? text.substr(2) : text, bits, 16)) {
        return false;
    }
    address = static_cast<std::int64_t>(bits);
    return true;
}

}  // namespace

bool parse_tensor(std::string_view text, TensorText& tensor) {
    std::array<std::string_view, 8> fields;
    TextParts parts(text, ';');
    for (std::string_view& field : fields) {
        if (!parts.next(field)) {
            return false;
        }
    }
    std::string_view more;
    if (parts.next(more)) {
        return false;
    }
    tensor.has_storage = !fields[1].empty();
    tensor.storage = 0;
    tensor.dtype = fields[2];
    tensor.sizes = fields[4];
    tensor.strides = fields[5];
    return parse_address(fields[0], tensor.address) && (!tensor.has_storage || parse_address(fields[1], tensor.storage)) &&
           parse_whole(fields[3], tensor.element_bytes) && parse_whole(fields[6], tensor.device_type) &&
           parse_whole(fields[7], tensor.device_no);
}

}  // namespace npuwh

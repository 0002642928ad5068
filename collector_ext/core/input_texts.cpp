#include "core/input_texts.hpp"

#include <array>
#include <cstring>
#include <string>

namespace npuwh::core {

namespace {

// Names of torch's scalar types by their number, as its C++ types are called (framework-files.md 2.3).
constexpr std::array<std::string_view, 28> kScalarTypes = {
    "unsigned char", "signed char", "short int", "int", "long int", "c10::Half", "float", "double",
    "c10::complex<c10::Half>", "c10::complex<float>", "c10::complex<double>", "bool", "c10::qint8", "c10::quint8",
    "c10::qint32", "c10::BFloat16", "c10::quint4x2", "c10::quint2x4", "c10::bits1x8", "c10::bits2x4", "c10::bits4x2",
    "c10::bits8", "c10::bits16", "c10::Float8_e5m2", "c10::Float8_e4m3fn", "c10::Float8_e5m2fnuz",
    "c10::Float8_e4m3fnuz", "short unsigned int"};

std::string_view scalar_type(uint8_t number) {
    return number < kScalarTypes.size() ? kScalarTypes[number] : std::string_view("unknown");
}

}  // namespace

InputTexts::Numbers InputTexts::of(std::string_view description, StringTable& strings) {
    if (description.empty()) return {};
    const auto found = known_.find(description);
    if (found != known_.end()) return found->second;
    std::string dtypes;
    std::string shapes;
    bool is_first = true;
    for (size_t at = 0; at < description.size();) {
        if (!is_first) {
            dtypes += ';';
            shapes += ';';
        }
        is_first = false;
        switch (static_cast<uint8_t>(description[at++])) {
            case input_code::kTensor: {
                if (description.size() - at < 2) return {};
                dtypes += scalar_type(static_cast<uint8_t>(description[at]));
                const size_t sizes = static_cast<uint8_t>(description[at + 1]);
                at += 2;
                if (description.size() - at < 8 * sizes) return {};
                for (size_t each = 0; each < sizes; ++each, at += 8) {
                    int64_t size;
                    std::memcpy(&size, description.data() + at, 8);
                    if (each != 0) shapes += ',';
                    shapes += std::to_string(size);
                }
                break;
            }
            case input_code::kTensorList:
                dtypes += "TensorList";
                break;
            case input_code::kScalar:
                dtypes += "Scalar";
                break;
            case input_code::kScalarList:
                dtypes += "ScalarList";
                break;
            default:
                dtypes += "None";
        }
    }
    const Numbers numbers{strings.number_of(dtypes), strings.number_of(shapes)};
    known_.emplace(descriptions_.emplace_back(description), numbers);
    return numbers;
}

}  // namespace npuwh::core

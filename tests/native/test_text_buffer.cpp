#include <cstdint>
#include <limits>
#include <string>

#include "check.hpp"
#include "text/digits.hpp"
#include "text/text_buffer.hpp"

using npuwh::PaddedText;
using npuwh::TextBuffer;

TEST(pieces_of_every_size_follow_each_other) {
    check::Random random(3);
    TextBuffer buffer;
    std::string expected;
    for (int turn = 0; turn < 3'000; ++turn) {
        const std::string piece(static_cast<std::size_t>(random.between(0, 100)), static_cast<char>('a' + turn % 26));
        switch (turn % 4) {
            case 0:
                buffer += piece;
                break;
            case 1:
                PaddedText(piece).append_to(buffer);
                break;
            case 2:
                buffer.append(piece.size(), static_cast<char>('a' + turn % 26));
                break;
            default:
                for (const char c : piece) {
                    buffer += c;
                }
        }
        expected += piece;
        if (turn % 100 == 99) {
            buffer.cut(buffer.size() / 2);
            expected.resize(expected.size() / 2);
        }
        CHECK(buffer.view() == expected);
    }
    TextBuffer other;
    other = std::move(buffer);
    CHECK(other.view() == expected);
    other.clear();
    CHECK(other.empty());
}

TEST(padded_text_grows) {
    PaddedText text("a");
    text += std::string(100, 'b');
    text += "c";
    CHECK(text.view() == "a" + std::string(100, 'b') + "c");
}

TEST(integers_as_the_standard_library_prints_them) {
    check::Random random(4);
    for (int turn = 0; turn < 100'000; ++turn) {
        std::int64_t value = static_cast<std::int64_t>(random.bits()) >> random.between(0, 63);
        if (turn < 2) {
            value = turn == 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
        }
        char text[npuwh::kMostDigits];
        CHECK(std::string(text, npuwh::write_integer(text, value)) == std::to_string(value));
    }
    std::uint64_t power = 1;
    for (int exponent = 0; exponent < 20; ++exponent, power *= 10) {
        for (const std::uint64_t value : {power - 1, power, power + 1}) {
            char text[npuwh::kMostDigits];
            CHECK(std::string(text, npuwh::write_unsigned(text, value)) == std::to_string(value));
        }
    }
}

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "check.hpp"
#include "sqlite_rows/remembered_text.hpp"

using npuwh::TextBuffer;
using npuwh::sqlite_rows::Arguments;
using npuwh::sqlite_rows::TextMemory;

namespace {

Arguments random_arguments(check::Random& random) {
    Arguments arguments;
    for (std::int64_t& value : arguments.values) {
        value = random.between(-2, 2);
    }
    const auto place = static_cast<unsigned>(random.between(0, 2));
    if (random.between(0, 1) == 1) {
        arguments.values[place] = 0;
        arguments.nulls = 1U << place;
    }
    return arguments;
}

}  // namespace

TEST(what_is_found_is_what_was_put_last) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{2000}, std::size_t{1} << 20}) {
        check::Random random(bytes + 1);
        TextMemory memory(bytes);
        std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, unsigned>, std::string> known;
        std::size_t found_again = 0;
        for (int turn = 0; turn < 20'000; ++turn) {
            const Arguments arguments = random_arguments(random);
            const auto& [first, second, third, fourth] = arguments.values;
            const auto key = std::make_tuple(first, second, third, fourth, arguments.nulls);
            TextBuffer found;
            if (memory.append(found, arguments)) {
                CHECK(std::string(found.view()) == known.at(key));
                ++found_again;
                continue;
            }
            const std::string text(static_cast<std::size_t>(random.between(0, 140)), static_cast<char>('a' + turn % 26));
            known[key] = text;
            memory.put(arguments, text);
        }
        CHECK(bytes == 0 || found_again > 0);
        CHECK(bytes < 1'000'000 || found_again > 18'000);
    }
}

TEST(null_is_not_zero) {
    TextMemory memory(1000);
    Arguments zero;
    Arguments null;
    null.nulls = 1;
    TextBuffer found;
    memory.put(zero, "zero");
    CHECK(!memory.append(found, null));
    memory.put(null, "");
    CHECK(memory.append(found, null));
    CHECK(found.empty());
    CHECK(memory.append(found, zero));
    CHECK(found.view() == "zero");
}

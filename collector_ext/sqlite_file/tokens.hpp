// The words of an SQL statement.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace npuwh::sqlite_file {

struct Token {
    enum class Kind { word, quoted, string, number, sign, end } kind = Kind::end;
    std::string text;  // of words and quoted names: the name; else as written
    std::size_t place = 0;  // in the statement
    std::size_t end = 0;

    bool is(const char* keyword) const;  // a word, in any case
    bool is_sign(char sign) const { return kind == Kind::sign && text[0] == sign; }
    bool is_name() const { return kind == Kind::word || kind == Kind::quoted; }
};

// Throws std::invalid_argument for an open quote or comment.  The last token is `end`.
std::vector<Token> read_tokens(const std::string& statement);

}  // namespace npuwh::sqlite_file

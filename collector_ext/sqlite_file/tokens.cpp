#include "sqlite_file/tokens.hpp"

#include <algorithm>
#include <stdexcept>

#include "sqlite_file/layout.hpp"

namespace npuwh::sqlite_file {
namespace {

bool is_blank(char each) { return each == ' ' || each == '\t' || each == '\n' || each == '\r' || each == '\f'; }
bool is_digit(char each) { return each >= '0' && each <= '9'; }
bool is_word(char each) {
    return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || is_digit(each) || each == '_' || each == '$' ||
           static_cast<unsigned char>(each) >= 128;
}

// The end of a quoted piece that begins at `place`; its text without quotes goes to `text`.
std::size_t read_quoted(const std::string& statement, std::size_t place, std::string& text) {
    const char quote = statement[place] == '[' ? ']' : statement[place];
    for (++place; place < statement.size(); ++place) {
        if (statement[place] != quote) {
            text += statement[place];
        } else if (quote != ']' && place + 1 < statement.size() && statement[place + 1] == quote) {
            text += quote;
            ++place;
        } else {
            return place + 1;
        }
    }
    throw std::invalid_argument("a quote is not closed: " + statement);
}

// The end of blanks and comments from `place`.
std::size_t skip_blanks(const std::string& statement, std::size_t place) {
    while (place < statement.size()) {
        if (is_blank(statement[place])) {
            ++place;
        } else if (statement.compare(place, 2, "--") == 0) {
            place = std::min(statement.find('\n', place), statement.size());
        } else if (statement.compare(place, 2, "/*") == 0) {
            const std::size_t end = statement.find("*/", place + 2);
            if (end == std::string::npos) {
                throw std::invalid_argument("a comment is not closed: " + statement);
            }
            place = end + 2;
        } else {
            break;
        }
    }
    return place;
}

}  // namespace

bool Token::is(const char* keyword) const { return kind == Kind::word && lower(text) == lower(keyword); }

std::vector<Token> read_tokens(const std::string& statement) {
    std::vector<Token> tokens;
    for (std::size_t place = skip_blanks(statement, 0); place < statement.size(); place = skip_blanks(statement, place)) {
        Token token;
        token.place = place;
        const char first = statement[place];
        if (first == '"' || first == '`' || first == '[' || first == '\'') {
            token.kind = first == '\'' ? Token::Kind::string : Token::Kind::quoted;
            place = read_quoted(statement, place, token.text);
        } else if (is_digit(first)) {
            token.kind = Token::Kind::number;
            while (place < statement.size() && (is_word(statement[place]) || statement[place] == '.')) {
                token.text += statement[place++];
            }
        } else if (is_word(first)) {
            token.kind = Token::Kind::word;
            while (place < statement.size() && is_word(statement[place])) {
                token.text += statement[place++];
            }
        } else {
            token.kind = Token::Kind::sign;
            token.text = first;
            ++place;
        }
        token.end = place;
        tokens.push_back(token);
    }
    tokens.push_back({Token::Kind::end, "", statement.size(), statement.size()});
    return tokens;
}

}  // namespace npuwh::sqlite_file

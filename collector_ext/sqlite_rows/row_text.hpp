// The text of a row: a line of CSV or an event of a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sqlite_rows/connection.hpp"
#include "sqlite_rows/remembered_text.hpp"
#include "sqlite_rows/row_section.hpp"

namespace npuwh::sqlite_rows {

// The integer in a slot; throws Refused for anything else.
std::int64_t integer_in(const Row& row, std::size_t slot);

// Writes the rows of one arm.  Byte for byte what RowWriter makes of the same values.
class RowText {
public:
    // memory: bytes that its remembered texts may take.
    RowText(Connection& connection, const Arm& arm, Shape shape, std::size_t memory);

    // Appends a row of the arm's statement; `lane` is added to the number of the thread.  Throws Refused for what
    // has no text.
    void append(TextBuffer& out, const Row& row, std::int64_t lane);

private:
    // A part of a row's text.
    struct Piece {
        CellKind kind = CellKind::text;
        PaddedText before;  // the comma and the key
        std::size_t slot = 0;
        std::size_t remembered = kNone;  // index, or a value of its own
        bool is_fixed = false;           // `before` is all of it
        bool is_thread = false;
        // the last text met, which often comes again, and what was made of it
        std::string last;
        PaddedText last_text;
    };
    struct RememberedColumn {
        CellKind kind;
        std::string before;
    };
    struct Remembered {
        Statement statement;
        std::vector<std::size_t> slots;
        std::vector<RememberedColumn> columns;
        TextMemory memory;
    };
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    void add(std::vector<Piece>& pieces, const OutputColumn& column, std::string before);
    std::string fixed_text(const OutputColumn& column, std::string before) const;
    void append_pieces(TextBuffer& out, std::vector<Piece>& pieces, const Row& row, std::int64_t lane);
    void append_value(TextBuffer& out, Piece& piece, const Value& value, std::int64_t lane);
    void append_cell(TextBuffer& out, CellKind kind, const Value& value) const;
    void append_remembered(TextBuffer& out, Remembered& remembered, const Row& row);
    void ask(Remembered& remembered, const Arguments& arguments);

    bool is_csv_;
    std::vector<Piece> members_;
    std::vector<Piece> arguments_;  // of events: what goes into "args"
    std::vector<Remembered> remembered_;
    TextBuffer scratch_;
};

}  // namespace npuwh::sqlite_rows

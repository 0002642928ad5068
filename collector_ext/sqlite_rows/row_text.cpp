#include "sqlite_rows/row_text.hpp"

#include <utility>

#include "decode/utf8_repair.hpp"
#include "sqlite_rows/refused.hpp"
#include "text/digits.hpp"
#include "text/field_text.hpp"

namespace npuwh::sqlite_rows {
namespace {

constexpr std::string_view kArgument = "args:";
constexpr std::size_t kShort = 64;  // texts that are worth comparing

std::string key_of(std::string_view name) {
    TextBuffer key;
    key += ',';
    append_json_string(key, name);
    key += ':';
    return std::string(key.view());
}

std::string_view checked(std::string_view text) {
    if (!is_utf8(text)) {
        throw Refused("a text is not UTF-8");
    }
    return text;
}

std::int64_t plus(std::int64_t number, std::int64_t lane) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(number) + static_cast<std::uint64_t>(lane));
}

}  // namespace

std::int64_t integer_in(const Row& row, std::size_t slot) {
    const Value value = row.value(slot);
    if (value.type() != ValueType::integer) {
        throw Refused("column " + std::to_string(slot) + " holds no integer");
    }
    return value.integer();
}

RowText::RowText(Connection& connection, const Arm& arm, Shape shape, std::size_t memory) : is_csv_(shape == Shape::csv) {
    for (const RememberedStatement& each : arm.remembered) {
        if (each.slots.size() > kMostArguments) {
            throw Refused("a remembered statement has too many arguments");
        }
        remembered_.push_back({Statement(connection, each.statement), each.slots, {}, TextMemory(memory / arm.remembered.size())});
    }
    for (const OutputColumn& column : arm.columns) {
        if (is_csv_) {
            add(members_, column, members_.empty() && arguments_.empty() ? "" : ",");
            continue;
        }
        const std::string_view name = column.name;
        if (name == "args") {
            throw Refused("an event has its arguments in one column");
        }
        const bool is_argument = name.substr(0, kArgument.size()) == kArgument;
        add(is_argument ? arguments_ : members_, column, key_of(is_argument ? name.substr(kArgument.size()) : name));
        if (name == "tid" && column.slot) {
            members_.back().is_thread = true;
        }
    }
    for (const Remembered& each : remembered_) {
        if (each.statement.width() != each.columns.size()) {
            throw Refused("a remembered statement has other columns");
        }
    }
    if (is_csv_ && arm.columns.size() == 1) {
        throw Refused("a file of one column");  // its empty fields are quoted
    }
}

void RowText::add(std::vector<Piece>& pieces, const OutputColumn& column, std::string before) {
    if (column.remembered) {
        Remembered& remembered = remembered_.at(*column.remembered);
        if (remembered.columns.empty()) {
            Piece piece;
            piece.remembered = *column.remembered;
            pieces.push_back(std::move(piece));
        } else if (pieces.empty() || pieces.back().remembered != *column.remembered) {
            throw Refused("columns that are remembered together do not stand together");
        }
        remembered.columns.push_back({column.kind, std::move(before)});
        return;
    }
    Piece piece;
    piece.kind = column.kind;
    piece.is_fixed = !column.slot;
    piece.slot = column.slot.value_or(0);
    const std::string text = piece.is_fixed ? fixed_text(column, std::move(before)) : std::move(before);
    if (piece.is_fixed && !pieces.empty() && pieces.back().is_fixed) {
        pieces.back().before += text;
        return;
    }
    piece.before += text;
    pieces.push_back(std::move(piece));
}

std::string RowText::fixed_text(const OutputColumn& column, std::string before) const {
    TextBuffer text;
    if (column.text || is_csv_) {  // NULL has no member, but a field
        text += before;
    }
    if (column.text && is_csv_) {
        append_csv_cell(text, column.kind, *column.text);
    } else if (column.text) {
        append_json_cell(text, column.kind, *column.text);
    }
    return std::string(text.view());
}

void RowText::append(TextBuffer& out, const Row& row, std::int64_t lane) {
    if (is_csv_) {
        append_pieces(out, members_, row, lane);
        out += "\r\n";
        return;
    }
    out += ",\n";
    const std::size_t object = out.size();
    append_pieces(out, members_, row, lane);  // each member behind a comma
    if (!arguments_.empty()) {
        constexpr std::string_view opening = ",\"args\":";
        const std::size_t before = out.size();
        out += opening;
        append_pieces(out, arguments_, row, lane);
        if (out.size() == before + opening.size()) {
            out.cut(before);
        } else {
            out[before + opening.size()] = '{';
            out += '}';
        }
    }
    if (out.size() == object) {
        out += '{';
    } else {
        out[object] = '{';
    }
    out += '}';
}

void RowText::append_pieces(TextBuffer& out, std::vector<Piece>& pieces, const Row& row, std::int64_t lane) {
    for (Piece& piece : pieces) {
        if (piece.is_fixed) {
            piece.before.append_to(out);
        } else if (piece.remembered != kNone) {
            append_remembered(out, remembered_[piece.remembered], row);
        } else {
            append_value(out, piece, row.value(piece.slot), lane);
        }
    }
}

void RowText::append_value(TextBuffer& out, Piece& piece, const Value& value, std::int64_t lane) {
    const ValueType type = value.type();
    if (type == ValueType::null) {
        if (is_csv_) {
            piece.before.append_to(out);
        }
        return;
    }
    piece.before.append_to(out);
    if (type == ValueType::integer) {
        const std::int64_t number = piece.is_thread ? plus(value.integer(), lane) : value.integer();
        if (piece.kind == CellKind::integer) {
            out.end_at(write_integer(out.room(kMostDigits), number));
            return;
        }
        if (piece.kind == CellKind::stamp && number < 0) {
            throw Refused("a time is negative");  // which SQL may have printed in another way
        }
        is_csv_ ? append_csv_cell(out, piece.kind, number) : append_json_cell(out, piece.kind, number);
        return;
    }
    if (type != ValueType::text) {
        append_cell(out, piece.kind, value);
        return;
    }
    const std::string_view text = value.text();
    if (!piece.last.empty() && text == piece.last) {
        piece.last_text.append_to(out);
        return;
    }
    const std::size_t begin = out.size();
    append_cell(out, piece.kind, value);
    if (!text.empty() && text.size() <= kShort) {
        piece.last = text;
        piece.last_text = PaddedText(out.view(begin));
    }
}

void RowText::append_cell(TextBuffer& out, CellKind kind, const Value& value) const {
    switch (value.type()) {
        case ValueType::null:
            break;
        case ValueType::integer:
            is_csv_ ? append_csv_cell(out, kind, value.integer()) : append_json_cell(out, kind, value.integer());
            break;
        case ValueType::text:
            is_csv_ ? append_csv_cell(out, kind, checked(value.text())) : append_json_cell(out, kind, checked(value.text()));
            break;
        case ValueType::real:
            if (!takes_float(kind)) {
                throw Refused("a time is no integer");
            }
            is_csv_ ? append_csv_cell(out, kind, value.real()) : append_json_cell(out, kind, value.real());
            break;
        default:
            throw Refused("a value is no text and no number");
    }
}

void RowText::append_remembered(TextBuffer& out, Remembered& remembered, const Row& row) {
    Arguments arguments;
    for (std::size_t place = 0; place < remembered.slots.size(); ++place) {
        const Value value = row.value(remembered.slots[place]);
        switch (value.type()) {
            case ValueType::integer:
                arguments.values[place] = value.integer();
                break;
            case ValueType::null:
                arguments.nulls |= 1U << place;
                break;
            default:
                throw Refused("an id is no integer");
        }
    }
    if (!remembered.memory.append(out, arguments)) {
        ask(remembered, arguments);
        out += scratch_.view();
        remembered.memory.put(arguments, scratch_.view());
    }
}

// Leaves the text in `scratch_`.
void RowText::ask(Remembered& remembered, const Arguments& arguments) {
    Statement& statement = remembered.statement;
    statement.reset();
    for (std::size_t place = 0; place < remembered.slots.size(); ++place) {
        if ((arguments.nulls >> place & 1U) != 0) {
            statement.bind_null(place);
        } else {
            statement.bind(place, arguments.values[place]);
        }
    }
    scratch_.clear();
    if (!statement.step()) {
        throw Refused("a remembered statement has no row");
    }
    const Row row = statement.row();
    for (std::size_t column = 0; column < remembered.columns.size(); ++column) {
        const Value value = row.value(column);
        const bool is_null = value.type() == ValueType::null;
        if (is_csv_ || !is_null) {
            scratch_ += remembered.columns[column].before;
        }
        append_cell(scratch_, remembered.columns[column].kind, value);
    }
    statement.reset();
}

}  // namespace npuwh::sqlite_rows

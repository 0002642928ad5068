#include "sqlite_rows/flow_events.hpp"

#include "decode/utf8_repair.hpp"
#include "sqlite_rows/refused.hpp"
#include "sqlite_rows/row_text.hpp"
#include "text/field_text.hpp"
#include "text/number_text.hpp"

namespace npuwh::sqlite_rows {

FlowText::FlowText(const Arm& arm, const SliceLanes& lanes) : lanes_(&lanes) {
    for (const OutputColumn& column : arm.columns) {
        const bool is_name = slots_.empty();
        if (!column.slot && !(is_name && column.text)) {
            throw Refused("a flow's columns are not read");
        }
        slots_.push_back(column.slot.value_or(0));
    }
    if (slots_.size() != 8) {
        throw Refused("a flow has other columns");
    }
    if (arm.columns.front().text) {
        take_name(*arm.columns.front().text);
        has_fixed_name_ = true;
    }
}

void FlowText::take_name(std::string_view name) {
    if (!is_utf8(name)) {
        throw Refused("a text is not UTF-8");
    }
    name_ = name;
    TextBuffer members;
    members += "\",\"bp\":\"e\",\"name\":";
    append_json_string(members, name);
    members += ",\"cat\":";
    append_json_string(members, name);
    members += ",\"id\":";
    members_ = PaddedText(members.view());
}

void FlowText::append(TextBuffer& out, const Row& row) {
    if (!has_fixed_name_) {
        const Value name = row.value(slots_[0]);
        if (name.type() != ValueType::text) {
            throw Refused("a flow has no name");
        }
        if (members_.empty() || name.text() != name_) {
            take_name(name.text());
        }
    }
    const std::int64_t id = integer_in(row, slots_[1]);
    const End from = end_at(row, 2);
    const End to = end_at(row, 5);
    const bool is_turned = to.time < from.time;
    append_event(out, 's', id, is_turned ? to : from);
    append_event(out, 'f', id, is_turned ? from : to);
}

FlowText::End FlowText::end_at(const Row& row, std::size_t column) const {
    End end{integer_in(row, slots_[column]), integer_in(row, slots_[column + 1]), integer_in(row, slots_[column + 2])};
    end.thread += lanes_->find(end.thread, end.time);
    return end;
}

void FlowText::append_event(TextBuffer& out, char phase, std::int64_t id, const End& end) const {
    static const PaddedText opening(",\n{\"ph\":\"");
    static const PaddedText process(",\"pid\":");
    static const PaddedText thread(",\"tid\":");
    static const PaddedText time(",\"ts\":");
    opening.append_to(out);
    out += phase;
    members_.append_to(out);
    append_integer(out, id);
    process.append_to(out);
    append_integer(out, end.process);
    thread.append_to(out);
    append_integer(out, end.thread);
    time.append_to(out);
    append_microseconds(out, end.time);
    out += '}';
}

}  // namespace npuwh::sqlite_rows

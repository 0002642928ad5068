// Writes the records of FRAMEWORK files (framework-files.md 2), right and wrong ones.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scratch_file.hpp"

namespace check {

inline void append(Bytes& to, const Bytes& from) { to.insert(to.end(), from.begin(), from.end()); }

template <class T>
void put(Bytes& to, T value) {
    const std::size_t at = to.size();
    to.resize(at + sizeof value);
    std::memcpy(to.data() + at, &value, sizeof value);
}

inline void put_tlv(Bytes& to, std::uint16_t type, const Bytes& value) {
    put(to, type);
    put(to, static_cast<std::uint32_t>(value.size()));
    append(to, value);
}

using Texts = std::vector<std::pair<std::uint16_t, std::string>>;  // nested tag, text

inline Bytes record(std::uint16_t type, Bytes value, const Texts& texts = {}) {
    for (const auto& text : texts) {
        put_tlv(value, text.first, Bytes(text.second.begin(), text.second.end()));
    }
    Bytes out;
    put_tlv(out, type, value);
    return out;
}

struct Op {
    std::int64_t start = 1000;
    std::int64_t end = 2000;
    std::int64_t sequence = -1;
    std::uint64_t pid = 4321;
    std::uint64_t tid = 4330;
    std::uint64_t end_tid = 4330;
    std::uint64_t forward = 0;
    std::uint8_t scope = 0;
    std::uint8_t is_async = 0;
    Texts texts{{2, "aten::add"}};
};

inline Bytes op_range(const Op& op) {
    Bytes value;
    for (const std::int64_t field : {op.start, op.end, op.sequence}) {
        put(value, field);
    }
    for (const std::uint64_t field : {op.pid, op.tid, op.end_tid, op.forward}) {
        put(value, field);
    }
    put(value, op.scope);
    put(value, op.is_async);
    return record(1, std::move(value), op.texts);
}

inline Bytes op_mark(std::int64_t time, std::uint64_t category, std::uint64_t correlation, const std::string& name,
                     std::uint64_t tid = 4330, std::uint64_t pid = 4321) {
    Bytes value;
    put(value, time);
    for (const std::uint64_t field : {category, correlation, tid, pid}) {
        put(value, field);
    }
    return record(2, std::move(value), {{1, name}});
}

inline Bytes memory_usage(std::int64_t address, std::int64_t time, std::int64_t size, std::uint8_t action = 0) {
    Bytes value;
    for (const std::int64_t field : {address, time, size, std::int64_t{1024}, std::int64_t{2097152}, std::int64_t{1536}, std::int64_t{2}}) {
        put(value, field);
    }
    for (const std::uint8_t field : {std::uint8_t{20}, std::uint8_t{1}, std::uint8_t{0}, action, std::uint8_t{0}}) {
        put(value, field);
    }
    put(value, std::uint64_t{4330});
    put(value, std::uint64_t{4321});
    return record(3, std::move(value));
}

inline Bytes python_call(std::uint64_t time, std::uint64_t key, std::uint8_t action, std::uint64_t tid = 4330, std::uint64_t pid = 4321) {
    Bytes out;
    for (const std::uint64_t field : {time, tid, pid, key}) {
        put(out, field);
    }
    put(out, action);
    return out;
}

inline Bytes python_name(std::uint64_t key, const std::string& text) {
    Bytes value;
    put(value, key);
    return record(4, std::move(value), {{1, text}});
}

inline Bytes param_tensor(std::uint64_t key, const Texts& texts) {
    Bytes value;
    put(value, key);
    return record(5, std::move(value), texts);
}

inline Bytes gc_record(std::uint64_t pid, std::uint64_t start, std::uint64_t end) {
    Bytes out;
    for (const std::uint64_t field : {pid, start, end}) {
        put(out, field);
    }
    return out;
}

// "01 00 6f ..." as the specification prints it.
inline Bytes from_hex(std::string_view text) {
    Bytes out;
    int digits = 0;
    unsigned value = 0;
    for (const char byte : text) {
        if (byte == ' ' || byte == '\n') {
            continue;
        }
        const unsigned digit = static_cast<unsigned>(byte <= '9' ? byte - '0' : byte - 'a' + 10);
        value = value * 16 + digit;
        if (++digits % 2 == 0) {
            out.push_back(static_cast<std::uint8_t>(value));
            value = 0;
        }
    }
    return out;
}

}  // namespace check

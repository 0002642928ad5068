// Well-formed files of every PROF stream, with random content.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "check.hpp"
#include "decode/byte_window.hpp"
#include "decode/prof/host_layouts.hpp"
#include "decode/prof/stream_format.hpp"
#include "scratch_file.hpp"

namespace check {

template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

inline void limit(Bytes& record, std::size_t at, std::uint32_t most) {
    put(record, at, npuwh::load_le<std::uint32_t>(record.data() + at) % (most + 1));
}

// One record of a format that has records.
inline Bytes prof_record(Random& random, const npuwh::prof::StreamFormat& format) {
    using npuwh::prof::Marker;
    using npuwh::prof::Reader;
    const bool is_aicpu = std::string(format.name) == "aicpu";
    Bytes record(format.record_size);
    for (;;) {
        for (std::uint8_t& byte : record) {
            byte = static_cast<std::uint8_t>(random.between(0, 3) == 0 ? random.bits() : 0);
        }
        if (format.marker == Marker::host) {
            put(record, 0, npuwh::prof::kHostMagic);
            put(record, 2, static_cast<std::uint16_t>(is_aicpu ? 6000 : 5000));
            put(record, 4, static_cast<std::uint32_t>(random.between(0, 13)));
            put(record, 12, std::uint32_t{40});
            put(record, 16, static_cast<std::uint64_t>(random.between(1, 1000)));
        } else if (format.marker != Marker::none) {
            const auto function = format.reader == Reader::tasks ? random.between(0, 1) : random.between(0, 63);
            put(record, 0, static_cast<std::uint16_t>(function | (random.bits() & 0xFC00)));
            put(record, 2, std::uint16_t{0x6BD3});
            put(record, 4, static_cast<std::uint32_t>(random.between(0, 3)));
            put(record, 8, static_cast<std::uint64_t>(random.between(1, 1000)));
        } else if (format.select != nullptr) {
            record[1] = static_cast<std::uint8_t>(random.between(0, 15));
        }
        const npuwh::prof::Selected selected =
            format.select == nullptr ? npuwh::prof::Selected{} : format.select(record.data());
        if (selected.fault == nullptr) {
            const npuwh::prof::RecordLayout& layout = *format.layouts[selected.layout];
            if (layout.repeat.most > 0 && layout.repeat.count_offset != npuwh::prof::Repeat::kAlwaysAll) {
                limit(record, layout.repeat.count_offset, layout.repeat.most);
            }
            if (format.reader == Reader::variable) {
                limit(record, layout.tensors.count_offset, 4);
                const auto tensors = npuwh::load_le<std::uint32_t>(record.data() + layout.tensors.count_offset);
                put(record, 12, std::uint32_t{64} + 44 * tensors);
                record.resize(record.size() + std::size_t{44} * tensors);
            } else if (layout.tensors.most > 0) {
                limit(record, layout.tensors.count_offset, layout.tensors.most);
            }
        }
        if (selected.fault == nullptr && (format.is_plausible == nullptr || format.is_plausible(record.data()))) {
            return record;
        }
    }
}

inline Bytes prof_line(Random& random, const npuwh::prof::StreamFormat& format) {
    using npuwh::prof::Reader;
    std::string line;
    const auto number = [&] { return std::to_string(random.between(0, 100000)); };
    if (format.reader == Reader::table) {
        for (const char* const column : format.columns) {
            line += column == nullptr ? "" : (line.empty() ? "" : " ") + number();
        }
    } else {
        line = number() + (format.reader == Reader::types ? "_" + number() : "") + ":a text:" + number();
    }
    line += '\n';
    return Bytes(line.begin(), line.end());
}

inline bool has_lines(const npuwh::prof::StreamFormat& format) { return format.record_size == 0; }

inline std::vector<Bytes> prof_records(Random& random, const npuwh::prof::StreamFormat& format, std::size_t count) {
    std::vector<Bytes> records;
    for (std::size_t index = 0; index < count; ++index) {
        records.push_back(has_lines(format) ? prof_line(random, format) : prof_record(random, format));
    }
    return records;
}

inline Bytes joined(const std::vector<Bytes>& parts) {
    Bytes whole;
    for (const Bytes& part : parts) {
        whole.insert(whole.end(), part.begin(), part.end());
    }
    return whole;
}

}  // namespace check

#include "decode/prof/record_source.hpp"

#include <algorithm>
#include <string>

namespace npuwh::prof {
namespace {

constexpr std::size_t kSample = 64;  // records

// How many of the first records would pass, if the first began at `skip`.
template <class Test>
std::size_t passing(const ByteWindow& window, std::size_t skip, std::size_t record_size, Test test) {
    std::size_t count = 0;
    for (std::size_t record = 0; record < kSample && window.holds(skip + record * record_size, record_size); ++record) {
        count += test(window.data() + skip + record * record_size) ? 1 : 0;
    }
    return count;
}

// The number after the last underscore of `stars_soc.data.0.slice_12`, or 0.
bool is_first_slice(const Ledger& ledger) {
    if (ledger.files().empty()) {
        return true;
    }
    const std::string& path = ledger.files().front().path;
    const std::string number = path.substr(path.rfind('_') + 1);
    return number.find_first_not_of('0') == std::string::npos;
}

}  // namespace

RecordSource::RecordSource(SliceStream& stream, const StreamFormat& format)
    : format_(format), records_(stream, format.record_size, marker_of(stream, format)) {}

RecordSource::IsRecord RecordSource::marker_of(SliceStream& stream, const StreamFormat& format) {
    switch (format.marker) {
        case Marker::host:
            return {is_host_record};
        case Marker::stars:
            return {has_stars_magic};
        case Marker::maybe_stars: {
            const ByteWindow window = stream.look(kSample * format.record_size);
            std::size_t marks = 0;  // wherever they stand, for the first records may be damaged
            for (std::size_t at = 0; window.holds(at, sizeof(std::uint32_t)) && at < kSample * format.record_size; ++at) {
                marks += has_stars_magic(window.data() + at) ? 1 : 0;
            }
            if (4 * marks * format.record_size >= std::min(window.size(), kSample * format.record_size)) {
                return {has_stars_magic};
            }
            break;
        }
        case Marker::none:
            break;
    }
    align(stream, format);
    return {nullptr};
}

void RecordSource::align(SliceStream& stream, const StreamFormat& format) {
    const std::size_t size = format.record_size;
    const std::size_t skip = stream.bytes_left() % size;
    if (skip == 0) {
        return;
    }
    std::size_t from_start = 0;
    std::size_t after_skip = 0;
    if (format.is_plausible != nullptr) {
        const ByteWindow window = stream.look((kSample + 1) * size);
        from_start = passing(window, 0, size, format.is_plausible);
        after_skip = passing(window, skip, size, format.is_plausible);
    }
    if (after_skip > from_start || (after_skip == from_start && !is_first_slice(stream.ledger()))) {
        stream.reject(skip, fault::kFrontPartial);
    }
}

}  // namespace npuwh::prof

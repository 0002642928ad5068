#include "sqlite_file/byte_sorter.hpp"

#include <algorithm>
#include <cstring>

#include "sqlite_file/record.hpp"

namespace npuwh::sqlite_file {
namespace {

constexpr std::size_t kSmallestArena = 1 << 12;
constexpr std::size_t kLargestArena = 1 << 20;
constexpr std::size_t kFront = 12;  // the size, then room to scribble
constexpr std::size_t kRunFront = sizeof(std::uint32_t) + sizeof(std::uint64_t);

std::uint32_t size_of(const std::uint8_t* bytes) {
    std::uint32_t size = 0;
    std::memcpy(&size, bytes - kFront, sizeof size);
    return size;
}

struct Before {
    bool by_prefix_only;
    bool operator()(std::uint64_t prefix, const std::uint8_t* bytes, std::uint64_t other_prefix, const std::uint8_t* other) const {
        return prefix != other_prefix ? prefix < other_prefix : !by_prefix_only && compare_records(bytes, other) < 0;
    }
};

class EntriesInMemory : public SortedRecords {
public:
    EntriesInMemory(const ByteSorter::Entry* first, const ByteSorter::Entry* last) : entry_(first), last_(last) {}

    bool next(SortedRecord& record) override {
        if (entry_ == last_) {
            return false;
        }
        record = {entry_->prefix, entry_->bytes, size_of(entry_->bytes)};
        ++entry_;
        return true;
    }

private:
    const ByteSorter::Entry* entry_;
    const ByteSorter::Entry* last_;
};

// Reads a run: size, prefix, bytes of each record.  The record before stays readable while it is compared with the next.
class RunCursor {
public:
    RunCursor(const SpillFile& spill, Run run, Before before) : spill_(spill), run_(run), before_(before) {}

    bool next() {
        if (run_.size == 0 && place_ == filled_) {
            return false;
        }
        need(kRunFront);
        std::uint32_t size = 0;
        std::memcpy(&size, buffer_.data() + place_, sizeof size);
        std::memcpy(&record_.prefix, buffer_.data() + place_ + sizeof size, sizeof record_.prefix);
        need(kRunFront + size);
        record_.bytes = buffer_.data() + place_ + kRunFront;
        record_.size = size;
        place_ += kRunFront + size;
        return true;
    }

    const SortedRecord& record() const { return record_; }
    bool before(const RunCursor& other) const {
        return before_(record_.prefix, record_.bytes, other.record_.prefix, other.record_.bytes);
    }

private:
    void need(std::size_t size) {
        if (filled_ - place_ >= size) {
            return;
        }
        if (filled_ > place_) {
            std::memmove(buffer_.data(), buffer_.data() + place_, filled_ - place_);
        }
        filled_ -= place_;
        place_ = 0;
        buffer_.resize(std::max({buffer_.size(), size, kReadBytes}));
        const std::size_t more = std::min<std::uint64_t>(run_.size, buffer_.size() - filled_);
        spill_.read(run_.place, buffer_.data() + filled_, more);
        run_.place += more;
        run_.size -= more;
        filled_ += more;
    }

    const SpillFile& spill_;
    Run run_;
    Before before_;
    std::vector<std::uint8_t> buffer_;
    std::size_t place_ = 0;
    std::size_t filled_ = 0;
    SortedRecord record_;
};

class MergedRecords : public SortedRecords {
public:
    MergedRecords(const SpillFile& spill, const Run* first, const Run* last, Before before) {
        for (; first != last; ++first) {
            merge_.add(std::make_unique<RunCursor>(spill, *first, before));
        }
    }

    bool next(SortedRecord& record) override {
        if (is_begun_) {
            merge_.step();
        }
        is_begun_ = !merge_.empty();
        if (is_begun_) {
            record = merge_.top().record();
        }
        return is_begun_;
    }

private:
    Merge<RunCursor> merge_;
    bool is_begun_ = false;
};

}  // namespace

std::uint8_t* ByteSorter::add(std::uint64_t prefix, std::size_t size) {
    if (static_cast<std::size_t>(free_end_ - free_) < kFront + size) {
        const std::size_t usual = std::clamp(arena_bytes_, kSmallestArena, kLargestArena);
        const std::size_t arena = std::max(usual, kFront + size);
        arenas_.emplace_back(new std::uint8_t[arena]);
        arena_bytes_ += arena;
        free_ = arenas_.back().get();
        free_end_ = free_ + arena;
    }
    const auto stored = static_cast<std::uint32_t>(size);
    std::memcpy(free_, &stored, sizeof stored);
    std::uint8_t* bytes = free_ + kFront;
    free_ = bytes + size;
    entries_.push_back({prefix, bytes});
    return bytes;
}

void ByteSorter::sort(std::size_t begin, std::size_t end) {
    const Before before{by_prefix_only_};
    const auto order = [&](const Entry& left, const Entry& right) { return before(left.prefix, left.bytes, right.prefix, right.bytes); };
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = entries_.begin() + static_cast<std::ptrdiff_t>(end);
    if (!std::is_sorted(first, last, order)) {
        std::sort(first, last, order);
    }
}

Run ByteSorter::write_run(std::size_t begin, std::size_t end) {
    sort(begin, end);
    std::uint64_t bytes = 0;
    for (std::size_t place = begin; place < end; ++place) {
        bytes += kRunFront + size_of(entries_[place].bytes);
    }
    EntriesInMemory records(entries_.data() + begin, entries_.data() + end);
    return write_run(records, bytes);
}

Run ByteSorter::write_run(SortedRecords& records, std::uint64_t bytes) {
    const Run run{spill_.reserve(bytes), bytes};
    std::uint64_t place = run.place;
    std::vector<std::uint8_t> buffer;
    const auto flush = [&] {
        spill_.write(place, buffer.data(), buffer.size());
        place += buffer.size();
        buffer.clear();
    };
    SortedRecord record;
    while (records.next(record)) {
        const auto size = static_cast<std::uint32_t>(record.size);
        const auto* size_bytes = reinterpret_cast<const std::uint8_t*>(&size);
        const auto* prefix_bytes = reinterpret_cast<const std::uint8_t*>(&record.prefix);
        buffer.insert(buffer.end(), size_bytes, size_bytes + sizeof size);
        buffer.insert(buffer.end(), prefix_bytes, prefix_bytes + sizeof record.prefix);
        buffer.insert(buffer.end(), record.bytes, record.bytes + record.size);
        if (buffer.size() >= kWriteBytes) {
            flush();
        }
    }
    flush();
    return run;
}

void ByteSorter::spill() {
    const std::size_t runs_before = runs_.size();
    std::size_t begin = 0;
    for (SorterMark& mark : marks_) {
        if (mark.runs == runs_before && mark.entries > 0) {
            if (mark.entries > begin) {
                runs_.push_back(write_run(begin, mark.entries));
                begin = mark.entries;
            }
            mark = {runs_.size(), 0};
        }
    }
    if (entries_.size() > begin) {
        runs_.push_back(write_run(begin, entries_.size()));
    }
    clear();
}

std::unique_ptr<SortedRecords> ByteSorter::finish() {
    if (runs_.empty()) {
        sort(0, entries_.size());
        return std::make_unique<EntriesInMemory>(entries_.data(), entries_.data() + entries_.size());
    }
    if (!entries_.empty()) {
        spill();
    }
    const auto merged = [&](std::size_t count) {
        return std::make_unique<MergedRecords>(spill_, runs_.data(), runs_.data() + count, Before{by_prefix_only_});
    };
    while (runs_.size() > kFanIn) {
        std::uint64_t bytes = 0;
        for (std::size_t run = 0; run < kFanIn; ++run) {
            bytes += runs_[run].size;
        }
        runs_.push_back(write_run(*merged(kFanIn), bytes));
        runs_.erase(runs_.begin(), runs_.begin() + kFanIn);
    }
    return merged(runs_.size());
}

void ByteSorter::rewind(const SorterMark& mark) {
    runs_.resize(mark.runs);
    if (mark.entries == 0) {
        clear();
    }
    entries_.resize(mark.entries);
}

void ByteSorter::clear() {
    std::vector<Entry>().swap(entries_);
    arenas_.clear();
    arena_bytes_ = 0;
    free_ = free_end_ = nullptr;
}

}  // namespace npuwh::sqlite_file

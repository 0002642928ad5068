#include "decode/prof/prof_decoder.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

#include "decode/prof/device_tasks.hpp"
#include "decode/prof/line_decoders.hpp"
#include "decode/prof/prof_faults.hpp"
#include "decode/prof/record_decoders.hpp"

namespace npuwh::prof {
namespace {

// Of a stream whose content cannot be read, everything is rejected for one reason.
class Refusal final : public ProfDecoder {
public:
    Refusal(const ProfInput& input, const FaultKind& reason) : ProfDecoder(input), reason_(reason) {}

protected:
    bool work() override {
        stream().reject(stream().bytes_left(), reason_, 0);
        return false;
    }

private:
    const FaultKind& reason_;
};

}  // namespace

ProfDecoder::ProfDecoder(const ProfInput& input)
    : ProfReader(input.strings ? input.strings : std::make_shared<StringTable>()),
      stream_(input.paths, input.window_bytes),
      batch_rows_(input.batch_rows == 0 ? 1 : input.batch_rows),
      limits_(input.limits),
      tensors_(input.tensors ? input.tensors : std::make_shared<TensorLists>(strings())) {}

SharedBatch ProfDecoder::next() {
    while (ready_.empty()) {
        if (is_done_) {
            return nullptr;
        }
        is_done_ = !work();
    }
    kind_ = ready_.front().first;
    SharedBatch batch = std::move(ready_.front().second);
    ready_.pop_front();
    return batch;
}

SharedBatch ProfDecoder::take(const std::string& kind) { return kind == TensorLists::kKind ? tensors_->take() : nullptr; }

void ProfDecoder::hand_over(const char* kind, SharedBatch batch) {
    if (batch && batch->rows() > 0) {
        ready_.emplace_back(kind, std::move(batch));
    }
}

namespace {

std::unique_ptr<ProfDecoder> make_decoder(const FormatFound& found, const ProfInput& input) {
    if (found.fault != nullptr) {
        return std::make_unique<Refusal>(input, *found.fault);
    }
    const StreamFormat& format = *found.format;
    switch (format.reader) {
        case Reader::records:
            return std::make_unique<RecordsDecoder>(input, format);
        case Reader::api:
            return std::make_unique<ApiDecoder>(input, format);
        case Reader::tensors:
            return std::make_unique<TensorDecoder>(input, format);
        case Reader::tasks:
            return std::make_unique<TaskDecoder>(input, format);
        case Reader::variable:
            return std::make_unique<VariableDecoder>(input, format);
        case Reader::hashes:
            return std::make_unique<HashDecoder>(input);
        case Reader::types:
            return std::make_unique<TypeDecoder>(input);
        case Reader::table:
            return std::make_unique<TableDecoder>(input, format);
    }
    return nullptr;
}

// The number of `stars_soc.data.0.slice_12`, or none.
std::optional<std::uint64_t> slice_number(const std::string& path) {
    const std::size_t under = path.rfind('_');
    std::uint64_t number = 0;
    if (under == std::string::npos) {
        return std::nullopt;
    }
    const char* const end = path.data() + path.size();
    const auto [stop, error] = std::from_chars(path.data() + under + 1, end, number);
    return error == std::errc{} && stop == end ? std::optional<std::uint64_t>(number) : std::nullopt;
}

// Runs of slices whose numbers follow each other, or tell nothing.
std::vector<std::vector<std::string>> runs_of(const std::vector<std::string>& paths) {
    std::vector<std::vector<std::string>> runs(1);
    std::optional<std::uint64_t> last;
    for (const std::string& path : paths) {
        const std::optional<std::uint64_t> number = slice_number(path);
        if (last && number && *number > *last + 1) {
            runs.emplace_back();
        }
        runs.back().push_back(path);
        last = number;
    }
    return runs;
}

// One run after the other.
class Chain final : public ProfReader {
public:
    Chain(const FormatFound& found, const ProfInput& input, std::vector<std::vector<std::string>> runs)
        : ProfReader(input.strings), found_(found), input_(input), runs_(std::move(runs)), done_(input.paths) {}

    SharedBatch next() override {
        for (; run_ < runs_.size(); ++run_) {
            if (!decoder_) {
                input_.paths = runs_[run_];
                decoder_ = make_decoder(found_, input_);
            }
            if (SharedBatch batch = decoder_->next()) {
                kind_ = decoder_->kind();
                return batch;
            }
            add_ledger(done_);
            first_file_ += runs_[run_].size();
            decoder_.reset();
        }
        return nullptr;
    }

    SharedBatch take(const std::string& kind) override { return kind == TensorLists::kKind ? input_.tensors->take() : nullptr; }
    const char* kind() const override { return kind_; }

    const Ledger& ledger() const override {
        whole_ = done_;
        add_ledger(whole_);
        return whole_;
    }

private:
    // What became of the run in hand.
    void add_ledger(Ledger& to) const {
        if (!decoder_) {
            return;
        }
        const Ledger& part = decoder_->ledger();
        for (std::size_t file = 0; file < part.files().size(); ++file) {
            to.file(first_file_ + file) = part.files()[file];
        }
        if (run_ > 0) {
            to.add_fault(fault::kMissingSlice, first_file_, 0);
        }
        for (const FaultCount& fault : part.faults()) {
            to.add_fault(*fault.kind, first_file_ + fault.file, fault.first_offset, fault.bytes, fault.count);
        }
    }

    FormatFound found_;
    ProfInput input_;
    std::vector<std::vector<std::string>> runs_;
    Ledger done_;  // of the runs before the one in hand
    std::size_t run_ = 0;
    std::size_t first_file_ = 0;  // of that run
    std::unique_ptr<ProfDecoder> decoder_;
    std::atomic<const char*> kind_{nullptr};
    mutable Ledger whole_;
};

}  // namespace

std::unique_ptr<ProfReader> make_prof_decoder(const std::string& stream, const ProfInput& input) {
    const FormatFound found = find_format(stream, input.collection);
    if (found.format == nullptr) {
        return nullptr;
    }
    const std::vector<std::vector<std::string>> runs = runs_of(input.paths);
    if (runs.size() == 1) {
        return make_decoder(found, input);
    }
    ProfInput shared = input;
    shared.strings = input.strings ? input.strings : std::make_shared<StringTable>();
    shared.tensors = std::make_shared<TensorLists>(*shared.strings);
    return std::make_unique<Chain>(found, shared, runs);
}

}  // namespace npuwh::prof

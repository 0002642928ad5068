// Streams of records of one size, and capture_op_info of varying size.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "decode/prof/insertion_map.hpp"
#include "decode/prof/layout_rows.hpp"
#include "decode/prof/prof_decoder.hpp"
#include "decode/prof/record_source.hpp"

namespace npuwh::prof {

// A record, a row (or one an element) of the kind its layout names.
class RecordsDecoder : public ProfDecoder {
public:
    RecordsDecoder(const ProfInput& input, const StreamFormat& format);

protected:
    bool work() override;

    // Takes a record of the n-th layout, whose counts are good.
    virtual void take_record(std::size_t layout, const std::uint8_t* record);
    // At the end of the stream.
    virtual void take_rest() {}

    LayoutRows& rows_of(std::size_t layout) { return tables_[layout]; }

private:
    const StreamFormat& format_;
    RecordSource source_;
    std::vector<LayoutRows> tables_;
};

// 4.1: two events with the same level, type, thread, request and item make an interval, the first its start.  Those that find no
// partner, and those that stand alone, are rows of "event".
class ApiDecoder final : public RecordsDecoder {
public:
    using RecordsDecoder::RecordsDecoder;

protected:
    void take_record(std::size_t layout, const std::uint8_t* record) override;
    void take_rest() override;

private:
    using Record = std::array<std::uint8_t, 40>;
    using Key = std::array<std::uint8_t, 24>;
    struct KeyHash {
        std::size_t operator()(const Key& key) const;
    };

    void add_lone(const Record& record);

    InsertionMap<Key, Record, KeyHash> open_;
};

// 4.3: records with the same op, stamp and thread are parts of one operator; its row comes when a later stamp of the thread ends it.
class TensorDecoder final : public RecordsDecoder {
public:
    using RecordsDecoder::RecordsDecoder;

protected:
    void take_record(std::size_t layout, const std::uint8_t* record) override;
    void take_rest() override;

private:
    static constexpr std::size_t kMostTensors = 4096;
    static constexpr std::size_t kMostOps = 64;

    struct Operator {
        std::array<std::uint8_t, 40> head;  // up to the first tensor
        std::string tensors;
    };
    struct Thread {
        std::uint64_t time;
        std::vector<Operator> operators;
    };

    void finish(Thread& thread);

    InsertionMap<std::uint32_t, Thread> open_;
    std::size_t open_bytes_ = 0;
};

// 4.4: 88 + 44 * tensors bytes a record.
class VariableDecoder final : public ProfDecoder {
public:
    VariableDecoder(const ProfInput& input, const StreamFormat& format);

protected:
    bool work() override;

private:
    void find_next();

    const StreamFormat& format_;
    LayoutRows rows_;
    bool is_lost_ = false;
};

}  // namespace npuwh::prof

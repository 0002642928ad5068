// Everything a decoder gives, for tests.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "check.hpp"
#include "decode/batch_decoder.hpp"

namespace check {

constexpr std::int64_t kNull = INT64_MIN;  // stands for a null in rows

using Rows = std::vector<std::vector<std::int64_t>>;

inline void add_rows(Rows& rows, const npuwh::RecordBatch& batch) {
    for (std::size_t row = 0; row < batch.rows(); ++row) {
        std::vector<std::int64_t> values;
        for (std::size_t column = 0; column < batch.columns(); ++column) {
            values.push_back(batch.column(column).is_null(row) ? kNull : batch.column(column).value(row));
        }
        rows.push_back(std::move(values));
    }
}

struct Decoded {
    Rows rows;
    std::map<std::string, Rows> more;  // side rows by kind
    std::map<std::int64_t, std::string> texts;
    npuwh::FileLedger total;
    std::map<std::string, std::uint64_t> faults;  // count by code
    std::vector<npuwh::FaultCount> fault_list;
    std::vector<npuwh::FileLedger> files;

    std::string text(std::size_t row, std::size_t column) const {
        const std::int64_t id = rows.at(row).at(column);
        return id == kNull ? "(null)" : texts.at(id);
    }
    std::vector<std::string> column_texts(std::size_t column) const {
        std::vector<std::string> result;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            result.push_back(text(row, column));
        }
        return result;
    }
    std::vector<std::int64_t> column(std::size_t index) const {
        std::vector<std::int64_t> result;
        for (const auto& row : rows) {
            result.push_back(row.at(index));
        }
        return result;
    }
};

// Runs the decoder to its end and checks what holds for every decoder: each byte is accounted for, each batch has rows.
inline Decoded decode(npuwh::BatchDecoder& decoder, const std::vector<std::string>& side_kinds = {}) {
    Decoded result;
    const auto take_rest = [&] {
        for (const std::string& kind : side_kinds) {
            while (const npuwh::SharedBatch batch = decoder.take(kind)) {
                add_rows(result.more[kind], *batch);
            }
        }
        while (const npuwh::SharedBatch batch = decoder.strings().take()) {
            for (std::size_t row = 0; row < batch->rows(); ++row) {
                result.texts.emplace(batch->column(0).value(row), batch->column(1).text(row));
            }
        }
    };
    while (const npuwh::SharedBatch batch = decoder.next()) {
        CHECK(batch->rows() > 0);
        add_rows(result.rows, *batch);
        take_rest();
    }
    take_rest();
    CHECK(decoder.next() == nullptr);
    const npuwh::Ledger& ledger = decoder.ledger();
    result.files = ledger.files();
    result.total = ledger.total();
    result.fault_list = ledger.faults();
    bool is_short = false;
    std::uint64_t fault_bytes = 0;
    for (const npuwh::FaultCount& fault : ledger.faults()) {
        result.faults[fault.kind->code] += fault.count;
        fault_bytes += fault.bytes;
        is_short |= fault.kind == &npuwh::fault::kFileMissing || fault.kind == &npuwh::fault::kFileShrunk ||
                    fault.kind == &npuwh::fault::kFileNotRegular || fault.kind == &npuwh::fault::kReadError;
    }
    CHECK_EQUAL(fault_bytes, result.total.bytes_rejected);
    if (!is_short) {
        CHECK_EQUAL(result.total.bytes_seen(), result.total.size_bytes);
    }
    return result;
}

}  // namespace check

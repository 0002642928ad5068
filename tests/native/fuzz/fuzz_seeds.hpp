// Small true-shaped files that mutation starts from.
#pragma once

#include <vector>

#include "framework_writer.hpp"
#include "scratch_file.hpp"

namespace check {

// Where the search of a fuzzer begins.
std::vector<Bytes> fuzz_seeds();

// One file a kind, in the order of npuwh::framework_kinds().
inline std::vector<Bytes> framework_files() {
    std::vector<Bytes> files(7);
    const std::string tensor = "0x1;0x2;float;4;2,3;3,1;20;0";
    for (std::int64_t number = 0; number < 3; ++number) {
        const auto unsigned_number = static_cast<std::uint64_t>(number);
        Op op;
        op.texts = {{2, "aten::mm"}, {3, "float;float"},  {4, "2,3;3,4"},   {5, tensor + ")" + tensor}, {6, tensor + ")}" + tensor + ")"},
                    {7, "Int"},      {8, "a(1): f;b(2): g"}, {9, "Net;Linear"}, {10, "k:v"}};
        append(files[0], op_range(op));
        append(files[1], op_mark(number, unsigned_number, 7, "Add"));
        append(files[2], memory_usage(4096, number, 512));
        append(files[3], python_call(unsigned_number, 99, static_cast<std::uint8_t>(number)));
        append(files[4], python_name(unsigned_number, "train.py(10): step"));
        append(files[5], param_tensor(unsigned_number, {{1, "weight)" + tensor + ")}bias)" + tensor + ")" + tensor}}));
        append(files[5], param_tensor(unsigned_number, {{2, tensor + "))step>" + tensor + "]exp>" + tensor + "]}" + tensor + "))"}}));
        append(files[6], gc_record(4321, unsigned_number, unsigned_number + 5));
    }
    return files;
}

}  // namespace check

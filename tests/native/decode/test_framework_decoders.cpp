// The records of the specification (framework-files.md 2), decoded.
#include "check.hpp"
#include "decode/framework/framework_decoder.hpp"
#include "decoded.hpp"
#include "framework_writer.hpp"
#include "scratch_file.hpp"

using check::Bytes;
using check::Decoded;
using check::from_hex;
using check::kNull;
using check::ScratchFile;
using Row = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

namespace {

Decoded decode(const char* kind, const Bytes& bytes, std::size_t batch_rows = 1000, bool with_tensors = false) {
    const ScratchFile file(bytes);
    npuwh::DecoderInput input;
    input.paths = {file.path()};
    input.window_bytes = 4096;
    input.batch_rows = batch_rows;
    const auto decoder = npuwh::make_framework_decoder(kind, input, with_tensors);
    return check::decode(*decoder, {"stack_frame", "tensor"});
}

Bytes together(const std::vector<Bytes>& parts) {
    Bytes all;
    for (const Bytes& part : parts) {
        check::append(all, part);
    }
    return all;
}

}  // namespace

TEST(op_range_of_the_specification) {
    const Decoded got = decode("op_range", from_hex(
        "01 00 6f 00 00 00 40 42 0f 00 00 00 00 00 d0 12 13 00 00 00 00 00 07 00 00 00 00 00 00 00 e1 10"
        "00 00 00 00 00 00 ea 10 00 00 00 00 00 00 ea 10 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
        "02 00 09 00 00 00 61 74 65 6e 3a 3a 61 64 64 03 00 12 00 00 00 66 6c 6f 61 74 3b 66 6c 6f 61 74"
        "3b 53 63 61 6c 61 72 04 00 08 00 00 00 32 2c 33 3b 32 2c 33 3b"));
    CHECK_EQUAL(got.rows, (check::Rows{{1000000, 1250000, 7, 4321, 4330, 4330, 0, 0, 0, 0, 1, 2, kNull, kNull, kNull, kNull}}));
    CHECK_EQUAL(got.text(0, 9), "aten::add");
    CHECK_EQUAL(got.text(0, 10), "float;float;Scalar");
    CHECK_EQUAL(got.text(0, 11), "2,3;2,3;");
    CHECK(got.faults.empty());
}

TEST(op_mark_of_the_specification) {
    const Decoded got = decode("op_mark", from_hex(
        "02 00 31 00 00 00 50 69 0f 00 00 00 00 00 01 00 00 00 00 00 00 00 2a 00 00 00 00 00 00 00 ea 10"
        "00 00 00 00 00 00 e1 10 00 00 00 00 00 00 01 00 03 00 00 00 41 64 64"));
    CHECK_EQUAL(got.rows, (check::Rows{{1010000, 1, 42, 4330, 4321, 0}}));
    CHECK_EQUAL(got.text(0, 5), "Add");
}

TEST(memory_usage_of_the_specification) {
    const Decoded got = decode("memory_usage", from_hex(
        "03 00 4d 00 00 00 00 00 00 40 c0 12 00 00 c8 55 0f 00 00 00 00 00 00 02 00 00 00 00 00 00 00 04"
        "00 00 00 00 00 00 00 00 20 00 00 00 00 00 00 06 00 00 00 00 00 00 02 00 00 00 00 00 00 00 14 01"
        "00 00 00 ea 10 00 00 00 00 00 00 e1 10 00 00 00 00 00 00"
        "03 00 4d 00 00 00 00 00 00 40 c0 12 00 00 20 d6 13 00 00 00 00 00 00 fe ff ff ff ff ff ff 00 02"
        "00 00 00 00 00 00 00 00 20 00 00 00 00 00 00 04 00 00 00 00 00 00 02 00 00 00 00 00 00 00 14 01"
        "00 01 00 ea 10 00 00 00 00 00 00 e1 10 00 00 00 00 00 00"));
    CHECK_EQUAL(got.rows, (check::Rows{{0x12c040000000, 1005000, 512, 1024, 2097152, 1536, 2, 20, 1, 0, 0, 0, 4330, 4321},
                                       {0x12c040000000, 1300000, -512, 512, 2097152, 1024, 2, 20, 1, 0, 1, 0, 4330, 4321}}));
}

TEST(python_calls_and_names_of_the_specification) {
    CHECK_EQUAL(decode("python_tracer_func", from_hex("a4 42 0f 00 00 00 00 00 ea 10 00 00 00 00 00 00 e1 10 00 00 00 00 00 00"
                                                      "88 77 66 55 44 33 22 11 00")).rows,
                (check::Rows{{1000100, 4330, 4321, 0x1122334455667788, 0}}));
    const Decoded names = decode("python_tracer_hash", from_hex("04 00 20 00 00 00 88 77 66 55 44 33 22 11 01 00 12 00 00 00 74 72"
                                                                "61 69 6e 2e 70 79 28 31 30 29 3a 20 73 74 65 70"));
    CHECK_EQUAL(names.rows, (check::Rows{{0x1122334455667788, 0}}));
    CHECK_EQUAL(names.text(0, 1), "train.py(10): step");
}

TEST(gc_record_of_the_specification) {
    CHECK_EQUAL(decode("gc_record", from_hex("e1 10 00 00 00 00 00 00 80 84 1e 00 00 00 00 00 e0 67 35 00 00 00 00 00")).rows,
                (check::Rows{{4321, 2000000, 3500000}}));
}

TEST(parameters_of_the_specification) {
    const Decoded got = decode("param_tensor_info", from_hex(
        "05 00 42 00 00 00 00 7f 00 00 00 00 00 00 01 00 34 00 00 00 77 65 69 67 68 74 29 30 78 35 35 38"
        "31 61 30 3b 30 78 31 32 63 30 34 30 30 30 30 30 30 30 3b 66 6c 6f 61 74 3b 34 3b 32 2c 33 3b 33"
        "2c 31 3b 32 30 3b 30 29"
        "05 00 4c 00 00 00 01 7f 00 00 00 00 00 00 02 00 3e 00 00 00 30 78 35 35 3b 30 78 31 30 30 30 3b"
        "66 6c 6f 61 74 3b 34 3b 32 3b 31 3b 32 30 3b 30 29 29 73 74 65 70 3e 30 78 36 36 3b 30 78 32 30"
        "30 30 3b 66 6c 6f 61 74 3b 34 3b 3b 3b 30 3b 2d 31 5d"));
    CHECK_EQUAL(got.rows.size(), 3U);
    // key, owner, parameter, name, role, state, address, storage, dtype, element bytes, sizes, strides, device
    CHECK_EQUAL(got.rows[0], (Row{0x7f00, 1, 0, 0, 0, kNull, 0x5581a0, 0x12c040000000, 1, 4, 2, 3, 20, 0}));
    CHECK_EQUAL(got.text(0, 3), "weight");
    CHECK_EQUAL(got.text(0, 8), "float");
    CHECK_EQUAL(got.text(0, 10), "2,3");
    CHECK_EQUAL(got.text(0, 11), "3,1");
    CHECK_EQUAL(got.text(1, 10), "2");
    CHECK_EQUAL(got.text(2, 5), "step");
    CHECK_EQUAL(got.text(2, 10), "");
    CHECK_EQUAL(got.rows[1][1], 2);
    CHECK_EQUAL(got.rows[1][6], 0x55);
    CHECK_EQUAL(got.rows[2][6], 0x66);
    CHECK_EQUAL(got.rows[2][4], 2);
    CHECK_EQUAL(got.rows[2][13], -1);
    CHECK(got.faults.empty());
}

TEST(every_text_of_an_op_is_found_in_any_order_and_the_last_of_a_tag_counts) {
    check::Op op;
    op.texts = {{10, "flops:1"}, {9, "A;B"}, {7, "Int"}, {4, ""}, {3, "float"}, {2, "first"}, {2, "second"}, {30, "reserved"}};
    op.forward = 3;
    op.scope = 7;
    op.is_async = 1;
    const Decoded got = decode("op_range", check::op_range(op));
    CHECK_EQUAL(got.text(0, 9), "second");
    CHECK_EQUAL(got.text(0, 10), "float");
    CHECK_EQUAL(got.text(0, 11), "");
    CHECK_EQUAL(got.text(0, 12), "Int");
    CHECK_EQUAL(got.rows[0][13], kNull);
    CHECK_EQUAL(got.text(0, 14), "A;B");
    CHECK_EQUAL(got.text(0, 15), "flops:1");
    CHECK_EQUAL(got.rows[0][6], 3);
    CHECK_EQUAL(got.rows[0][7], 7);
    CHECK_EQUAL(got.rows[0][8], 1);
    CHECK_EQUAL(got.faults.at("unknown_tag"), 1U);
}

TEST(odd_values_are_kept_and_said) {
    check::Op backwards;
    backwards.start = 5;
    backwards.end = 4;
    check::Op scope;
    scope.scope = 10;
    const Decoded got = decode("op_range", together({check::op_range(backwards), check::op_range(scope)}));
    CHECK_EQUAL(got.rows.size(), 2U);
    CHECK_EQUAL(got.faults.at("end_before_start"), 1U);
    CHECK_EQUAL(got.faults.at("unknown_value"), 1U);
}

TEST(stacks_come_out_as_frames) {
    check::Op op;
    op.texts = {{2, "f"}, {8, "a.py(1): x;b.py(2): y"}};
    check::Op no_stack;
    no_stack.texts = {{2, "f"}, {8, ""}};
    const Decoded got = decode("op_range", together({check::op_range(op), check::op_range(op), check::op_range(no_stack)}), 1);
    CHECK_EQUAL(got.column(13), (Row{0, 0, kNull}));
    CHECK_EQUAL(got.more.at("stack_frame").size(), 2U);
    CHECK_EQUAL(got.texts.at(got.more.at("stack_frame")[1][2]), "b.py(2): y");
}

TEST(input_tensors_come_out_as_rows_on_demand) {
    check::Op plain;
    check::Op op;
    const std::string one = "0x10;0x20;float;4;2,3;3,1;20;0";
    const std::string no_storage = "0x11;;c10::Half;2;;;0;-1";
    op.texts = {{2, "f"}, {5, one + ")" + no_storage}, {6, one + ")}" + no_storage + ")" + one + ")}" + "bad)"}};
    const Bytes bytes = together({check::op_range(plain), check::op_range(op)});
    CHECK(decode("op_range", bytes).more.empty());
    const Decoded got = decode("op_range", bytes, 1000, true);
    const check::Rows& rows = got.more.at("tensor");
    CHECK_EQUAL(rows.size(), 5U);
    const std::vector<Row> places{{1, kNull, 0}, {1, kNull, 1}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}};
    for (std::size_t row = 0; row < rows.size(); ++row) {
        CHECK_EQUAL(Row(rows[row].begin(), rows[row].begin() + 3), places[row]);
    }
    CHECK_EQUAL(rows[0][3], 0x10);
    CHECK_EQUAL(rows[0][4], 0x20);
    CHECK_EQUAL(rows[1][4], kNull);
    CHECK_EQUAL(got.texts.at(rows[1][5]), "c10::Half");
    CHECK_EQUAL(rows[1][10], -1);
    CHECK_EQUAL(got.faults.at("bad_tensor"), 1U);
}

TEST(an_enqueue_that_starts_has_no_correlation_number) {
    const Decoded got = decode("op_mark", together({check::op_mark(1, 0, 0, "a"), check::op_mark(2, 1, 0, "a"), check::op_mark(3, 2, 0, ""),
                                                    check::op_mark(4, 3, 0, "")}));
    CHECK_EQUAL(got.column(2), (Row{kNull, 0, 0, 0}));
    CHECK_EQUAL(got.column_texts(5), (Texts{"a", "a", "", ""}));
}

TEST(a_bad_category_loses_its_mark_alone) {
    const Decoded got = decode("op_mark", together({check::op_mark(1, 0, 0, "a"), check::op_mark(2, 4, 0, "b"),
                                                    check::op_mark(3, ~std::uint64_t{0}, 0, "c"), check::op_mark(4, 3, 0, "d")}));
    CHECK_EQUAL(got.column(0), (Row{1, 4}));
    CHECK_EQUAL(got.faults.at("bad_category"), 2U);
    CHECK_EQUAL(got.total.records_rejected, 2U);
}

TEST(parameters_that_are_not_written_as_they_should_be_are_skipped_alone) {
    const std::string tensor = "0x1;0x2;float;4;2;1;20;0";
    const Decoded got = decode(
        "param_tensor_info",
        together({check::param_tensor(1, {{1, "a)" + tensor + ")}b)b}c)" + tensor + ")" + tensor + "}d)1;2)"}}),
                  check::param_tensor(2, {{2, tensor + "))s>" + tensor + "]t" + tensor + "]}" + tensor + "))s>" + tensor + "]u>0x3;;f;1;;;0;0]"}}),
                  check::param_tensor(3, {}), check::param_tensor(4, {{1, ""}})}),
        2);
    std::vector<std::string> rows;
    for (const auto& row : got.rows) {
        rows.push_back(std::to_string(row[0]) + " " + std::to_string(row[2]) + " " + (row[3] == kNull ? "-" : got.texts.at(row[3])) + " " +
                       std::to_string(row[4]) + " " + (row[5] == kNull ? "-" : got.texts.at(row[5])));
    }
    CHECK_EQUAL(rows, (Texts{"1 0 a 0 -", "1 2 c 0 -", "1 2 c 1 -", "2 0 - 0 -", "2 1 - 0 -", "2 1 - 2 s", "2 1 - 2 u"}));
    CHECK_EQUAL(got.faults.at("bad_parameter"), 2U);  // b, and the states of the first of the optimizer
    CHECK_EQUAL(got.faults.at("bad_tensor"), 1U);     // of d
    CHECK_EQUAL(got.total.records_decoded, 4U);
}

TEST(a_text_that_is_not_utf8_is_repaired) {
    check::Op op;
    op.texts = {{2, "a\xFF"}};
    const Decoded got = decode("op_range", together({check::op_range(op), check::op_range(op)}));
    CHECK_EQUAL(got.text(1, 9), "a\xEF\xBF\xBD");
    CHECK_EQUAL(got.faults.at("bad_utf8"), 2U);
    CHECK_EQUAL(got.total.bytes_rejected, 0U);
}

TEST(batches_of_any_size_hold_the_same_rows) {
    Bytes bytes;
    for (std::int64_t number = 0; number < 500; ++number) {
        check::Op op;
        op.start = number;
        op.end = number + 1;
        op.texts = {{2, "name " + std::to_string(number % 7)}, {8, "f;" + std::to_string(number % 5)}};
        check::append(bytes, check::op_range(op));
    }
    const Decoded whole = decode("op_range", bytes, 1 << 16);
    for (const std::size_t batch_rows : {0U, 1U, 3U, 499U, 500U, 501U}) {
        const Decoded got = decode("op_range", bytes, batch_rows);
        CHECK(got.rows == whole.rows);
        CHECK(got.texts == whole.texts);
        CHECK(got.more == whole.more);
    }
}

TEST(decoders_may_share_their_strings) {
    const ScratchFile ops(check::op_range(check::Op{}));
    const ScratchFile marks(check::op_mark(1, 0, 0, "aten::add"));
    npuwh::DecoderInput input;
    input.strings = std::make_shared<npuwh::StringTable>(50);
    input.paths = {ops.path()};
    const auto first = npuwh::make_framework_decoder("op_range", input);
    input.paths = {marks.path()};
    const auto second = npuwh::make_framework_decoder("op_mark", input);
    CHECK_EQUAL(first->next()->column(9).value(0), 50);
    CHECK_EQUAL(second->next()->column(5).value(0), 50);
}

TEST(an_unknown_kind_is_refused_by_name) {
    CHECK_REJECTS(npuwh::make_framework_decoder("op_rank", {}), "no kind 'op_rank'; kinds are op_range, op_mark, ");
    CHECK_EQUAL(npuwh::framework_kinds().size(), 7U);
}

#include <cstring>

#include "check.hpp"
#include "decode/record_batch.hpp"

using npuwh::ColumnType;
using npuwh::RecordBatch;
using npuwh::SharedBatch;

namespace {

std::shared_ptr<RecordBatch> sample(std::size_t rows) {
    auto batch = std::make_shared<RecordBatch>(std::vector<npuwh::ColumnSpec>{{"number", ColumnType::int64, true},
                                                                             {"real", ColumnType::float64, false},
                                                                             {"text", ColumnType::utf8, true},
                                                                             {"bits", ColumnType::uint64, false}});
    for (std::size_t row = 0; row < rows; ++row) {
        batch->column(0).add_or_null(row % 3 != 0, static_cast<std::int64_t>(row));
        batch->column(1).add_real(static_cast<double>(row) / 2);
        if (row % 10 == 9) {
            batch->column(2).add_null();
        } else {
            batch->column(2).add_text(std::string(row % 4, 'x'));
        }
        batch->column(3).add_unsigned(~std::uint64_t{row});
    }
    return batch;
}

// The batch read through the exported structure.
void check_export(const ArrowArray& array, std::size_t rows) {
    CHECK_EQUAL(static_cast<std::size_t>(array.length), rows);
    CHECK_EQUAL(array.n_children, 4);
    const auto bit = [](const ArrowArray& child, std::size_t row) {
        const auto* const validity = static_cast<const std::uint8_t*>(child.buffers[0]);
        return validity == nullptr || (validity[row / 8] >> (row % 8) & 1) != 0;
    };
    for (std::size_t row = 0; row < rows; ++row) {
        CHECK_EQUAL(bit(*array.children[0], row), row % 3 != 0);
        if (row % 3 != 0) {
            CHECK_EQUAL(static_cast<const std::int64_t*>(array.children[0]->buffers[1])[row], static_cast<std::int64_t>(row));
        }
        CHECK_EQUAL(static_cast<const double*>(array.children[1]->buffers[1])[row], static_cast<double>(row) / 2);
        const auto* const offsets = static_cast<const std::int32_t*>(array.children[2]->buffers[1]);
        CHECK_EQUAL(bit(*array.children[2], row), row % 10 != 9);
        CHECK_EQUAL(static_cast<std::size_t>(offsets[row + 1] - offsets[row]), row % 10 == 9 ? 0 : row % 4);
        CHECK_EQUAL(static_cast<const std::uint64_t*>(array.children[3]->buffers[1])[row], ~std::uint64_t{row});
    }
}

}  // namespace

TEST(columns_are_laid_out_as_arrow_wants_them) {
    for (const std::size_t rows : {0U, 1U, 7U, 8U, 9U, 64U, 100U}) {
        const SharedBatch batch = sample(rows);
        ArrowArray array{};
        npuwh::export_array(batch, &array);
        check_export(array, rows);
        array.release(&array);
        CHECK(array.release == nullptr);
    }
}

TEST(the_schema_says_names_types_and_nullability) {
    ArrowSchema schema{};
    npuwh::export_schema(*sample(1), &schema);
    CHECK_EQUAL(std::string(schema.format), "+s");
    std::string text;
    for (std::int64_t child = 0; child < schema.n_children; ++child) {
        text += std::string(schema.children[child]->name) + ":" + schema.children[child]->format +
                ((schema.children[child]->flags & ARROW_FLAG_NULLABLE) != 0 ? "? " : " ");
    }
    CHECK_EQUAL(text, "number:l? real:g text:u? bits:L ");
    schema.release(&schema);
    CHECK(schema.release == nullptr);
}

TEST(an_exported_batch_outlives_its_owner_and_may_be_exported_again) {
    SharedBatch batch = sample(20);
    ArrowArray first{};
    ArrowArray second{};
    npuwh::export_array(batch, &first);
    npuwh::export_array(batch, &second);
    batch.reset();
    first.release(&first);
    check_export(second, 20);
    second.release(&second);
}

TEST(a_child_moved_out_lives_longer_than_its_parent) {
    ArrowArray array{};
    npuwh::export_array(sample(20), &array);
    ArrowArray moved = *array.children[3];
    array.children[3]->release = nullptr;
    array.release(&array);
    CHECK_EQUAL(static_cast<const std::uint64_t*>(moved.buffers[1])[5], ~std::uint64_t{5});
    moved.release(&moved);

    ArrowSchema schema{};
    npuwh::export_schema(*sample(1), &schema);
    ArrowSchema column = *schema.children[0];
    schema.children[0]->release = nullptr;
    schema.release(&schema);
    CHECK_EQUAL(std::string(column.name), "number");
    column.release(&column);
}

TEST(columns_of_unequal_length_are_a_mistake) {
    const auto batch = sample(3);
    batch->column(1).add_real(1);
    ArrowArray array{};
    bool is_thrown = false;
    try {
        npuwh::export_array(batch, &array);
    } catch (const std::logic_error& error) {
        is_thrown = std::strstr(error.what(), "column real has 4 rows") != nullptr;
    }
    CHECK(is_thrown);
}

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

#include "check.hpp"
#include "sweep/keyed_sums.hpp"
#include "sweep/op_totals.hpp"

using npuwh::Column;
using npuwh::HostLinks;
using npuwh::KeyedSums;
using npuwh::OpTotals;

namespace {

constexpr std::int64_t kOp = 0, kPython = 1;
constexpr std::int64_t kFirstOp = 100;

struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

// An op or a frame that is a module; `parent` and `frame` are places of earlier nodes, -1 for none.
struct Node {
    std::int64_t kind, parent, frame, name, framework_name, duration, module;
};
struct Launch {
    std::int64_t op, kernel, duration, flags;  // op: place of the node, -1 for none
};

struct Input {
    std::vector<Node> nodes;
    std::vector<Launch> launches;
};

Input random_input(check::Random& random, std::int64_t most_nodes, std::int64_t most_launches) {
    Input input;
    std::vector<std::int64_t> ops, frames;
    const std::int64_t near = random.between(1, 50);  // the smaller, the deeper the trees
    for (std::int64_t count = random.between(0, most_nodes); count > 0; --count) {
        const auto place = static_cast<std::int64_t>(input.nodes.size());
        const auto earlier = [&](const std::vector<std::int64_t>& places) {
            const auto size = static_cast<std::int64_t>(places.size());
            const std::int64_t back = random.between(1, near);
            return back > size ? -1 : places[static_cast<std::size_t>(size - back)];
        };
        const std::int64_t name = random.between(0, 5);
        if (random.between(0, 3) == 0) {
            input.nodes.push_back({kPython, -1, earlier(frames), name, -1, random.between(0, 1000), -1});
            frames.push_back(place);
        } else {
            input.nodes.push_back({kOp, earlier(ops), earlier(frames), name, random.between(0, 5), random.between(0, 1000),
                                   random.between(-1, 1)});
            ops.push_back(place);
        }
    }
    for (std::int64_t count = ops.empty() ? 0 : random.between(0, most_launches); count > 0; --count) {
        const std::int64_t last = static_cast<std::int64_t>(ops.size()) - 1;
        const std::int64_t op = random.between(0, 9) == 0 ? -1 : ops[static_cast<std::size_t>(random.between(0, last))];
        const std::int64_t ns = random.between(0, 500);
        switch (random.between(0, 4)) {
            case 0:  // a copy, perhaps of a collective
                input.launches.push_back({op, npuwh::kNone, ns, npuwh::kCounted});
                if (op != -1 && random.between(0, 1) == 1) {
                    input.launches.push_back({op, npuwh::kNone, ns, npuwh::kTakenBack});
                }
                break;
            case 1:
                input.launches.push_back({op, npuwh::kNone, ns, npuwh::kCommunication | npuwh::kVendorLink});
                break;
            case 2:
                input.launches.push_back({op, npuwh::kScheduling, ns, npuwh::kCounted});
                break;
            default:
                input.launches.push_back({op, random.between(0, 3), ns, npuwh::kCounted | random.between(0, 3) * 2});
        }
    }
    return input;
}

using Rows = std::vector<Column>;

struct Result {
    Rows ops, names, modules, kernels;
};

// The sums of op_totals.hpp, each node looking at the ones around it.
Result defined(const Input& input) {
    struct Sums {
        std::int64_t inner = 0;
        std::array<std::int64_t, 5> own{}, total{};  // count, device, communication, vendor, AI core
        std::int64_t ops = 0, kernels = 0, kernel_ns = 0;
    };
    std::vector<Sums> sums(input.nodes.size());
    std::vector<std::int64_t> ids;
    std::int64_t next = kFirstOp;
    for (const Node& node : input.nodes) {
        ids.push_back(node.kind == kOp ? next++ : -1);
    }
    std::map<Column, Column> names, modules, kernels;
    for (std::size_t place = 0; place < input.nodes.size(); ++place) {
        const Node& node = input.nodes[place];
        if (node.kind == kOp) {
            if (node.parent >= 0) {
                sums[static_cast<std::size_t>(node.parent)].inner += node.duration;
            }
            for (std::int64_t frame = node.frame; frame >= 0; frame = input.nodes[static_cast<std::size_t>(frame)].frame) {
                ++sums[static_cast<std::size_t>(frame)].ops;
            }
        }
    }
    for (const Launch& launch : input.launches) {
        const std::int64_t sign = (launch.flags & npuwh::kTakenBack) != 0 ? -1 : 1;
        const std::int64_t count = sign < 0 ? -1 : launch.flags & 1;
        const std::int64_t vendor = (launch.flags & npuwh::kVendorLink) != 0 ? launch.duration : 0;
        const std::array<std::int64_t, 5> added{count, count * launch.duration,
                                                (launch.flags & npuwh::kCommunication) != 0 ? launch.duration : 0, vendor,
                                                (launch.flags & npuwh::kAiCore) != 0 ? vendor : 0};
        if (launch.kernel >= 0) {
            const Node* node = launch.op < 0 ? nullptr : &input.nodes[static_cast<std::size_t>(launch.op)];
            std::int64_t module = -1;
            if (node != nullptr) {
                module = node->module >= 0   ? node->module
                         : node->frame >= 0 ? input.nodes[static_cast<std::size_t>(node->frame)].name
                                            : -1;
            }
            Column& kernel = kernels[node == nullptr ? Column{launch.kernel, -1, -1, -1}
                                                     : Column{launch.kernel, node->name, node->framework_name, module}];
            kernel.resize(3);
            kernel[0] += 1;
            kernel[1] += launch.duration;
            kernel[2] = std::max(kernel[2], launch.duration);
        }
        for (std::int64_t at = launch.op; at >= 0; at = input.nodes[static_cast<std::size_t>(at)].parent) {
            Sums& node = sums[static_cast<std::size_t>(at)];
            for (std::size_t which = 0; which < added.size(); ++which) {
                node.own[which] += at == launch.op ? added[which] : 0;
                node.total[which] += added[which];
            }
        }
        if (launch.op >= 0 && launch.kernel != npuwh::kNone) {
            sums[static_cast<std::size_t>(launch.op)].kernels += count;
            sums[static_cast<std::size_t>(launch.op)].kernel_ns += launch.duration;
            for (std::int64_t frame = input.nodes[static_cast<std::size_t>(launch.op)].frame; frame >= 0;
                 frame = input.nodes[static_cast<std::size_t>(frame)].frame) {
                sums[static_cast<std::size_t>(frame)].kernels += count;
                sums[static_cast<std::size_t>(frame)].kernel_ns += launch.duration;
            }
        }
    }
    Result result;
    const auto add = [](Column& row, const Column& values) {
        row.resize(values.size());
        for (std::size_t which = 0; which < values.size(); ++which) {
            row[which] += values[which];
        }
    };
    for (std::size_t place = 0; place < input.nodes.size(); ++place) {
        const Node& node = input.nodes[place];
        const Sums& of = sums[place];
        if (node.kind == kPython) {
            add(modules[{node.name, 1}], {1, node.duration, of.ops, of.kernels, of.kernel_ns});
            continue;
        }
        const Column row{ids[place], of.inner, of.own[0], of.own[1], of.total[1], of.own[2], of.own[3], of.total[3], of.own[4],
                         of.total[4]};
        if (std::any_of(row.begin() + 1, row.end(), [](std::int64_t value) { return value != 0; })) {
            result.ops.push_back(row);
        }
        Column& name = names[{node.name}];
        const std::int64_t longest = name.empty() ? 0 : name[3];
        add(name, {1, node.duration, of.inner, 0, of.own[0], of.own[1], of.total[1], of.own[2]});
        name[3] = std::max(longest, node.duration);
        if (node.module >= 0) {
            const bool is_same = node.parent >= 0 && input.nodes[static_cast<std::size_t>(node.parent)].module == node.module;
            add(modules[{node.module, 0}], {1, is_same ? 0 : node.duration, 1, of.kernels, of.kernel_ns});
        }
    }
    for (const auto& [target, groups] :
         {std::pair{&result.names, &names}, {&result.modules, &modules}, {&result.kernels, &kernels}}) {
        for (const auto& [key, values] : *groups) {
            target->push_back(key);
            target->back().insert(target->back().end(), values.begin(), values.end());
        }
    }
    return result;
}

void append(Rows& rows, const std::vector<const Column*>& columns) {
    for (std::size_t row = 0; row < columns[0]->size(); ++row) {
        Column values;
        for (const Column* column : columns) {
            values.push_back((*column)[row]);
        }
        rows.push_back(values);
    }
}

Result run(const Input& input, std::size_t most_held) {
    const File file(std::tmpfile());
    OpTotals totals(kFirstOp, fileno(file.get()), most_held);
    std::vector<std::int64_t> ids, frames;
    std::int64_t next = kFirstOp, frame_count = 0;
    for (const Node& node : input.nodes) {
        ids.push_back(node.kind == kOp ? next++ : -1);
        frames.push_back(node.kind == kPython ? frame_count++ : -1);
        HostLinks links;
        const auto of = [](const std::vector<std::int64_t>& numbers, std::int64_t place) {
            return Column{place < 0 ? -1 : numbers[static_cast<std::size_t>(place)]};
        };
        links.id = Column{ids.back()};
        links.parent = of(ids, node.parent);
        links.framework_name = Column{node.framework_name};
        links.frame = of(frames, node.frame);
        links.frame_name = Column{node.frame < 0 ? -1 : input.nodes[static_cast<std::size_t>(node.frame)].name};
        links.module = Column{node.module};
        links.outer_module = Column{node.parent < 0 ? -1 : input.nodes[static_cast<std::size_t>(node.parent)].module};
        totals.add_host(Column{node.kind}, Column{0}, Column{node.duration}, Column{node.name}, Column{1}, Column{node.module},
                        links);
    }
    for (const Launch& launch : input.launches) {
        const std::int64_t op = launch.op < 0 ? -1 : ids[static_cast<std::size_t>(launch.op)];
        totals.add_work(Column{op}, Column{launch.kernel}, Column{launch.duration}, Column{launch.flags});
    }
    while (totals.walk()) {
    }
    Result result;
    for (auto part = totals.take_ops(); !part.id.empty(); part = totals.take_ops()) {
        append(result.ops, {&part.id, &part.inner, &part.count, &part.device, &part.device_total, &part.communication,
                            &part.vendor, &part.vendor_total, &part.ai_core, &part.ai_core_total});
    }
    const auto names = totals.take_names(0);
    append(result.names, {&names.name, &names.calls, &names.host, &names.inner, &names.longest, &names.count, &names.device,
                          &names.device_total, &names.communication});
    const auto modules = totals.take_modules(0);
    append(result.modules, {&modules.name, &modules.is_frame, &modules.calls, &modules.host, &modules.ops, &modules.kernels,
                            &modules.device});
    const auto kernels = totals.take_kernels(0);
    append(result.kernels, {&kernels.kernel, &kernels.op, &kernels.framework, &kernels.module, &kernels.count, &kernels.device,
                            &kernels.longest});
    return result;
}

void check_equal(const Result& found, const Result& expected) {
    CHECK_EQUAL(found.ops, expected.ops);
    CHECK_EQUAL(found.names, expected.names);
    CHECK_EQUAL(found.modules, expected.modules);
    CHECK_EQUAL(found.kernels, expected.kernels);
}

}  // namespace

TEST(totals_equal_their_definition) {
    check::Random random(5);
    for (int round = 0; round < 2000; ++round) {
        const Input input = random_input(random, 60, 60);
        check_equal(run(input, random.between(0, 1) == 0 ? 1000 : 3), defined(input));
    }
}

TEST(totals_of_many_blocks_and_runs) {
    check::Random random(6);
    for (int round = 0; round < 3; ++round) {
        const Input input = random_input(random, 30'000, 30'000);
        check_equal(run(input, 700), defined(input));
    }
}

TEST(a_deep_tree_is_as_quick_as_a_wide_one) {
    Input input;
    for (std::int64_t depth = 0; depth < 300'000; ++depth) {
        input.nodes.push_back({kOp, depth - 1, -1, 1, 1, 10, -1});
        input.launches.push_back({depth, 2, 5, npuwh::kCounted});
    }
    const Result result = run(input, 10'000);
    CHECK_EQUAL(result.ops.front(), (Column{kFirstOp, 10, 1, 5, 300'000 * 5, 0, 0, 0, 0, 0}));
    CHECK_EQUAL(result.ops.size(), std::size_t{300'000});
}

TEST(operators_come_one_after_the_other) {
    const File file(std::tmpfile());
    OpTotals totals(kFirstOp, fileno(file.get()), 10);
    HostLinks links;
    links.id = Column{kFirstOp + 1};
    links.parent = links.frame = links.frame_name = links.module = links.outer_module = Column{-1};
    links.framework_name = Column{1};
    const Column zero{0};
    CHECK_REJECTS(totals.add_host(zero, zero, zero, zero, zero, zero, links), "row 0 is operator 101, not the next one");
    CHECK_REJECTS(totals.add_host(zero, zero, zero, zero, zero, Column{}, links), "column module has 0 rows");
    CHECK_REJECTS(totals.add_work(zero, zero, Column{}, zero), "column duration has 0 rows");
}

TEST(sums_by_key) {
    check::Random random(7);
    KeyedSums sums(2, 2);
    std::map<Column, std::vector<Column>> expected;  // values present, by key
    for (int part = 0; part < 20; ++part) {
        Column one, other, first, second;
        for (std::int64_t rows = random.between(0, 200); rows > 0; --rows) {
            one.push_back(random.between(-1, 3));
            other.push_back(random.between(-2, 2));
            first.push_back(random.between(0, 100));
            second.push_back(random.between(-1, 5));
            auto& group = expected[{one.back(), other.back()}];
            group.resize(2);
            group[0].push_back(first.back());
            if (second.back() >= 0) {
                group[1].push_back(second.back());
            }
        }
        sums.feed({one, other}, {first, second});
    }
    CHECK(sums.take(1000).keys[0].empty());
    const auto taken = sums.take(1);
    CHECK_EQUAL(taken.keys[0].size(), expected.size());
    std::size_t row = 0;
    for (const auto& [key, values] : expected) {
        CHECK_EQUAL((Column{taken.keys[0][row], taken.keys[1][row]}), key);
        for (std::size_t which = 0; which < 2; ++which) {
            const auto& found = taken.values[which];
            const Column& all = values[which];
            std::int64_t sum = all.empty() ? -1 : 0;
            for (const std::int64_t value : all) {
                sum += value;
            }
            CHECK_EQUAL(found.count[row], static_cast<std::int64_t>(all.size()));
            CHECK_EQUAL(found.sum[row], sum);
            CHECK_EQUAL(found.least[row], all.empty() ? -1 : *std::min_element(all.begin(), all.end()));
            CHECK_EQUAL(found.most[row], all.empty() ? -1 : *std::max_element(all.begin(), all.end()));
        }
        ++row;
    }
    CHECK(sums.take(0).keys[0].empty());
    CHECK_REJECTS(sums.feed({Column{1}}, {Column{1}, Column{1}}), "another number of keys or values");
    CHECK_REJECTS(sums.feed({Column{1}, Column{1, 2}}, {Column{1}, Column{1}}), "column key has 2 rows");
    CHECK_REJECTS(KeyedSums(0, 1), "one to four keys");
}

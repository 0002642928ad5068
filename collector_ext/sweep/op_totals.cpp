#include "sweep/op_totals.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sweep/intervals.hpp"

namespace npuwh {
namespace {

constexpr const char* kWhere = "OpTotals";
constexpr std::size_t kBlockRows = 8192;

// A node of the walk: distances count backwards, so that they are small; 0 is none.
enum Node : std::size_t { kKind, kUp, kFrame, kName, kFramework, kModule, kOwnModule, kDuration, kNodeWidth };
constexpr std::int64_t kIsOp = 0, kIsFrame = 1, kIsOpInSameModule = 2;  // as the op around it

enum Result : std::size_t {
    kId, kInner, kCount, kDevice, kDeviceTotal, kCommunicationTime, kVendor, kVendorTotal, kAiCoreTime, kAiCoreTotal,
    kResultWidth
};

void add(std::int64_t& sum, std::int64_t value) {
    sum = saturating_sum(sum, value);
}

// Groups in the order of their keys, so that the same input gives the same rows.
template <class Key, class Sums, class Hash>
std::vector<std::pair<Key, Sums>> taken(std::unordered_map<Key, Sums, Hash>& groups, std::size_t least) {
    std::vector<std::pair<Key, Sums>> out;
    if (groups.size() >= least) {
        out.assign(groups.begin(), groups.end());
        groups.clear();
        std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    return out;
}

}  // namespace

OpTotals::OpTotals(std::int64_t first_op_id, int spill_handle, std::size_t most_held)
    : file_(spill_handle),
      nodes_(kNodeWidth, kBlockRows, file_),
      works_(most_held, file_),
      results_(kResultWidth, kBlockRows, file_),
      first_op_(first_op_id),
      next_op_(first_op_id) {}

void OpTotals::add_host(const ColumnView& kind, const ColumnView& start, const ColumnView& end, const ColumnView& name,
                        const ColumnView& key, const ColumnView& module, const HostLinks& links) {
    if (is_walking_) {
        throw std::logic_error("OpTotals.add_host: the walk has begun");
    }
    const std::size_t rows = links.id.size();
    for (const auto& [label, column] : {std::pair<const char*, const ColumnView&>{"kind", kind}, {"start", start}, {"end", end},
                                        {"name", name}, {"key", key}, {"module", module}}) {
        require_rows(kWhere, label, column, rows);
    }
    for (std::size_t row = 0; row < rows; ++row) {
        const auto row_kind = static_cast<HostKind>(kind[row]);
        if (row_kind != HostKind::op && (row_kind != HostKind::python || key[row] != 1)) {
            continue;
        }
        std::int64_t node[kNodeWidth] = {};
        node[kName] = name[row];
        node[kDuration] = saturating_difference(end[row], start[row]);
        const std::int64_t to_frame = links.frame[row] == kNone ? 0 : frames_ - links.frame[row];
        if (row_kind == HostKind::op) {
            if (links.id[row] != next_op_) {
                reject_row(kWhere, row, "is operator " + std::to_string(links.id[row]) + ", not the next one");
            }
            ++next_op_;
            node[kKind] = module[row] != kNone && module[row] == links.outer_module[row] ? kIsOpInSameModule : kIsOp;
            node[kUp] = links.parent[row] == kNone ? 0 : links.id[row] - links.parent[row];
            node[kFrame] = to_frame;
            node[kFramework] = links.framework_name[row] - node[kName];
            node[kModule] = links.module[row] != kNone ? links.module[row] : links.frame_name[row];
            node[kOwnModule] = module[row];
        } else {
            ++frames_;
            node[kKind] = kIsFrame;
            node[kUp] = to_frame;
        }
        nodes_.add(node);
    }
}

void OpTotals::add_kernel(KernelSums& sums, const Work& work) {
    add(sums.count, work.count);
    add(sums.device, work.device);
    sums.longest = std::max(sums.longest, work.longest);
}

void OpTotals::add_work(const ColumnView& op, const ColumnView& kernel, const ColumnView& duration, const ColumnView& flags) {
    if (is_walking_) {
        throw std::logic_error("OpTotals.add_work: the walk has begun");
    }
    const std::size_t rows = op.size();
    require_rows(kWhere, "kernel", kernel, rows);
    require_rows(kWhere, "duration", duration, rows);
    require_rows(kWhere, "flags", flags, rows);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::int64_t flag = flags[row];
        const std::int64_t ns = duration[row];
        Work work{op[row], kernel[row], 0, 0, 0, 0, 0, 0};
        if ((flag & kTakenBack) != 0) {
            work.count = -1;
            work.device = saturating_difference(0, ns);
        } else {
            work.count = (flag & kCounted) != 0 ? 1 : 0;
            work.device = (flag & kCounted) != 0 ? ns : 0;
            work.longest = work.device;
            work.vendor = (flag & kVendorLink) != 0 ? ns : 0;
            work.ai_core = (flag & kAiCore) != 0 ? work.vendor : 0;
            work.communication = (flag & kCommunication) != 0 ? ns : 0;
        }
        if (work.op != kNone && (work.count != 0 || work.vendor != 0 || work.communication != 0)) {
            works_.add(work);
        } else if (work.op == kNone && work.kernel >= 0) {
            add_kernel(kernels_[{work.kernel, kNone, kNone, kNone}], work);
        }
    }
}

bool OpTotals::walk() {
    if (!is_walking_) {
        is_walking_ = true;
        nodes_.close_block();
        works_.finish();
        nodes_left_ = nodes_.blocks();
    }
    if (nodes_left_ > 0) {
        const Column values = nodes_.read(--nodes_left_);
        for (std::size_t end = values.size(); end > 0; end -= kNodeWidth) {
            const std::int64_t* node = values.data() + end - kNodeWidth;
            node[kKind] == kIsFrame ? visit_frame(node) : visit_op(node);
        }
    }
    if (nodes_left_ == 0) {
        results_.close_block();
        results_left_ = results_.blocks();
    }
    return nodes_left_ > 0;
}

void OpTotals::visit_op(const std::int64_t* node) {
    const std::int64_t id = --next_op_;
    const std::int64_t name = node[kName];
    const std::int64_t framework = node[kFramework] + name;
    const std::int64_t module = node[kModule];
    Work own{};
    InFrame inside{1, 0, 0};
    for (; works_.top() != nullptr && works_.top()->op >= id; works_.next()) {
        const Work& work = *works_.top();
        if (work.op > id) {
            continue;  // of no operator
        }
        own.add(work);
        if (work.kernel != kNone) {
            add(inside.kernels, work.count);
            add(inside.device, work.device);
        }
        if (work.kernel >= 0) {
            add_kernel(kernels_[{work.kernel, name, framework, module}], work);
        }
    }
    Below below;
    if (const auto found = below_.find(id); found != below_.end()) {
        below = found->second;
        below_.erase(found);
    }
    Work total = below.work;
    total.add(own);

    NameSums& sums = names_[name];
    ++sums.calls;
    add(sums.host, node[kDuration]);
    add(sums.inner, below.inner);
    sums.longest = std::max(sums.longest, node[kDuration]);
    add(sums.count, own.count);
    add(sums.device, own.device);
    add(sums.device_total, total.device);
    add(sums.communication, own.communication);

    std::int64_t result[kResultWidth] = {id, below.inner, own.count, own.device, total.device, own.communication,
                                         own.vendor, total.vendor, own.ai_core, total.ai_core};
    if (std::any_of(result + 1, result + kResultWidth, [](std::int64_t value) { return value != 0; })) {
        results_.add(result);
    }
    if (node[kUp] != 0) {
        Below& parent = below_[id - node[kUp]];
        add(parent.inner, node[kDuration]);
        parent.work.add(total);
    }
    if (node[kFrame] != 0) {
        in_frame_[frames_ - node[kFrame]].add(inside);
    }
    if (node[kOwnModule] != kNone) {
        ModuleSums& in_module = modules_[{node[kOwnModule], 0}];
        ++in_module.calls;
        add(in_module.host, node[kKind] == kIsOpInSameModule ? 0 : node[kDuration]);
        in_module.inside.add(inside);
    }
}

void OpTotals::InFrame::add(const InFrame& other) {
    npuwh::add(ops, other.ops);
    npuwh::add(kernels, other.kernels);
    npuwh::add(device, other.device);
}

void OpTotals::visit_frame(const std::int64_t* node) {
    --frames_;
    InFrame inside;
    if (const auto found = in_frame_.find(frames_); found != in_frame_.end()) {
        inside = found->second;
        in_frame_.erase(found);
    }
    ModuleSums& sums = modules_[{node[kName], 1}];
    ++sums.calls;
    add(sums.host, node[kDuration]);
    sums.inside.add(inside);
    if (node[kUp] != 0) {
        in_frame_[frames_ - node[kUp]].add(inside);
    }
}

OpNameTotals OpTotals::take_names(std::size_t least) {
    OpNameTotals out;
    for (const auto& [name, sums] : taken(names_, least)) {
        out.name.push_back(name);
        out.calls.push_back(sums.calls);
        out.host.push_back(sums.host);
        out.inner.push_back(sums.inner);
        out.longest.push_back(sums.longest);
        out.count.push_back(sums.count);
        out.device.push_back(sums.device);
        out.device_total.push_back(sums.device_total);
        out.communication.push_back(sums.communication);
    }
    return out;
}

ModuleTotals OpTotals::take_modules(std::size_t least) {
    ModuleTotals out;
    for (const auto& [key, sums] : taken(modules_, least)) {
        out.name.push_back(key[0]);
        out.is_frame.push_back(key[1]);
        out.calls.push_back(sums.calls);
        out.host.push_back(sums.host);
        out.ops.push_back(sums.inside.ops);
        out.kernels.push_back(sums.inside.kernels);
        out.device.push_back(sums.inside.device);
    }
    return out;
}

KernelOpTotals OpTotals::take_kernels(std::size_t least) {
    KernelOpTotals out;
    for (const auto& [key, sums] : taken(kernels_, least)) {
        out.kernel.push_back(key[0]);
        out.op.push_back(key[1]);
        out.framework.push_back(key[2]);
        out.module.push_back(key[3]);
        out.count.push_back(sums.count);
        out.device.push_back(sums.device);
        out.longest.push_back(sums.longest);
    }
    return out;
}

OpWork OpTotals::take_ops() {
    OpWork out;
    if (results_left_ == 0) {
        return out;
    }
    Column* const columns[kResultWidth] = {&out.id, &out.inner, &out.count, &out.device, &out.device_total, &out.communication,
                                           &out.vendor, &out.vendor_total, &out.ai_core, &out.ai_core_total};
    const Column values = results_.read(--results_left_);
    const std::size_t rows = values.size() / kResultWidth;
    for (std::size_t column = 0; column < kResultWidth; ++column) {
        Column& target = *columns[column];
        target.resize(rows);
        for (std::size_t row = 0; row < rows; ++row) {
            target[row] = values[(rows - 1 - row) * kResultWidth + column];
        }
    }
    return out;
}

}  // namespace npuwh

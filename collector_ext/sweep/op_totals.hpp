// What operators and modules cost with everything in them, found in one walk from the last operator to the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sqlite_file/spill_file.hpp"
#include "sweep/columns.hpp"
#include "sweep/host_sweep.hpp"
#include "sweep/keyed_sums.hpp"
#include "sweep/spilled_rows.hpp"
#include "sweep/work_order.hpp"

namespace npuwh {

// What a record of the device is to the operator behind it; bits that are added up.
enum WorkFlag : std::int64_t {
    kCounted = 1,        // a kernel, or a copy that is not part of a collective
    kVendorLink = 2,     // the vendor's tools make the same link
    kAiCore = 4,         // runs on AI_CORE
    kCommunication = 8,  // a communication operator
    kTakenBack = 16,     // a copy that was counted turns out to be part of a collective
};

// One operator each, in order of id; operators of which all sums are 0 have no row.  Times in ns.
struct OpWork {
    Column id;
    Column inner;  // host time of the operators directly in it
    Column count;  // kernels and copies it launched itself
    Column device;
    Column device_total;  // with those launched by the operators in it, at any depth
    Column communication;
    Column vendor;
    Column vendor_total;
    Column ai_core;
    Column ai_core_total;
};

// One operator name each.
struct OpNameTotals {
    Column name;
    Column calls;
    Column host;
    Column inner;
    Column longest;
    Column count;
    Column device;
    Column device_total;
    Column communication;
};

// One module each.  If operators carry their module, of the operators that carry it: calls and ops are their number, host the time
// of the outermost of them.  And of the Python frames that are modules, each with the operators in it at any depth.
struct ModuleTotals {
    Column name;
    Column is_frame;  // 1: of frames
    Column calls;
    Column host;
    Column ops;
    Column kernels;
    Column device;
};

// One kernel name with what launched it each; -1 where no operator was found, or no module.
struct KernelOpTotals {
    Column kernel;
    Column op;         // name of the operator
    Column framework;  // name of the operator with a namespace around it, itself if it has one or there is none
    Column module;     // of the operator or of `framework`, else name of the innermost frame around it that is a module
    Column count;
    Column device;
    Column longest;
};

// One rank.  Children start after their parents and so have larger ids: going backwards, all that lies in an operator has been added
// up when it is met, and what is not yet met but has been added to are operators that are open at that moment.  So time is linear
// in the rows however deep they nest, and memory does not grow with them: operators and their work wait in the file.
class OpTotals {
public:
    // `most_held`: works that are sorted in memory.  The file is empty and stays the caller's.
    OpTotals(std::int64_t first_op_id, int spill_handle, std::size_t most_held);

    // The rows that HostSweep.feed took, and what it found.  Throws std::invalid_argument if they differ in length, or
    // std::length_error if the ids of operators do not follow one another.
    void add_host(const ColumnView& kind, const ColumnView& start, const ColumnView& end, const ColumnView& name,
                  const ColumnView& key, const ColumnView& module, const HostLinks& links);
    // Records of the device.  op: kNone for no operator.  kernel: see Work.  flags: WorkFlag.
    void add_work(const ColumnView& op, const ColumnView& kernel, const ColumnView& duration, const ColumnView& flags);

    // Walks on through some operators; false if there are no more.  Nothing may be added once it was called.
    bool walk();
    // Groups that are complete or, before the end, so many that they are handed over in parts: none while fewer than `least`.
    OpNameTotals take_names(std::size_t least);
    ModuleTotals take_modules(std::size_t least);
    KernelOpTotals take_kernels(std::size_t least);
    // After the walk: the next operators; none at the end.
    OpWork take_ops();

private:
    struct Below {  // sums over what lies in an operator
        std::int64_t inner = 0;
        Work work{};
    };
    struct InFrame {
        std::int64_t ops = 0;
        std::int64_t kernels = 0;
        std::int64_t device = 0;

        void add(const InFrame& other);
    };
    struct NameSums {
        std::int64_t calls = 0, host = 0, inner = 0, longest = 0, count = 0, device = 0, device_total = 0, communication = 0;
    };
    struct ModuleSums {
        std::int64_t calls = 0, host = 0;
        InFrame inside;
    };
    struct KernelSums {
        std::int64_t count = 0, device = 0, longest = 0;
    };

    void visit_op(const std::int64_t* node);
    void visit_frame(const std::int64_t* node);
    static void add_kernel(KernelSums& sums, const Work& work);

    sqlite_file::SpillFile file_;
    SpilledRows nodes_;
    WorkOrder works_;
    SpilledRows results_;
    std::int64_t first_op_;
    std::int64_t next_op_;
    std::int64_t frames_ = 0;  // seen so far; in the walk: not yet met
    bool is_walking_ = false;
    std::size_t nodes_left_ = 0;    // blocks
    std::size_t results_left_ = 0;  // blocks

    std::unordered_map<std::int64_t, Below> below_;       // by op
    std::unordered_map<std::int64_t, InFrame> in_frame_;  // by number of the frame
    std::unordered_map<std::int64_t, NameSums> names_;
    std::unordered_map<GroupKey, ModuleSums, GroupKeyHash> modules_;  // name, is_frame
    std::unordered_map<GroupKey, KernelSums, GroupKeyHash> kernels_;
};

}  // namespace npuwh

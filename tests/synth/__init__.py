"""A simulated training run, written as the raw profile directories that a profiled process leaves behind.

    python -m tests.synth OUT [options]                            run directories, one a rank
    python -m tests.synth.bare OUT KERNELS REPLAYS [options]       only a PROF_* directory

Same options and seed make the same bytes.  All parts of a run describe one program on one clock:

    main thread        ProfilerStep#N, copy to the device, forward, optimizer, graph capture and replay, synchronise
    backward thread    autograd ranges that carry the sequence numbers of the forward operators, collectives
    queue thread       one dequeue an enqueue, and inside it the CANN calls of that operator
    device             stream 2 compute, streams 5 and 6 communication, stream 37 captured graph

Collectives end on all ranks at the same moment: ranks are simulated side by side and wait for each other.  What each
level leaves out follows real profiles: calls of the runtime, sizes of copies and AI CPU records are there at l2 only,
descriptions of operators and of communication, and PMU, not at l0.

Layouts: framework-files.md, cann-files.md, aclgraph.md.  Numbers that the formats leave open (ids of calls, types of
runtime records and some task types) are our choice; the dictionary gives them their names.
"""

from .options import parse_options
from .rank import Rank, simulate

__all__ = ["Rank", "parse_options", "simulate"]

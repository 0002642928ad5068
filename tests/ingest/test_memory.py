"""Memory is bounded whatever the size of the input."""

import subprocess
import sys
from pathlib import Path

import pytest

from warehouse.sample.inflate import inflate

MEASURED = """
import sys
from pathlib import Path
from warehouse.ingest import ingest
ingest([sys.argv[1]], sys.argv[2])
# not ru_maxrss, which a process inherits from the one that started it
print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
def test_four_times_the_rows_need_no_more_memory(tmp_path):
    peaks = []
    for rows in (200_000, 800_000):
        inflate(tmp_path / str(rows), rows)
        command = [sys.executable, "-c", MEASURED, tmp_path / str(rows), tmp_path / f"{rows}.db"]
        peaks.append(int(subprocess.run(command, capture_output=True, check=True, text=True).stdout))
    assert peaks[1] < 1.1 * peaks[0], peaks

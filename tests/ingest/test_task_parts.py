"""Links of parts of tasks, whichever batch brings them."""

import numpy as np
import pytest

from warehouse.batches.records import DEVICE_COMM_OP, DEVICE_TASK
from warehouse.ingest.link import NONE
from warehouse.ingest.link_rule import PART
from warehouse.ingest.task_parts import TaskParts

FIELDS = "kind start_ns end_ns device_id stream_no task_no context_no is_covered".split()
LINKS = "op rule api_call node replay".split()
T, C = DEVICE_TASK, DEVICE_COMM_OP
# fields, then what was found for the row
ROWS = [
    ((T, 0, 90, 0, 2, 7, NONE, 1), (50, 1, 60, 70, 80)),  # a task drawn by its parts
    ((T, 0, 10, 0, 2, 7, 0, 0), (NONE,) * 5),  # starts with it
    ((T, 5, 9, 1, 2, 7, 0, 0), (NONE,) * 5),  # on another device
    ((C, 6, 9, 0, 2, 7, 0, 0), (NONE,) * 5),
    ((T, 7, 9, 0, 2, 8, 0, 0), (NONE,) * 5),  # of another task
    ((T, 20, 30, 0, 2, 7, 1, 0), (51, 1, 61, NONE, NONE)),  # has an operator of its own
    ((T, 40, 95, 0, 2, 7, 1, 0), (NONE,) * 5),
    ((T, 60, 80, 0, 2, 9, NONE, 1), (NONE, NONE, 62, NONE, NONE)),  # launched outside of operators
    ((T, 61, 79, 0, 2, 9, 0, 0), (NONE,) * 5),
    ((T, 80, 81, 0, 2, 9, 1, 0), (NONE,) * 5),  # starts as it ends
    ((T, 81, 82, 0, 2, 9, 2, 0), (NONE,) * 5),  # too late
    ((T, 90, 91, 0, 2, 7, 3, 0), (NONE,) * 5),
    ((T, 91, 92, 0, 2, 7, 4, 0), (NONE,) * 5),
    ((T, 93, 99, 0, 2, 7, NONE, 1), (52, 2, 63, 71, 81)),  # the same number a second time
    ((T, 94, 98, 0, 2, 7, 0, 0), (NONE,) * 5),
]
OF_FIRST, OF_SECOND, OF_LAST = (50, PART, 60, 70, 80), (NONE, NONE, 62, NONE, NONE), (52, PART, 63, 71, 81)
FOUND = {1: OF_FIRST, 6: OF_FIRST, 8: OF_SECOND, 9: OF_SECOND, 11: OF_FIRST, 14: OF_LAST}


@pytest.mark.parametrize("size", [1, 2, 4, len(ROWS)])
def test_parts_have_the_links_of_their_task(size):
    parts, found = TaskParts(), []
    for first in range(0, len(ROWS), size):
        batch = ROWS[first : first + size]
        fields = dict(zip(FIELDS, np.array([row for row, _ in batch]).T, strict=True))
        links = {name: column.copy() for name, column in zip(LINKS, np.array([row for _, row in batch]).T, strict=True)}
        parts.link(fields, links)
        found += zip(*(links[name].tolist() for name in LINKS), strict=True)
    assert found == [FOUND.get(place, own) for place, (_, own) in enumerate(ROWS)]

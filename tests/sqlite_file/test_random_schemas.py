"""Files of the bulk writer against files of SQLite, for random schemas and rows.

For longer than CI does: NPUWH_EXAMPLES=5000 pytest tests/sqlite_file
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.sqlite_file.proof import check_pair
from tests.sqlite_file.schemas import PAGE_SIZES, tables, write_native, write_sqlite
from warehouse import _native

EXAMPLES = int(os.environ.get("NPUWH_EXAMPLES", "60"))
bounded = settings(
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


@bounded
@given(
    some=st.tuples(tables("t"), tables("u", most_rows=300, most_columns=3)),
    page_size=st.sampled_from(PAGE_SIZES),
    memory=st.sampled_from([1 << 20, 4096, 0]),
    ahead=st.sampled_from([0, 4096]),
    interleaved=st.booleans(),
)
def test_a_file_is_as_sqlite_would_make_it(some, page_size, memory, ahead, interleaved):
    with tempfile.TemporaryDirectory() as folder:
        options = {"page_size": page_size, "memory_bytes": memory, "ahead_bytes": ahead}
        reference, native = Path(folder, "reference.db"), Path(folder, "native.db")
        try:
            write_sqlite(reference, list(some))
        except sqlite3.IntegrityError as error:
            with pytest.raises(_native.ConstraintError, match=str(error).split(":")[0]):
                write_native(native, list(some), **options)
            return
        write_native(native, list(some), interleaved=interleaved, **options)
        check_pair(native, reference, list(some))

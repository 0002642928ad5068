"""A warehouse made of the bytes of a simulated run says what the program did.

More mixes than the suite takes are drawn with `NPUWH_EXAMPLES=500` before pytest.
"""

import pytest
from mixes import MIXES
from rows import differences


@pytest.mark.parametrize("options", MIXES)
def test_it_says_what_the_program_did(simulated, loaded, options):
    ranks, query = simulated(options), loaded()
    found = {}
    for rank in ranks:
        ((rank_id,),) = query("SELECT id FROM rank WHERE directory = ?", rank.directory.name)

        def ask(text, rank_id=rank_id):
            return query(text, rank_id)

        found |= {(rank.number, topic): rows for topic, rows in differences(rank.truth, ask).items()}
    assert found == {}

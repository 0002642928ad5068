"""Whether the clocks of a rank agree: what host and device recorded must fit each other, and the recording itself."""

from __future__ import annotations

from collections.abc import Iterable

from warehouse.ingest.rank_load import Extent, RankLoad
from warehouse.readers.facts import RankFacts
from warehouse.readers.issues import WARNING

_HOST = ("op", "api_call", "python_call", "mark")
_DEVICE = ("device_task", "comm_op")
_CLOSE_NS = 1_000_000  # clocks of sound profiles agree to some tens of us
_FAR_NS = 10_000_000_000  # as check_session_time: what was open at the beginning or end is recorded, too


def note_clocks(load: RankLoad, facts: RankFacts) -> None:
    """Note it if a device did everything before the host did anything, or after, or if something happened far outside
    of the recording.  To be called when everything is loaded."""
    host, device = _together(load, _HOST), _together(load, _DEVICE)
    if host is not None and device is not None:
        late, early = device[0] - host[1], host[0] - device[1]
        if late > _CLOSE_NS:
            text = f"what the device did begins {_seconds(late)} after the last record of the host: its clock is late"
            _note(load, "late-clock", text)
        elif early > _CLOSE_NS:
            text = f"what the device did ends {_seconds(early)} before the first record of the host: its clock is early"
            _note(load, "early-clock", text)
    _note_outside(load, facts)


def note_order(load: RankLoad, early: int, most_ns: int) -> None:
    """Note that so many launches began on the device before they were launched, by up to so much."""
    if early:
        text = "launches began on the device before the call that launched them"
        _note(load, "early-clock", f"{text}, by up to {_seconds(most_ns)}: its clock is early", early)


def _note_outside(load: RankLoad, facts: RankFacts) -> None:
    begin, end = facts.session_start_ns, facts.session_end_ns
    for code, far, words in (
        ("late-clock", {n: e.last_end - end for n, e in _known(load) if end}, "after the end"),
        ("early-clock", {n: begin - e.first_start for n, e in _known(load) if begin}, "before the beginning"),
    ):
        names = [name for name, distance in far.items() if distance > _FAR_NS]
        if names:
            text = f"records up to {_seconds(max(far.values()))} {words} of the recording, of {', '.join(names)}: "
            _note(load, code, f"{text}a clock is wrong")


def _note(load: RankLoad, code: str, text: str, count: int = 1) -> None:
    load.ledger.note(WARNING, code, text, count=count).bytes = load.input_bytes


def _known(load: RankLoad) -> Iterable[tuple[str, Extent]]:
    return [(name, extent) for name, extent in (load.extents | load.momentary).items() if extent.rows]


def _together(load: RankLoad, tables: tuple[str, ...]) -> tuple[int, int] | None:
    """First start and last end over these tables; None if they have no rows."""
    extents = [extent for name, extent in _known(load) if name in tables]
    if not extents:
        return None
    return min(extent.first_start for extent in extents), max(extent.last_end for extent in extents)


def _seconds(time_ns: int) -> str:
    """A time as people read it.

    >>> _seconds(1_999_992_945_680), _seconds(1_500_000)
    ('1999.993 s', '1.500 ms')
    """
    return f"{time_ns / 1e9:.3f} s" if time_ns >= 10**9 else f"{time_ns / 1e6:.3f} ms"

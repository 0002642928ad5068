"""The forms of a profile that can be read, and which of them wins where a directory holds several."""

from __future__ import annotations

from warehouse.errors import UsageError

RAW, DATABASE, TEXT = "raw", "db", "text"
FORMS = (RAW, DATABASE)  # the first of them that is there is read
NAMES = {RAW: "raw data", DATABASE: "database", TEXT: "text files"}


def chosen_forms(wanted: str | None) -> tuple[str, ...]:
    """Forms to read, the preferred one first; None: the usual order.

    UsageError for a form that is not known, or that is not read.

    >>> chosen_forms("db"), chosen_forms("db,raw"), chosen_forms(None)
    (('db',), ('db', 'raw'), ('raw', 'db'))
    """
    if wanted is None:
        return FORMS
    forms = tuple(dict.fromkeys(name.strip() for name in wanted.split(",")))
    if TEXT in forms:
        raise UsageError(
            "text files are not read: they hold less than the raw data or the database that they were made of; "
            "choose raw, db, or both in the order of your choice"
        )
    for name in forms:
        if name not in FORMS:
            raise UsageError(f"'{name}' is no form of a profile: choose raw, db, or both in the order of your choice")
    return forms

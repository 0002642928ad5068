"""Views over views as SELECTs over their tables: a view that only decodes is replaced by its expressions."""

from __future__ import annotations

from collections.abc import Mapping

from warehouse.store.registry import views
from warehouse.store.table_list import TABLES
from warehouse.store.view_body import BodyArm, BodyColumn, Tokens, sources_of, unquoted, view_body

_TABLES = tuple(TABLES)


def unfolded(arm: BodyArm) -> BodyArm:
    """The same rows with tables in the place of views that read all of some tables and decode their columns.

    >>> arm = unfolded(view_body("trace_op").arms[0])
    >>> arm.sources, arm.column("name").expression
    ((('o', 'op'),), ('(', 'SELECT', 'value', 'FROM', 'string', 'WHERE', 'id', '=', 'o', '.', 'name_id', ')'))
    """
    for alias, name in arm.sources:
        replaced = _replaced(arm, alias, name) if name in views() else None
        if replaced is not None:
            return unfolded(replaced)
    return arm


def _replaced(arm: BodyArm, alias: str, name: str) -> BodyArm | None:
    body = view_body(name)
    if body is None or body.beginning or len(body.arms) > 1 or body.order or "WHERE" in body.arms[0].rest:
        return None
    decoding = body.arms[0]
    if not decoding.is_bare and (alias != arm.sources[0][0] or {"LEFT", "("}.intersection(decoding.rest)):
        return None  # tables joined to each other can stand at the beginning only
    outer = [each for each, _ in arm.sources]
    new = {inner: alias if decoding.is_bare else f"{alias}_{inner}" for inner, _ in decoding.sources}
    inside = {each for column in decoding.columns for each, _ in sources_of(column.expression)}
    taken = {each for column in arm.columns for each, _ in sources_of(column.expression)}
    if outer.count(alias) > 1 or inside.intersection(new, new.values()) or alias in taken:
        return None
    if any(len(column.expression) == 1 and column.expression[0] == column.name for column in decoding.columns):
        return None  # without the source: it might be that of another
    expressions = {column.name: _with_aliases(column.expression, new) for column in decoding.columns}
    columns = tuple(
        BodyColumn(each.name, _with_expressions(each.expression, alias, expressions)) for each in arm.columns
    )
    rest = _with_source(_with_expressions(arm.rest, alias, expressions), alias, name, _with_aliases(decoding.rest, new))
    tables = [(new[inner], table) for inner, table in decoding.sources]
    at = outer.index(alias)
    return BodyArm(columns, (*arm.sources[:at], *tables, *arm.sources[at + 1 :]), rest)


def _with_aliases(parts: Tokens, new: Mapping[str, str]) -> Tokens:
    """The expression, or the part behind FROM, with other aliases."""
    found = []
    for place, token in enumerate(parts):
        is_alias = parts[place + 1 : place + 2] == (".",) or (place > 1 and parts[place - 1] in (*_TABLES, "AS"))
        found.append(new.get(token, token) if is_alias else token)
    return tuple(found)


def _with_expressions(parts: Tokens, alias: str, expressions: Mapping[str, Tokens]) -> Tokens:
    found: list[str] = []
    place = 0
    while place < len(parts):
        if parts[place] == alias and parts[place + 1 : place + 2] == (".",):
            expression = expressions[unquoted(parts[place + 2])]
            is_simple = len(expression) == 3 or expression[0] == "("
            found += expression if is_simple else ("(", *expression, ")")
            place += 3
        else:
            found.append(parts[place])
            place += 1
    return tuple(found)


def _with_source(rest: Tokens, alias: str, name: str, tables: Tokens) -> Tokens:
    """`tables`: what is read in the place of the view `name`, from FROM on."""
    for place in range(1, len(rest)):
        if rest[place] == name and rest[place - 1] in ("FROM", "JOIN"):
            after = place + 1 + (rest[place + 1 : place + 2] == ("AS",))
            has_alias = rest[after : after + 1] == (alias,)
            if has_alias or alias == name:
                return (*rest[:place], *tables[1:], *rest[after + has_alias :])
    return rest

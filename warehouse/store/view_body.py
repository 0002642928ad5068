"""What stands in a view's statement: its SELECTs, their columns and sources, its order.  For views of our own only.

A statement is taken apart into tokens, not understood: what is not of the plain forms that our views have is left alone
by those who ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from warehouse.store.registry import view

Tokens = tuple[str, ...]

_TOKEN = re.compile(
    r"\s+|--[^\n]*|(?P<token>'(?:[^']|'')*'|\"[^\"]*\"|[A-Za-z_]\w*|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|<>|<=|>=|<<|>>|\|\||.)"
)
_NAME = re.compile(r'[A-Za-z_]\w*$|"')
_AFTER_SOURCE = {"ON", "JOIN", "LEFT", "INNER", "CROSS", "WHERE", "GROUP", "ORDER", "UNION", "LIMIT", "USING"}
_NOT_PLAIN = {"DISTINCT", "GROUP", "HAVING", "LIMIT", "OVER", "INTERSECT", "EXCEPT", "WINDOW"}


@dataclass(frozen=True)
class BodyColumn:
    """A column of a SELECT: its name in the view and its expression."""

    name: str
    expression: Tokens

    @property
    def reference(self) -> tuple[str, str] | None:
        """(alias, column) if the expression is nothing but a column of a source."""
        is_plain = len(self.expression) == 3 and self.expression[1] == "."
        return (self.expression[0], unquoted(self.expression[2])) if is_plain else None


@dataclass(frozen=True)
class BodyArm:
    """One SELECT of a UNION ALL: columns, tables and views read by alias, and all from FROM on."""

    columns: tuple[BodyColumn, ...]
    sources: tuple[tuple[str, str], ...]
    rest: Tokens

    def column(self, name: str) -> BodyColumn | None:
        """The column of that name."""
        return next((column for column in self.columns if column.name == name), None)

    @property
    def is_bare(self) -> bool:
        """Whether it reads one source and all of it."""
        return len(self.sources) == 1 and len(self.rest) <= 4


@dataclass(frozen=True)
class ViewBody:
    """The statement of a view.

    `beginning`: WITH and its tables.  `order`: (column, is descending) for each term of ORDER BY.
    """

    beginning: Tokens
    arms: tuple[BodyArm, ...]
    order: tuple[tuple[str, bool], ...]


@cache
def view_body(name: str) -> ViewBody | None:
    """The body of a view; None if it is not of the plain form.

    >>> body = view_body("trace_op")
    >>> body.arms[0].column("cat").expression
    ("'op'",)
    """
    statement = tokens(view(name).text.split("\n", 1)[1])
    start = next((place for place, token in _outer(statement) if token == "SELECT"), None)
    if start is None or any(token in _NOT_PLAIN for _, token in _outer(statement[start:])):
        return None
    beginning, statement = statement[:start], statement[start:]
    order_at = next((place for place, token in _outer(statement) if token == "ORDER"), len(statement))
    arms: list[BodyArm] = []
    for select in _split(statement[:order_at], "UNION"):
        arm = _arm(select[1:] if arms else select, arms[0].columns if arms else ())
        if arm is None or (arms and select[0] != "ALL"):
            return None
        arms.append(arm)
    order = _order(statement[order_at + 2 :], arms[0]) if order_at < len(statement) else ()
    return None if order is None else ViewBody(beginning, tuple(arms), order)


def tokens(text: str) -> Tokens:
    """The tokens of SQL text, without comments and blanks.

    >>> tokens("a.b  -- what\\n= 'it''s'")
    ('a', '.', 'b', '=', "'it''s'")
    """
    return tuple(found["token"] for found in _TOKEN.finditer(text) if found["token"])


def joined(parts: Sequence[str]) -> str:
    """SQL text of tokens.

    >>> joined(tokens("f(a.b)=1"))
    'f ( a . b ) = 1'
    """
    return " ".join(parts)


def unquoted(name: str) -> str:
    """A name without its double quotes.

    >>> unquoted('"a b"'), unquoted("a")
    ('a b', 'a')
    """
    return name[1:-1] if name.startswith('"') else name


def sources_of(parts: Tokens) -> list[tuple[str, str]]:
    """(alias, table or view) of every FROM and JOIN in the tokens, at any depth; "" for a SELECT in brackets.

    >>> sources_of(tokens("FROM op o JOIN (SELECT 1 FROM step) AS s ON s.id = o.step_id"))
    [('o', 'op'), ('s', ''), ('step', 'step')]
    """
    found = []
    for place, token in enumerate(parts):
        if token not in ("FROM", "JOIN") or place + 1 == len(parts):
            continue
        name, after = parts[place + 1], place + 2
        if name == "(":
            after = closing(parts, place + 1) + 1
            name = ""
        if after < len(parts) and parts[after] == "AS":
            after += 1
        has_alias = after < len(parts) and _NAME.match(parts[after]) and parts[after] not in _AFTER_SOURCE
        found.append((unquoted(parts[after]) if has_alias else unquoted(name), unquoted(name)))
    return found


def _outer(parts: Tokens) -> Iterator[tuple[int, str]]:
    """The tokens outside of all brackets."""
    depth = 0
    for place, token in enumerate(parts):
        depth -= token == ")"
        if depth == 0 and token not in "()":
            yield place, token
        depth += token == "("


def closing(parts: Tokens, opening: int) -> int:
    """Place of the bracket that closes the one at `opening`; ValueError if none does.

    >>> closing(("(", "(", ")", ")", ","), 0)
    3
    """
    depth = 0
    for place in range(opening, len(parts)):
        depth += (parts[place] == "(") - (parts[place] == ")")
        if depth == 0:
            return place
    raise ValueError("a bracket is not closed")


def _split(parts: Tokens, separator: str) -> list[Tokens]:
    cuts = [place for place, token in _outer(parts) if token == separator]
    return [parts[begin + 1 : end] for begin, end in zip([-1, *cuts], [*cuts, len(parts)], strict=True)]


def _arm(select: Tokens, names: Sequence[BodyColumn]) -> BodyArm | None:
    """`names`: the columns of the first SELECT, whose names count."""
    from_at = next((place for place, token in _outer(select) if token == "FROM"), None)
    if from_at is None or select[0] != "SELECT":
        return None
    columns = []
    for place, item in enumerate(_split(select[1:from_at], ",")):
        named = len(item) > 2 and item[-2] == "AS"
        if not names and not _NAME.match(item[-1]):
            return None
        name = names[place].name if names else unquoted(item[-1])
        columns.append(BodyColumn(name, item[:-2] if named else item))
    rest = select[from_at:]
    outer = tuple(token for _, token in _outer(rest))
    if "," in outer[: outer.index("WHERE") if "WHERE" in outer else len(outer)]:
        return None  # sources without JOIN
    return BodyArm(tuple(columns), tuple(sources_of(_without_brackets(rest))), rest)


def _without_brackets(parts: Tokens) -> Tokens:
    """The tokens outside of brackets, with () where brackets were."""
    kept: list[str] = []
    depth = 0
    for token in parts:
        depth -= token == ")"
        if depth == 0:
            kept.append(token)
        depth += token == "("
    return tuple(kept)


def _order(parts: Tokens, arm: BodyArm) -> tuple[tuple[str, bool], ...] | None:
    terms = []
    for term in _split(parts, ","):
        is_descending = term[-1] == "DESC"
        expression = term[:-1] if term[-1] in ("DESC", "ASC") else term
        if len(expression) == 1 and expression[0].isdigit():
            name = arm.columns[int(expression[0]) - 1].name
        elif len(expression) == 1 and arm.column(unquoted(expression[0])):
            name = unquoted(expression[0])
        else:
            same = [column.name for column in arm.columns if column.expression == expression]
            if not same:
                return None
            name = same[0]
        terms.append((name, is_descending))
    return tuple(terms)

"""RowWriter against what Python itself prints."""

import csv
import io
import json
import math
import re
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse._native import RowWriter

ANY_FLOAT = st.floats(allow_subnormal=True)
DECIMAL = st.builds(lambda whole, shift: whole / 10**shift, st.integers(0, 10**18), st.integers(0, 9))
HALVES = st.builds(lambda n: n / 2000, st.integers(-(10**13), 10**13)) | st.floats(1e11, 1e17)
HARMLESS = st.text(st.characters(codec="utf-8") | st.sampled_from(',"\r\n\t ')).filter(
    lambda text: text[:1] not in set("=+-@\t\r")
)
Cell = str | float | int | None
KINDS = ["text", "int", "stamp", "float", "round3", "fixed3", "fixed6", "trim3", "json", "ns_us"]


def one(kind: str, value: Cell) -> str:
    """The field of a CSV row of one more column, so that an empty field is not quoted."""
    return RowWriter([kind, "int"]).csv([(value, None)]).decode().removesuffix(",\r\n")


def python_csv(rows: Iterable[Iterable[object]]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def rounded(value: float) -> str:
    if not abs(value) < 9e12:
        return repr(value)
    exact = abs(value) * 1000
    if exact < 1e12:
        exact += exact * 3e-16
    thousandths = math.floor(exact) + (exact - math.floor(exact) >= 0.5)
    return repr((-thousandths if value < 0 else thousandths) / 1000)


@given(st.lists(ANY_FLOAT | DECIMAL | HALVES, min_size=1))
def test_floats_as_python_prints_them(values: list[float]) -> None:
    rows = [(value,) for value in values]
    forms = {"float": repr, "round3": rounded, "fixed3": "{:.3f}".format, "fixed6": "{:.6f}".format}
    for kind, form in forms.items():
        assert RowWriter([kind]).csv(rows).decode().split("\r\n")[:-1] == [form(value) for value in values]


@given(st.floats(allow_nan=False, allow_infinity=False) | DECIMAL)
def test_trimmed(value: float) -> None:
    assert one("trim3", value) == f"{value:.3f}".rstrip("0").removesuffix(".")


@pytest.mark.parametrize("exponent", range(-1074, 1024, 7))
def test_powers_of_two(exponent: int) -> None:
    """Where doubles are spaced unevenly the shortest digits are easily missed."""
    assert one("float", math.ldexp(1.0, exponent)) == repr(math.ldexp(1.0, exponent))


@given(st.integers(-(2**63), 2**63 - 1))
def test_nanoseconds_stay_exact(value: int) -> None:
    text = one("ns_us", value)
    whole, decimals = text.lstrip("-").split(".")
    assert int(whole) * 1000 + int(decimals) == abs(value)
    assert len(decimals) == 3
    assert text.startswith("-") == (value < 0)
    assert one("stamp", value) == text + "\t"


def test_an_int_keeps_its_form() -> None:
    assert [one(kind, 7) for kind in ("int", "float", "trim3", "round3", "fixed3", "fixed6", "text")] == [
        "7", "7", "7", "7", "7.000", "7.000000", "7",
    ]  # fmt: skip


def test_text_in_a_numeric_column_is_written_as_it_is() -> None:
    assert [one(kind, "N/A") for kind in KINDS] == ["N/A"] * 2 + ["N/A\t"] + ["N/A"] * 7
    assert one("float", "-1.5") == "-1.5"
    assert one("stamp", "1700000000000000.123") == "1700000000000000.123\t"


@pytest.mark.parametrize("text", ["=1+1", "+x", "-x", "@x", "\tx", "\rx"])
def test_no_text_runs_as_a_formula(text: str) -> None:
    for kind in ("text", "int", "float"):
        line = RowWriter([kind, "int"]).csv([(text, None)]).decode()
        assert next(csv.reader(io.StringIO(line, newline="")))[0] == "'" + text


@given(st.lists(st.lists(st.none() | HARMLESS, min_size=3, max_size=3)))
def test_fields_are_quoted_as_python_quotes_them(rows: list[list[str | None]]) -> None:
    assert RowWriter(["text"] * 3).csv(rows) == python_csv(rows)
    single = [row[:1] for row in rows]
    assert RowWriter(["text"]).csv(single) == python_csv(single)


def test_lone_surrogates_become_replacement_characters() -> None:
    rows = [("a\ud800\u00e9",)]
    assert RowWriter(["text"]).csv(rows).decode() == "a\ufffd\u00e9\r\n"
    assert json.loads(RowWriter(["text"], ["x"]).json_events(rows)) == {"x": "a\ufffd\u00e9"}


def test_header() -> None:
    names = ["Name", "Duration(us)", 'a"b,c']
    assert RowWriter(["text"] * 3, names).csv_header() == python_csv([names])


@given(
    st.lists(
        st.tuples(
            st.none() | st.text(st.characters(codec="utf-8")),
            st.none() | ANY_FLOAT | st.integers(-(2**63), 2**63 - 1),
            st.none() | st.integers(-(2**63), 2**63 - 1),
            st.none() | st.text(st.characters(codec="utf-8")),
            st.none() | ANY_FLOAT,
        )
    )
)
def test_events_read_back(rows: list[tuple[Cell, ...]]) -> None:
    writer = RowWriter(["text", "float", "int", "text", "float"], ["name", "dur", "args:Input Dims", 'args:"x', "v"])
    events = json.loads(b"[" + writer.json_events(rows) + b"]")

    def json_value(value: object) -> object:
        return None if isinstance(value, float) and not math.isfinite(value) else value

    for event, (name, duration, dims, quoted, value) in zip(events, rows, strict=True):
        args = {key: item for key, item in (("Input Dims", dims), ('"x', quoted)) if item is not None}
        members = {"name": name, "dur": duration, "v": value}
        expected = {key: json_value(item) for key, item in members.items() if item is not None}
        assert event == (expected | {"args": args} if args else expected)


def test_json_forms() -> None:
    writer = RowWriter(KINDS, KINDS)
    row = ("x", 1, "1.500", 4.0, 0.0625, 0.5, 0.25, 2.0, '{"a":[1]}', 1500)
    assert writer.json_events([row]) == (
        b'{"text":"x","int":1,"stamp":"1.500","float":4.0,"round3":0.063,"fixed3":0.500,"fixed6":0.250000,"trim3":2,'
        b'"json":{"a":[1]},"ns_us":1.500}'
    )
    numbers = writer.json_events([(1, "N/A", 1500, "N/A", 1, 1, 1, 1, 1, -1)])
    assert numbers == (
        b'{"text":"1","int":"N/A","stamp":"1.500","float":"N/A","round3":1,"fixed3":1.000,"fixed6":1.000000,"trim3":1,'
        b'"json":1,"ns_us":-0.001}'
    )


def test_whole_args_or_single_ones() -> None:
    writer = RowWriter(["json", "int"], ["args", "args:x"])
    assert writer.json_events([("{}", None), (None, 1), (None, None)]) == b'{"args":{}},\n{"args":{"x":1}},\n{}'
    with pytest.raises(ValueError, match="row 0 has both args"):
        writer.json_events([("{}", 1)])


def test_no_rows_is_no_text() -> None:
    assert RowWriter(["text"], ["x"]).json_events([]) == b""
    assert RowWriter(["text"]).csv([]) == b""


@pytest.mark.parametrize(
    ("kinds", "rows", "error", "message"),
    [
        (["int"], [(1,), (1, 2)], ValueError, "row 1 has 2 cells, the writer has 1 columns"),
        (["int"], [5], TypeError, "row 0 is a int, not a tuple"),
        (["int"], 5, TypeError, "rows must be a list of tuples"),
        (["int", "int"], [(1, b"x")], TypeError, "row 0, column 1 is a bytes"),
        (["ns_us"], [(1.5,)], TypeError, "row 0, column 0 is a float"),
        (["int"], [(2**63,)], ValueError, "row 0, column 0 is an int beyond 64 bits"),
    ],
)
def test_bad_rows_are_named(kinds: list[str], rows: object, error: type[Exception], message: str) -> None:
    for write in (RowWriter(kinds, kinds).csv, RowWriter(kinds, kinds).json_events):
        with pytest.raises(error, match=re.escape(message)):
            write(rows)  # type: ignore[arg-type]


def test_bad_writers() -> None:
    with pytest.raises(ValueError, match="no kind 'date'; kinds are text, int"):
        RowWriter(["date"])
    with pytest.raises(ValueError, match="2 kinds but 1 names"):
        RowWriter(["int", "int"], ["x"])
    with pytest.raises(ValueError, match="without names"):
        RowWriter(["int"]).json_events([(1,)])

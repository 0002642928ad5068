"""The rules of the house, each a test; an exception is a line with its reason."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
from pathlib import Path

import pytest

from warehouse import store

ROOT = Path(__file__).parent.parent
SKIPPED = {".git", "build", "dist", "__pycache__"}

# room -> the rooms it may import; data and imports go one way
ARROWS = {
    "errors": set(),
    "wording": set(),
    "profile_folder": set(),
    "write_faults": set(),
    "_native": set(),
    "batches": {"errors"},
    "readers": {"batches", "_native", "errors", "wording", "profile_folder"},
    "store": {"_native", "errors", "write_faults"},
    "without_pandas": set(),
    "ingest": {"readers", "batches", "store", "_native", "errors", "without_pandas", "wording", "profile_folder"},
    "plain_rows": {"store", "errors"},
    "query": {"plain_rows", "store", "errors"},
    "export": {"query", "store", "_native", "errors", "wording", "profile_folder", "write_faults"},
    "sample": {"errors"},
    "_recorder": set(),
    "profiler": {"_recorder", "batches", "readers", "ingest", "export", "store", "plain_rows", "errors"},
    "cli": {
        "ingest", "export", "profiler", "query", "plain_rows", "store", "sample", "errors", "without_pandas", "wording",
        "profile_folder", "write_faults",
    },
    "__init__": {"query", "errors"},
}
# files outside store/ that hold SQL text, and why
SQL_TEXT = {
    "readers/official": "reads databases that are not ours",
    "sample/": "makes databases that are not ours",
}
LINES = {".py": 400, ".sql": 80, ".cpp": 400, ".hpp": 400}
TOLERANCE = 1.25  # "about"
LONGER = {
    "migrations/versions/0001_tables.py": "the first tables, frozen text in one place",
    "sql/export/export_kernel_details.sql": "one column, one line for each of 122 PMU counters",
    "sql/export/msprof_op_summary.sql": "a line in the header for each of 122 PMU counters",
}
STATEMENT = re.compile(
    r"\s*(SELECT\s.+\sFROM\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|PRAGMA\s+\w|ATTACH\s"
    r"|(CREATE|DROP|ALTER)\s+(TEMP\s+|UNIQUE\s+)?(TABLE|VIEW|INDEX)\s|WITH\s.+\sSELECT\s)",
    re.DOTALL | re.IGNORECASE,
)
# what stock sqlite3 3.37 does not have, or not in every build
NOT_IN_EVERY_SQLITE = re.compile(
    r"\b(RIGHT|FULL)\s+(OUTER\s+)?JOIN\b|->|\b(string_agg|unixepoch|timediff|concat|concat_ws|octet_length)\s*\("
    r"|\b(sqrt|pow|power|exp|ln|log|log2|log10|floor|ceil|ceiling|trunc|mod|pi|sin|cos|tan)\s*\(",
    re.IGNORECASE,
)


def _files(*suffixes: str) -> list[Path]:
    return [
        path
        for path in sorted(ROOT.rglob("*"))
        if path.suffix in suffixes
        and path.is_file()
        and not any(part in SKIPPED or part.startswith(".") for part in path.relative_to(ROOT).parts[:-1])
    ]


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _sources() -> list[Path]:
    return [path for path in _files(".py") if path.is_relative_to(ROOT / "warehouse")]


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _room(path: Path) -> str:
    return path.relative_to(ROOT / "warehouse").with_suffix("").parts[0]


def _imports(path: Path) -> set[str]:
    """Dotted names of all modules that a file imports, wherever in it."""
    names = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{_name(path)}: imports are absolute"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _docstrings(tree: ast.Module) -> set[int]:
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, owners) and node.body and isinstance(node.body[0], ast.Expr)
    }


def test_imports_go_one_way():
    wrong = []
    for path in _sources():
        room = _room(path)
        for name in _imports(path):
            parts = name.split(".")
            if parts[0] != "warehouse" or len(parts) == 1:
                continue
            if parts[1] != room and parts[1] not in ARROWS[room]:
                wrong.append(f"{_name(path)} imports {name}")
    assert wrong == []


def test_only_the_store_knows_sqlalchemy():
    wrong = [
        _name(path)
        for path in _sources()
        if _room(path) != "store" and {name.split(".")[0] for name in _imports(path)} & {"sqlalchemy", "alembic"}
    ]
    assert wrong == []


def test_sql_text_stays_in_its_rooms():
    wrong = []
    for path in _sources():
        inside = path.relative_to(ROOT / "warehouse").as_posix()
        if _room(path) == "store" or inside.startswith(tuple(SQL_TEXT)):
            continue
        tree = _tree(path)
        documentation = _docstrings(tree)
        wrong += [
            f"{_name(path)}:{node.lineno}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in documentation
            and STATEMENT.match(node.value)
        ]
    assert wrong == []


def test_files_have_one_job():
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in _files(*LINES)}
    wrong = {
        _name(path): size
        for path, size in sizes.items()
        if size > LINES[path.suffix] * TOLERANCE and _name(path) not in LONGER
    }
    assert wrong == {}
    assert [name for name in LONGER if not (ROOT / name).exists()] == []


def test_names_say_the_role():
    empty = re.compile(r"(^|_)(utils?|common|managers?|helpers?|beans?)(_|$)|^base_|_v\d$")
    paths = _files(*LINES, ".yaml")
    wrong = [_name(path) for path in paths if empty.search(path.stem) or empty.search(path.parent.name)]
    for path in _files(".py"):
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", node.name).lower().strip("_")
                if empty.search(snake):
                    wrong.append(f"{_name(path)}: {node.name}")
    assert wrong == []


def test_no_paths_of_a_machine():
    pattern = re.compile(r"(?<![\w.}])/(root|home|work|tmp|mnt|Users)/\w")
    wrong = []
    for path in _files(".py", ".pyi", ".sql", ".yaml", ".toml", ".md", ".txt", ".cpp", ".hpp", ".json"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if pattern.search(line):
                wrong.append(f"{_name(path)}:{number}: {line.strip()}")
    assert wrong == []


def test_nothing_is_left_to_do_in_comments():
    pattern = re.compile(r"(#|--|//|\*).*\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
    wrong = [_name(path) for path in _files(".py", ".pyi", ".sql", ".cpp", ".hpp") if pattern.search(path.read_text())]
    assert wrong == []


def test_every_public_thing_says_what_it_is():
    wrong = []
    for path in _sources():
        tree = _tree(path)
        if not ast.get_docstring(tree):
            wrong.append(_name(path))
        for node in tree.body:
            for thing in [node, *(node.body if isinstance(node, ast.ClassDef) else [])]:
                if not isinstance(thing, ast.ClassDef | ast.FunctionDef) or thing.name.startswith("_"):
                    continue
                if thing is not node and len(thing.body) == 1:
                    continue  # a method of one line says what it does
                if not node.name.startswith("_") and not ast.get_docstring(thing):
                    wrong.append(f"{_name(path)}: {thing.name}")
    assert wrong == []


def test_only_command_lines_print():
    wrong = []
    for path in _sources():
        tree = _tree(path)
        entries = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main"]
        allowed = {id(node) for entry in entries for node in ast.walk(entry)}
        wrong += [
            f"{_name(path)}:{node.lineno}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
            if _room(path) != "cli" and id(node) not in allowed
        ]
    assert wrong == []


def _modules() -> list[str]:
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in _sources() if path.stem != "__main__"]
    return [name.removesuffix(".__init__") for name in names]


@pytest.mark.parametrize("name", _modules())
def test_examples_are_true(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", list(store.views()))
def test_views_run_in_every_sqlite(name):
    statement = re.sub(r"--[^\n]*|'[^']*'|\"[^\"]*\"", "", store.view(name).text)
    found = NOT_IN_EVERY_SQLITE.search(statement)
    assert found is None, f"{found[0]} needs more than sqlite3 3.37"


def test_view_rooms_are_those_of_the_design():
    rooms = "base host device comm memory graph step cluster export trace official check".split()
    assert {view.room for view in store.views().values()} <= set(rooms)
    assert [_name(path) for path in _files(".sql") if path.parent.parent != ROOT / "sql"] == []

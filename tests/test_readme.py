"""The README says what is so."""

import re
import runpy
from pathlib import Path

from synth import parse_options, simulate

from warehouse.cli.command_line import VERBS, name_of
from warehouse.ingest import ingest
from warehouse.plain_rows import PlainWarehouse

ROOT = Path(__file__).parent.parent
SECTIONS = runpy.run_path(str(ROOT / "tests" / "readme_sections.py"))
README = SECTIONS["README"]
TEXT = README.read_text(encoding="utf-8")


def test_generated_parts_are_current():
    assert SECTIONS["current"](TEXT) == TEXT, "run: python tests/readme_sections.py --write"


def test_two_commands_do_all_set_up():
    first, second = re.findall(r"```sh\n(pip install .*)\n```", TEXT)
    assert first == "pip install . && npuwh demo"
    assert second in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_commands_in_the_text_exist():
    named = set(re.findall(r"(?m)(?:^|`|&& )npuwh ([a-z]+(?:-[a-z]+)*)", TEXT))
    assert named == {name_of(verb) for verb in VERBS}


def test_no_line_is_from_the_workshop():
    for path in (README, ROOT / ".ci" / "run"):
        for word in ("TODO", "FIXME", "/tmp", "/root"):
            assert word not in path.read_text(encoding="utf-8"), (path, word)


def test_the_questions_in_the_text_have_answers(tmp_path):
    """Each of them, over a profile with a captured graph and stacks; no column is empty throughout."""
    options = "--level l1 --with-stack --graph-mode capture --steps 2 --ops-per-step 8"
    simulate(parse_options([str(tmp_path / "profiles"), *options.split(), "--truth="]))
    ingest([tmp_path / "profiles"], tmp_path / "W.db")
    questions = re.findall(r'(?m)^npuwh sql W\.db "([^"]+)"', TEXT)
    assert len(questions) >= 5
    with PlainWarehouse(tmp_path / "W.db") as opened:
        for question in questions:
            names, batches = opened.result(question)
            rows = [row for batch in batches for row in batch]
            assert rows, question
            empty = [name for at, name in enumerate(names) if all(row[at] is None for row in rows)]
            assert empty == [], question

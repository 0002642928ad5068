"""Which files belong to which rank: walks the paths and groups what it knows by run directory (deliverables.md 0)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from warehouse.errors import InputError
from warehouse.ingest.forms import DATABASE, FORMS, RAW
from warehouse.profile_folder import FRAMEWORK, OUTPUT, RUN_SUFFIX, is_raw_folder
from warehouse.readers.input_file import is_regular, resolved, shown
from warehouse.readers.json_text import rank_number
from warehouse.readers.raw_files import RawFiles, find_raw

PROFILER, MSPROF, ANALYSIS, INFO, METADATA = (
    "profiler database", "msprof database", "analysis database", "profiler_info", "profiler_metadata",
)  # fmt: skip
_KINDS = {
    PROFILER: re.compile(r"ascend_pytorch_profiler(?:_(\d+))?\.db"),
    MSPROF: re.compile(r"msprof_\d+\.db"),
    ANALYSIS: re.compile(r"analysis\.db"),
    INFO: re.compile(r"profiler_info(?:_(\d+))?\.json"),
    METADATA: re.compile(r"profiler_metadata\.json"),
}
_BESIDE = (ANALYSIS, INFO, METADATA)
RAW_FOLDER, TEXT_FILE, OTHER_PROF = "raw directory", "text file", "file of another PROF directory"
NO_PROFILE = "holds no profile"
_TEXT_FOLDERS = (OUTPUT, "mindstudio_profiler_output")
_PROF = "PROF_"
_DEEPEST = 40


@dataclass
class RankInput:
    """The files of one rank.  `path` identifies the input, `folder` is what its run's ranks share, `directory` the name
    that exports give it; `left` are files whose content another file holds too, with their kinds, `form` that one's."""

    path: Path
    folder: Path
    directory: str
    database: Path | None = None
    database_kind: str = PROFILER
    analysis: Path | None = None
    info: Path | None = None
    metadata: Path | None = None
    raw: RawFiles | None = None
    left: list[tuple[Path, str]] = field(default_factory=list)
    form: str = DATABASE

    @property
    def has_records(self) -> bool:
        """Whether it has records of its own, not only what the vendor's analysis made of them."""
        return self.database is not None or self.raw is not None

    def files(self) -> list[tuple[Path, str]]:
        """Every file that is read, with its kind."""
        found = [] if self.raw is None else self.raw.files()
        return found + self._single_files()

    def data_files(self) -> list[tuple[Path, str]]:
        """Files that hold its records, read or left, with their kinds."""
        databases = [(self.database, self.database_kind)] if self.database is not None else []
        others = [entry for entry in self.left if entry[1] in (PROFILER, MSPROF)]
        return [*([] if self.raw is None else self.raw.files()), *databases, *others]

    def _single_files(self) -> list[tuple[Path, str]]:
        found = [
            (self.database, self.database_kind),
            (self.analysis, ANALYSIS),
            (self.info, INFO),
            (self.metadata, METADATA),
        ]
        return [(path, kind) for path, kind in found if path is not None]


@dataclass
class _Folder:
    """What lies directly in one directory."""

    path: Path
    files: dict[str, list[Path]]


@dataclass
class Discovery:
    """Inputs found, and what gave none, with the reason."""

    inputs: list[RankInput] = field(default_factory=list)
    failures: list[tuple[Path, str]] = field(default_factory=list)


def discover(paths: list[Path], forms: tuple[str, ...] = FORMS) -> Discovery:
    """The rank inputs below the paths (directories or single files), each once, in the order of their paths.

    Parts of one run directory are one input, however they are given.  Of several forms of a profile the first of
    `forms` is taken; what has none of them is a failure, and so is a path without a profile.  Run directories may be
    nested and may be symbolic links; loops are noticed by (device, inode).  InputError for a path that does not exist,
    or that is a file of another form.

    >>> [each.directory for each in discover([Path("runs")]).inputs]  # doctest: +SKIP
    ['node0_41000_20231125090304041_ascend_pt']
    """
    found = Discovery()
    seen: set[tuple[int, int]] = set()
    folders: list[_Folder] = []
    single: list[Path] = []
    empty: list[Path] = []
    for path in paths:
        if not _exists(path):
            raise InputError(f"{shown(path)}: there is no such file or directory" + _dangling(path))
        if not path.is_dir():
            single.append(path)
            continue
        was_seen = _identity(path) in seen
        below = list(_walk(path, seen, found.failures))
        if not was_seen and not below:
            empty.append(path)
        folders += below
    inputs: dict[Path, RankInput] = {}
    for owner in _by_owner(folders).values():
        for each in _rank_inputs(*owner, forms, found):
            inputs[each.path] = each
    described = [path for path in single if kind_of(path.name) in (INFO, METADATA)]
    for path in single:
        if path in described:
            continue
        if DATABASE not in forms:
            raise InputError(f"{shown(path)}: is a file, and raw data are directories; choose another form with --from")
        each = _single(path)
        inputs[each.path] = _joined(inputs[each.path], each, forms) if each.path in inputs else each
    used = {resolved(path) for each in inputs.values() for path, _ in (*each.files(), *each.left)}
    for path in described:
        if resolved(path) not in used:
            raise InputError(f"{shown(path)}: describes a profile but holds none; give the directory it lies in")
    found.failures += [
        (path, NO_PROFILE) for path in empty if not any(_is_told(path, *each) for each in found.failures)
    ]
    found.inputs = list(inputs.values())
    return found


def _is_told(path: Path, place: Path, _reason: str) -> bool:
    """Whether a failure below the path tells already why it gave nothing."""
    return place.is_relative_to(path)


def _joined(one: RankInput, other: RankInput, forms: tuple[str, ...]) -> RankInput:
    """Two inputs of one run directory as one: what has records of the preferred form, with what both know beside it."""

    def preference(each: RankInput) -> tuple[bool, int, bool]:
        return not each.has_records, forms.index(each.form), each.database_kind != PROFILER

    first, second = sorted((one, other), key=preference)
    first.analysis = first.analysis or second.analysis
    first.info = first.info or second.info
    first.metadata = first.metadata or second.metadata
    known = {resolved(path) for path, _ in (*first.files(), *first.left)}
    others = (*second.files(), *second.left)
    first.left += [entry for entry in others if resolved(entry[0]) not in known]
    return first


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a link that leads to itself, a name that no file can have
        return False


def _dangling(path: Path) -> str:
    return " (a symbolic link that leads nowhere)" if path.is_symlink() else ""


def _walk(root: Path, seen: set[tuple[int, int]], failures: list[tuple[Path, str]]) -> Iterator[_Folder]:
    """Directories with files of ours below root, symbolic links followed, each directory once."""
    waiting = [(root, 0)]
    while waiting:
        folder, depth = waiting.pop()
        try:
            if (identity := _identity(folder)) in seen:
                continue
            seen.add(identity)
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            failures.append((folder, f"cannot be read ({error.strerror or error})"))
            continue
        files: dict[str, list[Path]] = {}
        if raw := _raw_parts(folder, entries, folder == root):
            files[RAW_FOLDER] = raw
        below = []
        for entry in entries:
            path = folder / entry.name
            kind = kind_of(entry.name)
            if _is_dir(entry):
                below.append((path, depth + 1))
                kind = kind if kind in _BESIDE else None  # noted as what it is where it is to be read
            elif folder.name in _TEXT_FOLDERS and path.suffix in (".csv", ".json") and kind is None:
                kind = TEXT_FILE
            if kind:
                files.setdefault(kind, []).append(path)
        for found in files.values():
            found.sort(key=lambda path: not is_regular(path))  # what can be read comes first
        if depth < _DEEPEST:
            waiting += reversed(below)
        elif below:
            failures.append((folder, f"lies {_DEEPEST} directories deep; what is below is not looked at"))
        if files:
            yield _Folder(folder, files)


def _identity(folder: Path) -> tuple[int, int]:
    facts = folder.stat()
    return facts.st_dev, facts.st_ino


def _raw_parts(folder: Path, entries: list[os.DirEntry[str]], is_root: bool) -> list[Path]:
    """The raw directories that make a run of this directory: those in it, or itself where it stands alone."""
    named = [entry for entry in entries if is_raw_folder(entry.name)]
    parts = [folder / entry.name for entry in named if _is_dir(entry)]
    if any(part.name == FRAMEWORK for part in parts) or folder.name.endswith(RUN_SUFFIX):
        return [folder / entry.name for entry in named]  # also what only has the name: missed where it is to be read
    return [folder] if is_raw_folder(folder.name) and (is_root or not _is_run(folder.parent)) else []


def _is_run(folder: Path) -> bool:
    return folder.name.endswith(RUN_SUFFIX) or (folder / FRAMEWORK).is_dir()


def _is_dir(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a symbolic link that leads to itself
        return False


def kind_of(name: str) -> str | None:
    """Kind of a file by its name, None if it is none of ours.

    >>> kind_of("ascend_pytorch_profiler_3.db"), kind_of("notes.db")
    ('profiler database', None)
    """
    return next((kind for kind, pattern in _KINDS.items() if pattern.fullmatch(name)), None)


def rank_in_name(path: Path) -> int | None:
    """The rank number in the name of a profiler database or profiler_info file.

    >>> rank_in_name(Path("ascend_pytorch_profiler_3.db"))
    3
    """
    for kind in (PROFILER, INFO):
        match = _KINDS[kind].fullmatch(path.name)
        if match and match[1]:
            return rank_number(match[1])
    return None


def _by_owner(folders: list[_Folder]) -> dict[Path, tuple[Path, list[_Folder]]]:
    """Folders by the run directory they belong to: an output folder, and PROF_* folders, to the one above them."""
    owners: dict[Path, tuple[Path, list[_Folder]]] = {}
    for folder in folders:
        owner = _owner(folder.path)
        owners.setdefault(resolved(owner), (owner, []))[1].append(folder)
    return owners


def _owner(folder: Path) -> Path:
    if folder.name in (OUTPUT, FRAMEWORK):
        return folder.parent
    if folder.name in _TEXT_FOLDERS:  # of PROF_*, or of the run
        folder = folder.parent
    above = [folder, *folder.parents]
    prof = next((place for place, path in enumerate(above) if path.name.startswith(_PROF)), None)
    if prof is None:
        return folder
    if _is_run(above[prof].parent):
        return above[prof].parent
    return next((path for path in above[prof:] if path.name.endswith(RUN_SUFFIX)), above[prof])


def _rank_inputs(owner: Path, folders: list[_Folder], forms: tuple[str, ...], found: Discovery) -> list[RankInput]:
    """The inputs in one run directory, of the first form that it has: one, or one a database where a flat directory
    holds several.  What there is of other forms is left."""

    def files(kind: str) -> list[Path]:
        found = [path for folder in folders for path in folder.files.get(kind, [])]
        return list({resolved(path): path for path in found}.values())  # a part may be given beside what holds it

    made = {RAW: _raw_inputs(owner, files), DATABASE: _database_inputs(owner, files)}
    form = next((form for form in forms if any(each.has_records for each in made[form])), None)
    form = form or next((form for form in forms if made[form]), None)
    if form is None:
        others = ["raw data" if other == RAW else "a database" for other, inputs in made.items() if inputs]
        if others:
            found.failures.append((owner, f"holds {' and '.join(others)}, which --from leaves out"))
        elif files(TEXT_FILE):
            found.failures.append((owner, "holds text files, which are not read"))
        return []
    first = made[form][0]
    first.left += [(path, TEXT_FILE) for path in files(TEXT_FILE)]
    for other, inputs in made.items():
        if other != form:
            first.left += [entry for each in inputs for entry in each.data_files()]
    return made[form]


def _database_inputs(owner: Path, files: Callable[[str], list[Path]]) -> list[RankInput]:
    databases, kind = files(PROFILER), PROFILER
    left = files(MSPROF) if databases else []
    if not databases:
        databases, kind = files(MSPROF), MSPROF
    analysis, infos, metadata = files(ANALYSIS), files(INFO), files(METADATA)
    if len(databases) <= 1:
        database = databases[0] if databases else None
        if database is None and not analysis:
            return []
        found = _input(owner, database, kind, is_run=kind == PROFILER or owner.name.endswith(RUN_SUFFIX))
        found.analysis = analysis[0] if analysis else None
        found.info = infos[0] if infos else None
        found.metadata = metadata[0] if metadata else None
        found.left = _with_kinds([*left, *analysis[1:], *infos[1:], *metadata[1:]])
        return [found]
    inputs = []
    for database in databases:
        found = _input(owner, database, kind, is_run=False)
        found.info = next((path for path in infos if rank_in_name(path) == rank_in_name(database)), None)
        found.analysis = next((path for path in analysis if path.parent == database.parent), None)
        if found.analysis and sum(other.parent == database.parent for other in databases) > 1:
            found.analysis = None  # it tells not to which of them it belongs
        found.metadata = next((path for path in metadata if path.parent == database.parent), None)
        inputs.append(found)
    inputs[0].left = _with_kinds(left)
    return inputs


def _with_kinds(paths: list[Path]) -> list[tuple[Path, str]]:
    return [(path, kind_of(path.name) or MSPROF) for path in paths]


def _raw_inputs(owner: Path, files: Callable[[str], list[Path]]) -> list[RankInput]:
    raw = find_raw(owner, files(RAW_FOLDER)) if files(RAW_FOLDER) else None
    if raw is None or not raw.has_data:
        return []
    infos, metadata, analysis = files(INFO), files(METADATA), files(ANALYSIS)
    if not infos:  # a part of a run was given by itself
        beside = [entry for entry in sorted(owner.iterdir()) if entry.is_file()]
        infos = [entry for entry in beside if kind_of(entry.name) == INFO]
        metadata = metadata or [entry for entry in beside if kind_of(entry.name) == METADATA]
    found = _input(owner, None, PROFILER, is_run=True)
    found.raw, found.form = raw, RAW
    others = [(path, OTHER_PROF) for path in raw.other_files()]
    found.info, found.metadata, found.analysis = (each[0] if each else None for each in (infos, metadata, analysis))
    found.left = others + _with_kinds([*analysis[1:], *infos[1:], *metadata[1:]])
    return [found]


def _input(owner: Path, database: Path | None, kind: str, is_run: bool) -> RankInput:
    if is_run or database is None:
        return RankInput(resolved(owner), resolved(owner.parent), _directory_name(owner), database, kind)
    return RankInput(resolved(database), resolved(owner), f"{shown(database.stem)}{RUN_SUFFIX}", database, kind)


def _directory_name(owner: Path) -> str:
    """The run directory's own name; a link's name only if what it leads to does not tell better."""
    names = (owner.name, resolved(owner).name)
    named = next((name for name in names if name.endswith(RUN_SUFFIX)), None)
    return shown(named or f"{resolved(owner).name or 'profile'}{RUN_SUFFIX}")


def _single(path: Path) -> RankInput:
    """A database given by itself, with what lies beside it and belongs to it."""
    kind = kind_of(path.name)
    if kind == ANALYSIS:
        owner = path.parent.parent if path.parent.name == OUTPUT else path.parent
        found = _input(owner.absolute(), None, PROFILER, is_run=True)
        found.analysis = path
        return found
    if kind in (INFO, METADATA):
        raise InputError(f"{shown(path)}: describes a profile but holds none; give the directory it lies in")
    if kind is None and path.suffix != ".db":
        raise InputError(f"{shown(path)}: is not a profiler database; give a directory or a .db file")
    folder = path.parent.absolute()
    beside = [entry for entry in folder.iterdir() if entry.is_file()]
    in_run = folder.name == OUTPUT or folder.name.endswith(RUN_SUFFIX)
    alone = sum(kind_of(entry.name) == kind for entry in beside) == 1
    owner = folder.parent if folder.name == OUTPUT else folder
    found = _input(owner, folder / path.name, kind or PROFILER, is_run=in_run and alone and kind is not None)
    if kind == PROFILER:
        above = [entry for entry in owner.iterdir() if entry.is_file()] if owner != folder else []
        for entry in (*beside, *above):
            name = kind_of(entry.name)
            if name == ANALYSIS and alone:
                found.analysis = entry
            elif name == INFO and (alone or rank_in_name(entry) == rank_in_name(path)):
                found.info = entry
            elif name == METADATA:
                found.metadata = entry
    return found

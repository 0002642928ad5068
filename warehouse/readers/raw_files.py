"""Which files of a raw profile directory hold which stream (framework-files.md 1, cann-files.md 1)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from warehouse.errors import InputError
from warehouse.profile_folder import FRAMEWORK, RECORDING, is_raw_folder
from warehouse.readers.input_file import is_readable, is_regular

RECORDED_CHUNK = "recorded chunk"
FRAMEWORK_FILE, PROF_STREAM, CONFIGURATION, UNKNOWN, FOLDER = (
    "framework file",
    "PROF stream",
    "PROF configuration",
    "unknown file",
    "raw directory",
)
_DEVICE = re.compile(r"device_(\d{1,9})")
_SLICE = re.compile(r"(?P<stream>.+)\.slice_(?P<number>\d{1,18})")
_NOT_DATA = (".done", ".complete", ".zip")
# kind of the decoder -> beginning of the file's name
_FRAMEWORK_FILES = {
    kind: f"torch.{kind}"
    for kind in (
        "op_range", "op_mark", "memory_usage", "python_tracer_func", "python_tracer_hash", "param_tensor_info",
        "gc_record", )
}  # fmt: skip


@dataclass
class StreamFiles:
    """The slices of one stream in their order, those that must not be dropped (`unaging`) first."""

    unaging: list[Path] = field(default_factory=list)
    aging: list[Path] = field(default_factory=list)

    def parts(self) -> list[tuple[bool, list[Path]]]:
        """(is unaging, slices): each is a string of bytes of its own."""
        return [(kept, paths) for kept, paths in ((True, self.unaging), (False, self.aging)) if paths]


@dataclass
class DeviceFiles:
    """`device_N` of a PROF directory."""

    device_id: int
    path: Path
    streams: dict[str, StreamFiles] = field(default_factory=dict)


@dataclass
class RawFiles:
    """A raw run directory.  `framework` maps a kind of FRAMEWORK file to its path; `prof` is the PROF directory that is
    read, `other_profs` further ones; `unknown` are data files of no stream that could be told from their name,
    `irregular` what has the name of a data file or directory but is none, with the kind of what it should be: a pipe, a
    directory, a link that leads nowhere."""

    root: Path
    framework: dict[str, Path] = field(default_factory=dict)
    prof: Path | None = None
    other_profs: list[Path] = field(default_factory=list)
    host: dict[str, StreamFiles] = field(default_factory=dict)
    devices: list[DeviceFiles] = field(default_factory=list)
    unknown: list[Path] = field(default_factory=list)
    recording: Path | None = None
    irregular: dict[Path, str] = field(default_factory=dict)

    @property
    def has_data(self) -> bool:
        """Whether there is anything beside configuration."""
        has_prof = bool(self.host or any(device.streams for device in self.devices))
        return bool(self.framework or has_prof or self.recording is not None)

    def files(self) -> list[tuple[Path, str]]:
        """Every file that belongs to the run, with its kind."""
        found = [(path, FRAMEWORK_FILE) for path in self.framework.values()]
        found += [(path, RECORDED_CHUNK) for path in self._recorded()]
        for streams in (self.host, *(device.streams for device in self.devices)):
            for files in streams.values():
                found += [(path, PROF_STREAM) for path in files.unaging + files.aging]
        found += [(path, CONFIGURATION) for path in self.configuration()]
        return found + [(path, UNKNOWN) for path in self.unknown] + list(self.irregular.items())

    def other_files(self) -> list[Path]:
        """Every file of the PROF directories that are not read."""
        return [path for folder in self.other_profs for path in sorted(folder.rglob("*")) if is_regular(path)]

    def _recorded(self) -> list[Path]:
        if self.recording is None:
            return []
        return [entry for entry in sorted(self.recording.iterdir()) if entry.is_file() and ".arrows" in entry.name]

    def configuration(self) -> list[Path]:
        """Files that describe a PROF directory, also what has their names and is no file."""
        folders = [] if self.prof is None else [self.prof / "host", *(device.path for device in self.devices)]
        return [
            entry
            for folder in folders
            if _is_folder(folder) and folder not in self.irregular
            for entry in sorted(folder.iterdir())
            if entry.name.startswith(_CONFIGURATION) and not entry.name.endswith(_NOT_DATA)
        ]


_CONFIGURATION = ("info.json", "sample.json", "start_info", "end_info", "host_start.log", "dev_start.log")


def find_raw(root: Path, parts: list[Path] | None = None) -> RawFiles:
    """The raw files of a run directory: those of its `parts`, FRAMEWORK and PROF_* directories; of all if None.

    InputError if a directory of them cannot be read.
    """
    found = RawFiles(root)
    if parts is None:
        parts = [entry for entry in _entries(root, found) if is_raw_folder(entry.name)]
    found.irregular |= {part: FOLDER for part in parts if not _is_folder(part)}
    parts = [part for part in parts if part not in found.irregular]
    profs = [part for part in parts if part.name not in (FRAMEWORK, RECORDING)]
    for part in parts:
        if part.name == RECORDING:
            found.recording = part
        if part.name == FRAMEWORK:
            _find_framework(part, found)
    if profs:
        found.prof, found.other_profs = profs[0], profs[1:]
        _find_prof(found.prof, found)
    return found


def _entries(folder: Path, found: RawFiles) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        if folder == found.root:
            raise InputError(f"{folder}: cannot be read ({error.strerror or error})") from error
        found.irregular[folder] = FOLDER
        return []


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # it lies where we may not look
        return False


def _find_framework(folder: Path, found: RawFiles) -> None:
    for entry in _entries(folder, found):
        kind = next((kind for kind, name in _FRAMEWORK_FILES.items() if entry.name.startswith(name)), None)
        if entry.name.endswith(_NOT_DATA):
            continue
        if not is_readable(entry):
            found.irregular |= {entry: FRAMEWORK_FILE} if kind else {}
        elif kind is None or kind in found.framework:  # the vendor takes the first of several too
            found.unknown.append(entry)
        else:
            found.framework[kind] = entry


def _find_prof(folder: Path, found: RawFiles) -> None:
    for entry in _entries(folder, found):
        match = _DEVICE.fullmatch(entry.name)
        if entry.name != "host" and match is None:
            found.unknown += [entry] if entry.name.startswith("device_") else []
            continue
        names = [path.name for path in _entries(entry, found)] if _is_folder(entry) else []
        if not _is_folder(entry):
            found.irregular[entry] = FOLDER
            continue
        streams, number = found.host, None
        if match is not None:
            device = DeviceFiles(int(match[1]), entry)
            found.devices.append(device)
            streams, number = device.streams, device.device_id
        data = entry / "data"
        if _is_folder(data):
            _find_streams(data, streams, number, found)
        elif data.name in names:
            found.irregular[data] = FOLDER
    found.devices.sort(key=lambda device: device.device_id)


def _find_streams(folder: Path, streams: dict[str, StreamFiles], device_id: int | None, found: RawFiles) -> None:
    slices: list[tuple[str, bool, int, Path]] = []
    for entry in _entries(folder, found):
        if entry.name.endswith(_NOT_DATA):
            continue
        match = _SLICE.fullmatch(entry.name)
        if not is_readable(entry):
            found.irregular |= {entry: PROF_STREAM} if match else {}
            continue
        name = None if match is None else stream_name(match["stream"], device_id)
        if match is None or name is None:
            found.unknown.append(entry)
            continue
        slices.append((*name, int(match["number"]), entry))
    for stream, is_unaging, _, path in sorted(slices, key=lambda item: item[:3]):
        files = streams.setdefault(stream, StreamFiles())
        (files.unaging if is_unaging else files.aging).append(path)


def slice_number(path: Path) -> int:
    """The number of a slice.

    >>> slice_number(Path("aging.api_event.data.slice_12"))
    12
    """
    match = _SLICE.fullmatch(path.name)
    return int(match["number"]) if match else 0


def stream_name(text: str, device_id: int | None) -> tuple[str, bool] | None:
    """(stream, is unaging) of a file's name without its slice; None if it follows no rule.

    >>> stream_name("unaging.additional.hash_dic", None), stream_name("stars_soc.data.3", 3)
    (('additional.hash_dic', True), ('stars_soc', False))
    """
    if device_id is not None:
        name = text.removesuffix(f".{device_id}")
        return name.removesuffix(".data"), False
    retention, _, name = text.partition(".")
    if retention not in ("aging", "unaging"):
        return text.removesuffix(".data"), False
    return name.removesuffix(".data"), retention == "unaging"

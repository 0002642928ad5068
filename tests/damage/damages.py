"""Ways to damage a raw run directory, each a function of a random number generator and the directory.

A damage says what it did, and in which files; what lies in other files must survive it.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Done:
    """What was done: for people, and which files may lose something."""

    text: str
    files: list[Path] = field(default_factory=list)


Damage = Callable[[random.Random, Path], Done]
OF_DATA: dict[str, Damage] = {}
OF_CONFIGURATION: dict[str, Damage] = {}
OF_FOLDERS: dict[str, Damage] = {}
CONFIGURATION = ("info.json", "sample.json", "start_info", "end_info", "host_start.log", "dev_start.log", "profiler_")


def _to(group: dict[str, Damage]) -> Callable[[Damage], Damage]:
    def register(function: Damage) -> Damage:
        group[function.__name__] = function
        return function

    return register


def is_configuration(path: Path) -> bool:
    return path.name.startswith(CONFIGURATION)


def data_files(root: Path) -> list[Path]:
    found = [path for path in sorted(root.rglob("*")) if path.is_file() and path.suffix != ".done"]
    return [path for path in found if not is_configuration(path) and path.stat().st_size]


def configuration_files(root: Path) -> list[Path]:
    return [path for path in sorted(root.rglob("*")) if path.is_file() and is_configuration(path)]


# --- bytes of data files ----------------------------------------------------------------------------------------------
@_to(OF_DATA)
def cut_off(rng, root):
    """The end of a file is missing, anywhere in a record."""
    path = rng.choice(data_files(root))
    size = path.stat().st_size
    kept = rng.randrange(size)
    os.truncate(path, kept)
    return Done(f"{path.name} cut off after {kept} of {size} bytes", [path])


@_to(OF_DATA)
def cut_before(rng, root):
    """The beginning is missing, as of a ring that ran over."""
    path = rng.choice(data_files(root))
    data = path.read_bytes()
    lost = rng.randrange(1, len(data) + 1)
    path.write_bytes(data[lost:])
    return Done(f"{path.name} without its first {lost} of {len(data)} bytes", [path])


@_to(OF_DATA)
def emptied(rng, root):
    path = rng.choice(data_files(root))
    path.write_bytes(b"")
    return Done(f"{path.name} emptied", [path])


@_to(OF_DATA)
def flipped_bits(rng, root):
    path = rng.choice(data_files(root))
    data = bytearray(path.read_bytes())
    places = [rng.randrange(len(data)) for _ in range(rng.choice((1, 1, 3, 20)))]
    for place in places:
        data[place] ^= 1 << rng.randrange(8)
    path.write_bytes(data)
    return Done(f"{path.name} with bits flipped at {places}", [path])


@_to(OF_DATA)
def overwritten(rng, root):
    """A range holds zeros, ones or noise."""
    path = rng.choice(data_files(root))
    data = bytearray(path.read_bytes())
    start = rng.randrange(len(data))
    length = min(rng.choice((1, 4, 64, 300, 5000)), len(data) - start)
    filler = rng.choice((b"\0", b"\xff", None))
    data[start : start + length] = rng.randbytes(length) if filler is None else filler * length
    path.write_bytes(data)
    return Done(f"{path.name} overwritten at {start}, {length} bytes of {filler!r}", [path])


@_to(OF_DATA)
def largest_numbers(rng, root):
    """A field holds the largest or an odd number: sizes, counts, times."""
    path = rng.choice(data_files(root))
    data = bytearray(path.read_bytes())
    form, value = rng.choice((("<H", 0xFFFF), ("<I", 0xFFFFFFFF), ("<I", 0x7FFFFFFF), ("<Q", 2**64 - 1), ("<Q", 2**63)))
    size = struct.calcsize(form)
    if len(data) >= size:
        place = rng.randrange(len(data) - size + 1) // size * size
        struct.pack_into(form, data, place, value)
    else:
        place = 0
    path.write_bytes(data)
    return Done(f"{path.name} with {value:#x} at {place}", [path])


@_to(OF_DATA)
def inserted(rng, root):
    path = rng.choice(data_files(root))
    data = path.read_bytes()
    place, count = rng.randrange(len(data) + 1), rng.choice((1, 7, 64, 1000))
    path.write_bytes(data[:place] + rng.randbytes(count) + data[place:])
    return Done(f"{path.name} with {count} bytes inserted at {place}", [path])


@_to(OF_DATA)
def deleted_bytes(rng, root):
    path = rng.choice(data_files(root))
    data = path.read_bytes()
    place, count = rng.randrange(len(data)), rng.choice((1, 7, 40, 64, 200))
    path.write_bytes(data[:place] + data[place + count :])
    return Done(f"{path.name} without {count} bytes at {place}", [path])


@_to(OF_DATA)
def appended(rng, root):
    path = rng.choice(data_files(root))
    count = rng.choice((1, 3, 63, 64, 256, 10_000))
    with path.open("ab") as file:
        file.write(rng.choice((bytes(count), rng.randbytes(count))))
    return Done(f"{path.name} with {count} bytes appended", [path])


@_to(OF_DATA)
def repeated(rng, root):
    """A file holds its content twice."""
    path = rng.choice(data_files(root))
    path.write_bytes(path.read_bytes() * 2)
    return Done(f"{path.name} twice", [path])


@_to(OF_DATA)
def of_another(rng, root):
    """A file holds what belongs into another."""
    path, other = rng.sample(data_files(root), 2)
    path.write_bytes(other.read_bytes())
    return Done(f"{path.name} holds {other.name}", [path])


@_to(OF_DATA)
def only_noise(rng, root):
    path = rng.choice(data_files(root))
    path.write_bytes(rng.randbytes(rng.choice((1, 100, 70_000))))
    return Done(f"{path.name} holds noise", [path])


# --- configuration ----------------------------------------------------------------------------------------------------
ODD_TEXTS = (
    "", "{", "[]", "null", "{}", "7", '"text"', "\0\0\0", "[" * 100_000, '{"a":' * 20_000,
    '{"CPU": 7, "DeviceInfo": "x"}', '{"CPU": [[]], "DeviceInfo": [null]}', "\xff\xfe{}", "{'single': 'quotes'}",
    "cntvct:\nclock_monotonic_raw:x\n",
    "cntvct:99999999999999999999999999\nclock_monotonic_raw:-5\ncntvct_diff:1e400\n",
)  # fmt: skip
ODD_NUMBERS = (
    0, -1, 1, 2**31, 2**63, 2**64, -(2**63), 10**30, 1e308, "", "x", "nan", "inf", "1e999", "-0", "0x10", None, [], {},
    True,
)  # fmt: skip


@_to(OF_CONFIGURATION)
def odd_text(rng, root):
    path, text = rng.choice(configuration_files(root)), rng.choice(ODD_TEXTS)
    path.write_text(text, encoding="latin-1")
    return Done(f"{path.name} holds {text[:40]!r}", [path])


@_to(OF_CONFIGURATION)
def cut_text(rng, root):
    path = rng.choice(configuration_files(root))
    os.truncate(path, rng.randrange(path.stat().st_size))
    return Done(f"{path.name} cut off", [path])


@_to(OF_CONFIGURATION)
def removed(rng, root):
    path = rng.choice(configuration_files(root))
    path.unlink()
    return Done(f"{path.name} removed", [path])


def _places(value: object, found: list[tuple[object, object]]) -> list[tuple[object, object]]:
    """Every (container, key) in a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found.append((value, key))
        _places(inner, found)
    return found


@_to(OF_CONFIGURATION)
def odd_value(rng, root):
    """A value of a JSON file, or of a line, is absurd."""
    path = rng.choice(configuration_files(root))
    value = rng.choice(ODD_NUMBERS)
    text = path.read_text(encoding="utf-8")
    if ".log" in path.name:
        lines = text.splitlines()
        place = rng.randrange(len(lines))
        name = lines[place].partition(":")[0]
        lines[place] = f"{name}:{value}"
        path.write_text("\n".join(lines), encoding="utf-8")
        return Done(f"{path.name}: {lines[place]}", [path])
    content = json.loads(text)
    container, key = rng.choice(_places(content, []))
    container[key] = value  # type: ignore[index]
    path.write_text(json.dumps(content), encoding="utf-8")
    return Done(f"{path.name}: {key} = {value!r}", [path])


@_to(OF_CONFIGURATION)
def contradictory_clocks(rng, root):
    """The clocks of host and device do not fit each other."""
    path = rng.choice([path for path in configuration_files(root) if ".log" in path.name])
    shift = rng.choice((-(10**18), -(10**9), 10**9, 10**12, 10**18, 2**62))
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        name, found, number = line.partition(":")
        lines.append(f"{name}:{int(number) + shift}" if found and number.isdecimal() else line)
    path.write_text("\n".join(lines), encoding="utf-8")
    return Done(f"{path.name} shifted by {shift}", [path])


# --- files and folders ------------------------------------------------------------------------------------------------
def slices(root: Path) -> list[Path]:
    return [path for path in data_files(root) if ".slice_" in path.name]


@_to(OF_FOLDERS)
def file_removed(rng, root):
    path = rng.choice(data_files(root))
    path.unlink()
    return Done(f"{path.name} removed", [path])


@_to(OF_FOLDERS)
def markers_removed(rng, root):
    for path in root.rglob("*.done"):
        path.unlink()
    return Done("no .done markers")


@_to(OF_FOLDERS)
def slices_swapped(rng, root):
    path, other = rng.sample(slices(root), 2)
    kept = path.read_bytes()
    path.write_bytes(other.read_bytes())
    other.write_bytes(kept)
    return Done(f"{path.name} and {other.name} swapped", [path, other])


@_to(OF_FOLDERS)
def slice_renumbered(rng, root):
    path = rng.choice(slices(root))
    number = rng.choice((1, 7, 10**9, 10**30))
    target = path.with_name(f"{path.name.partition('.slice_')[0]}.slice_{number}")
    if target.exists():
        return Done("nothing")
    path.rename(target)
    return Done(f"{path.name} renamed to {target.name}", [path, target])


@_to(OF_FOLDERS)
def slice_twice(rng, root):
    """A slice is there a second time under a later number."""
    path = rng.choice(slices(root))
    target = path.with_name(f"{path.name.partition('.slice_')[0]}.slice_{rng.choice((1, 2, 50))}")
    if target.exists():
        return Done("nothing")
    shutil.copy(path, target)
    return Done(f"{path.name} again as {target.name}", [path, target])


@_to(OF_FOLDERS)
def other_device(rng, root):
    """Files of another rank's device are mixed in."""
    folder = sorted(root.glob("PROF_*/device_0/data"))[0]
    path = rng.choice(sorted(folder.glob("*.slice_0")))
    target = path.with_name(path.name.replace(".0.slice_", ".3.slice_"))
    shutil.copy(path, target)
    return Done(f"{target.name} mixed in", [path, target])


@_to(OF_FOLDERS)
def second_prof(rng, root):
    folder = sorted(root.glob("PROF_*"))[0]
    with suppress(shutil.Error):  # of what other damages left there
        shutil.copytree(folder, folder.with_name(folder.name.replace("PROF_000001", "PROF_000009")))
    return Done("a second PROF directory")


@_to(OF_FOLDERS)
def linked(rng, root):
    """A file is a symbolic link to where it lies."""
    path = rng.choice(data_files(root))
    target = root.parent / f"elsewhere_{path.name}"
    path.rename(target)
    path.symlink_to(target)
    return Done(f"{path.name} is a link")


@_to(OF_FOLDERS)
def dangling(rng, root):
    path = rng.choice([*data_files(root), *configuration_files(root)])
    path.unlink()
    path.symlink_to(rng.choice(("nowhere", path.name, "/dev/zero", "..")))
    return Done(f"{path.name} is a link to {path.readlink()}", [path])


@_to(OF_FOLDERS)
def pipe(rng, root):
    path = rng.choice([*data_files(root), *configuration_files(root)])
    path.unlink()
    os.mkfifo(path)
    return Done(f"{path.name} is a pipe", [path])


@_to(OF_FOLDERS)
def folder_instead(rng, root):
    path = rng.choice([*data_files(root), *configuration_files(root)])
    path.unlink()
    path.mkdir()
    return Done(f"{path.name} is a directory", [path])


@_to(OF_FOLDERS)
def odd_names(rng, root):
    """Files that nobody knows, and names that are no UTF-8."""
    folder = rng.choice([path for path in root.rglob("*") if path.is_dir()])
    names = (b"aging.\xff\xfe.slice_0", b"x.slice_", b"host_info.slice_0", b".slice_0", b"torch.unknown", b"a" * 255)
    for name in names:
        (folder / os.fsdecode(name)).write_bytes(rng.randbytes(64))
    return Done(f"odd names in {folder.name}")


EVERY = {**OF_DATA, **OF_CONFIGURATION, **OF_FOLDERS}

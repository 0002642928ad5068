"""Raw streams on disk: `<name>.slice_<n>` with `.done` markers."""

from pathlib import Path

PIECE = 1 << 22


class SliceFile:
    """One stream.  Records go straight to `<name>.slice_0`; `close` cuts that at records, so memory stays flat."""

    def __init__(self, path):
        self.path, self.buffer, self.out = path, bytearray(), None
        self.count, self.size, self.sizes = 0, 0, None  # sizes: kept only while records differ in length

    def add(self, record):
        if self.sizes is None and len(record) != self.size:
            if self.count == 0:
                self.size = len(record)
            else:
                self.sizes = [self.size] * self.count
        self.count += 1
        if self.sizes is not None:
            self.sizes.append(len(record))
        self.buffer += record
        if len(self.buffer) >= PIECE:
            self.drain()

    def slice(self, number):
        return Path(f"{self.path}.slice_{number}")

    def drain(self):
        if self.out is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.out = self.slice(0).open("wb")
        self.out.write(self.buffer)
        self.buffer.clear()

    def close(self, slices):
        self.drain()
        self.out.close()
        pieces = min(slices, self.count) or 1
        step = -(-self.count // pieces)
        starts = range(0, self.count, step)
        if self.sizes is None:
            lengths = [min(step, self.count - start) * self.size for start in starts]
        else:
            lengths = [sum(self.sizes[start : start + step]) for start in starts]
        if len(lengths) > 1:
            with self.slice(0).open("r+b") as whole:
                whole.seek(lengths[0])
                for number, length in enumerate(lengths[1:], 1):
                    self.slice(number).write_bytes(whole.read(length))
                whole.truncate(lengths[0])
        for number, length in enumerate(lengths):
            Path(f"{self.slice(number)}.done").write_text(f"filesize:{length}\n", encoding="ascii")


class SliceFiles:
    """The streams of a PROF directory."""

    def __init__(self):
        self.files = {}

    def file(self, folder, name):
        key = (folder, name)
        if key not in self.files:
            self.files[key] = SliceFile(folder / name)
        return self.files[key]

    def add(self, folder, name, record):
        self.file(folder, name).add(record)

    def close(self, slices):
        for file in self.files.values():
            file.close(slices)

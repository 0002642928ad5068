"""One message of a chunk: where it ends, how many rows it tells, and whether it is as it was written.

The metadata are a flatbuffer ("Arrow Columnar Format", Message.fbs); of it only what is asked for here is looked at,
and nothing of it is believed before the check sum (collector_ext/core/arrow_stream.hpp) says so.
"""

from __future__ import annotations

import re
import struct
import zlib
from dataclasses import dataclass

MARK = b"\xff\xff\xff\xff"  # that a message begins with
END_MARK = MARK + b"\0\0\0\0"  # of a stream
# where a message may begin: no metadata of a recording has 512 KiB
_BEGIN = re.compile(re.escape(MARK) + rb"[\x00-\xff][\x00-\xff][\x00-\x07]\x00")
_FRAME_BYTES = 8  # the mark, and the length of the metadata
_SUM = re.compile(rb"\x08\x00\x00\x00([0-9a-f]{8})\x00")  # a text of eight digits, as flatbuffers have them
_NO_SUM = b"0" * 8
_RECORD_BATCH = 3  # of MessageHeader
_HEADER_TYPE, _HEADER, _BODY_LENGTH = 1, 2, 3  # fields of Message
_ROWS, _COMPRESSION = 0, 3  # fields of RecordBatch


@dataclass(frozen=True)
class Message:
    """What the bytes [at, end) of a chunk say they are; `rows` 0 if they are no plain record batch."""

    at: int
    body_at: int
    end: int
    rows: int
    is_batch: bool


def message_at(whole: memoryview, at: int) -> Message | None:
    """The message that begins at a place, None if none can lie there."""
    try:
        mark, length = struct.unpack_from("<4sI", whole, at)
        body_at = at + _FRAME_BYTES + length
        if mark != MARK or not length or body_at > len(whole):
            return None
        head = whole[at + _FRAME_BYTES : body_at]
        message = _Table(head, *struct.unpack_from("<I", head, 0))
        end = body_at + message.number(_BODY_LENGTH, "<q")
        if not body_at <= end <= len(whole):
            return None
        is_batch, rows = message.number(_HEADER_TYPE, "<B") == _RECORD_BATCH, 0
        if is_batch and (header := message.table(_HEADER)) is not None:
            rows = header.number(_ROWS, "<q")
            # compressed: no recorder of ours does so, and nobody knows how much would come out
            is_batch = header.place(_COMPRESSION) is None and 0 <= rows <= end - body_at
        return Message(at, body_at, end, rows if is_batch else 0, is_batch)
    except struct.error:
        return None


def is_as_written(whole: memoryview, message: Message) -> bool:
    """Whether a message has the check sum that it tells."""
    head = bytes(whole[message.at : message.body_at])
    *_, told = [None, *_SUM.finditer(head)]
    if told is None:
        return False
    found = zlib.crc32(_NO_SUM, zlib.crc32(head[: told.start(1)]))
    found = zlib.crc32(whole[message.body_at : message.end], zlib.crc32(head[told.end(1) :], found))
    return found == int(told[1], 16)


def next_message(whole: memoryview, at: int, most_bytes: int) -> tuple[Message | None, int]:
    """The next message from a place on that is as it was written, and how many bytes were looked at in vain; at most
    `most_bytes`, for a file may be made of nothing but beginnings."""
    vain = 0
    for begin in _BEGIN.finditer(whole, at):
        message = message_at(whole, begin.start())
        if message is not None:
            if message.is_batch and is_as_written(whole, message):
                return message, vain
            vain += message.end - message.at
        vain += _FRAME_BYTES
        if vain > most_bytes:
            break
    return None, vain


class _Table:
    """A table of a flatbuffer.  struct.error where it leaves its bytes."""

    def __init__(self, data: memoryview, at: int) -> None:
        self._data = data
        self._at = at
        self._fields = at - self._unpack("<i", at)
        self._size = self._unpack("<H", self._fields)

    def place(self, field: int) -> int | None:
        """Where a field lies, None if it has its default."""
        entry = 4 + 2 * field
        offset = self._unpack("<H", self._fields + entry) if entry + 2 <= self._size else 0
        return self._at + offset if offset else None

    def number(self, field: int, form: str) -> int:
        place = self.place(field)
        return 0 if place is None else self._unpack(form, place)

    def table(self, field: int) -> _Table | None:
        place = self.place(field)
        return None if place is None else _Table(self._data, place + self._unpack("<I", place))

    def _unpack(self, form: str, at: int) -> int:
        if at < 0:  # which would count from the end
            raise struct.error("outside of the metadata")
        (found,) = struct.unpack_from(form, self._data, at)
        number: int = found
        return number

"""Objects between two processes of ours over a socket, with file descriptors where they are needed."""

from __future__ import annotations

import pickle
import socket
import struct
from contextlib import suppress
from threading import Lock
from typing import Any

_FRONT = struct.Struct("<Q")


class Channel:
    """One end; several threads may send, one receives."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._sending = Lock()

    def send(self, message: object, handle: int | None = None) -> None:
        """Send an object, and a descriptor with it.  OSError if nobody is there to take it."""
        data = pickle.dumps(message, protocol=5)
        with self._sending:
            front = _FRONT.pack(len(data))
            if handle is None:
                self._end.sendall(front)
            else:
                socket.send_fds(self._end, [front], [handle])
            self._end.sendall(data)

    def receive(self) -> tuple[Any, int | None]:
        """The next object and its descriptor, which is then the caller's; EOFError when the other end is closed."""
        front, handles, _, _ = socket.recv_fds(self._end, _FRONT.size, 1)
        front += self._rest(_FRONT.size - len(front))
        return pickle.loads(self._rest(_FRONT.unpack(front)[0])), (handles[0] if handles else None)

    def _rest(self, size: int) -> bytes:
        parts = []
        while size:
            part = self._end.recv(min(size, 1 << 20))
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def close(self) -> None:
        """Close this end; whoever waits at either end wakes up."""
        with suppress(OSError):
            self._end.shutdown(socket.SHUT_RDWR)
        self._end.close()

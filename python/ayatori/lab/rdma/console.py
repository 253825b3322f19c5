"""The ports of the guests' virtio consoles: what commands print, and how they ended."""

from __future__ import annotations

import selectors
import socket
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

PORTS = ("out", "err", "told")
"""Of each guest, from number 1: standard output, standard error, and what its scripts tell us."""

_BYTES = 1 << 16


class Console:
    """Waits for the guests at UNIX sockets, one a port, and hears what they say.

    The guests say "ready" when they are set up, "failed WHY" if they can't be, and "exit N" when the command has ended.
    When all are ready the first one gets the signal to go on.
    """

    def __init__(self, folders: Sequence[Path], output: BinaryIO, errors: BinaryIO) -> None:
        """`folders`: where the sockets of each guest are made."""
        self.status: int | None = None
        """The exit status of the command, once it has ended and all that it printed was passed on."""
        self.failure = ""
        """Why a guest can't be set up."""
        self._guests = len(folders)
        self._ready: set[Path] = set()
        self._streams = {"out": output, "err": errors}
        self._lines: dict[socket.socket, bytes] = {}
        self._first = folders[0]
        self._told: dict[Path, socket.socket] = {}
        self._ended: int | None = None
        self._selector = selectors.DefaultSelector()
        for folder in folders:
            folder.mkdir()
            for port in PORTS:
                listener = socket.socket(socket.AF_UNIX)
                listener.bind(str(folder / port))
                listener.listen(1)
                self._selector.register(listener, selectors.EVENT_READ, (folder, port, True))

    def __enter__(self) -> Console:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._selector.close()

    @property
    def ready(self) -> bool:
        """Whether all guests are set up."""
        return len(self._ready) == self._guests

    def listen(self, seconds: float) -> None:
        """Passes on what has come, waiting at most so long for the first of it."""
        while events := self._selector.select(seconds):
            seconds = 0
            for key, _ in events:
                folder, port, listens = key.data
                if listens:
                    self._accept(key.fileobj, folder, port)  # type: ignore[arg-type]
                else:
                    self._read(key.fileobj, folder, port)  # type: ignore[arg-type]
        self.status = self._ended

    def _accept(self, listener: socket.socket, folder: Path, port: str) -> None:
        connection, _ = listener.accept()
        self._selector.unregister(listener)
        listener.close()
        self._selector.register(connection, selectors.EVENT_READ, (folder, port, False))
        if port == "told":
            self._lines[connection] = b""
            self._told[folder] = connection

    def _read(self, connection: socket.socket, folder: Path, port: str) -> None:
        try:
            data = connection.recv(_BYTES)
        except ConnectionError:
            data = b""
        if not data:
            self._selector.unregister(connection)
            connection.close()
        elif port == "told":
            *lines, self._lines[connection] = (self._lines[connection] + data).split(b"\n")
            for line in lines:
                self._hear(line.decode("utf-8", "replace"), folder)
        else:
            self._streams[port].write(data)
            self._streams[port].flush()

    def _hear(self, line: str, folder: Path) -> None:
        word, _, rest = line.partition(" ")
        if word == "failed":
            self.failure = rest
        elif word == "exit" and rest.isdigit():
            self._ended = int(rest)
        elif word == "ready":
            self._ready.add(folder)
            if self.ready:
                self._told[self._first].sendall(b"go\n")

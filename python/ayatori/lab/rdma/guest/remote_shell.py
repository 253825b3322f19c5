"""A remote shell between the guests, which have nothing but each other: `remote_shell.py HOST COMMAND…`, as ssh.

`remote_shell.py serve` runs on the host that is called. The command goes to its shell as one line, standard output and
standard error come back, and the exit status is that of the command. A connection that ends ends the command.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
from contextlib import suppress

PORT = 76
HEADER = struct.Struct("!BI")
OUT, ERR, STATUS = range(3)
BYTES = 1 << 16


def serve() -> None:
    """Carries out commands, each in a process of its own, until the guest ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.create_server(("", PORT), backlog=64) as server:
        print("listening", flush=True)
        while True:
            connection, _ = server.accept()
            if os.fork() == 0:
                server.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                carry_out(connection)
                os._exit(0)
            connection.close()


def carry_out(connection: socket.socket) -> None:
    """One command: its two streams as they come, then its status."""
    with connection.makefile("rb") as stream:
        line = stream.readline().decode().rstrip("\n")
    command = subprocess.Popen(
        ["/bin/sh", "-c", line.replace("\0", "\n")],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert command.stdout and command.stderr
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(command.stdout, selectors.EVENT_READ, OUT)
            selector.register(command.stderr, selectors.EVENT_READ, ERR)
            selector.register(connection, selectors.EVENT_READ, None)
            while len(selector.get_map()) > 1:
                for key, _ in selector.select():
                    if key.data is None:
                        return  # the caller has gone
                    data = os.read(key.fd, BYTES)
                    if data:
                        connection.sendall(HEADER.pack(key.data, len(data)) + data)
                    else:
                        selector.unregister(key.fileobj)
        status = command.wait()
        connection.sendall(HEADER.pack(STATUS, status if status >= 0 else 128 - status))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(command.pid, signal.SIGKILL)


def call(host: str, words: list[str]) -> int:
    """Has `host` carry out a command; returns its exit status."""
    with socket.create_connection((host, PORT)) as connection, connection.makefile("rb") as stream:
        connection.sendall(" ".join(words).replace("\n", "\0").encode() + b"\n")
        while len(header := stream.read(HEADER.size)) == HEADER.size:
            kind, number = HEADER.unpack(header)
            if kind == STATUS:
                return int(number)
            target = sys.stdout.buffer if kind == OUT else sys.stderr.buffer
            target.write(stream.read(number))
            target.flush()
    print(f"{host} has ended", file=sys.stderr)
    return 255


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        serve()
    sys.exit(call(sys.argv[1], sys.argv[2:]))

"""Background traffic, as the cluster's file asks for it: one process sends and receives all of it by TCP, from
sockets in the hosts' own network namespaces."""

from __future__ import annotations

import ctypes
import json
import os
import selectors
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from ayatori.lab.cluster.layout import Layout

_CLONE_NEWNET = 0x40000000
_SO_MAX_PACING_RATE = 47
_AT_ONCE = 64 << 10
_SENT_AHEAD = 64 << 10
"""Of a flow: what waits in its sender's socket."""


def command_for(layout: Layout) -> list[str]:
    """What sends the traffic, in the namespaces that the lab has made; it writes a line when all flows go."""
    return [sys.executable, "-m", __name__, json.dumps([_as_words(layout, flow) for flow in layout.flows])]


def _as_words(layout: Layout, flow: tuple[tuple[int, int], tuple[int, int], float]) -> list[str | float]:
    (sender, leaves), (receiver, arrives), bits_per_second = flow
    addresses = [layout.hosts[host].interfaces[nic].address for host, nic in ((sender, leaves), (receiver, arrives))]
    return [layout.hosts[sender].name, layout.hosts[receiver].name, *addresses, bits_per_second / 8]


def _enter(host: str) -> None:
    """Sockets that are made from now on are in that host's network."""
    descriptor = os.open(Path("/run/netns") / host, os.O_RDONLY)
    try:
        if ctypes.CDLL(None, use_errno=True).setns(descriptor, _CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"no socket can be made on host '{host}'")
    finally:
        os.close(descriptor)


def _connected(sender: str, receiver: str, own: str, peer: str, rate: float) -> tuple[socket.socket, socket.socket]:
    """A connection that the kernel lets send so many bytes a second (its own pacing of TCP, without fq)."""
    _enter(receiver)
    with socket.create_server((peer, 0)) as listening:
        _enter(sender)
        leaving = socket.socket()
        leaving.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SENT_AHEAD)
        leaving.setsockopt(socket.SOL_SOCKET, _SO_MAX_PACING_RATE, max(1, round(rate)))
        leaving.bind((own, 0))
        leaving.connect(listening.getsockname())
        arriving = listening.accept()[0]
    for one in (leaving, arriving):
        one.setblocking(False)
    return leaving, arriving


def main(flows: Sequence[tuple[str, str, str, str, float]]) -> None:
    """Never returns."""
    waiting = selectors.DefaultSelector()
    for flow in flows:
        leaving, arriving = _connected(*flow)
        waiting.register(leaving, selectors.EVENT_WRITE)
        waiting.register(arriving, selectors.EVENT_READ)
    print("flowing", flush=True)
    data, memory = bytes(_AT_ONCE), bytearray(_AT_ONCE)
    while True:
        for key, events in waiting.select():
            assert isinstance(key.fileobj, socket.socket)
            if events & selectors.EVENT_WRITE:
                key.fileobj.send(data)
            else:
                key.fileobj.recv_into(memory)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))

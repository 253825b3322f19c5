"""The first process of a lab: `python -m ayatori.lab.cluster FILE SLOWER LOSS BURST FAULT COMMAND…`, in its own
namespaces (FAULT: a file, or nothing). It makes the hosts, runs the command on the first of them and ends with its
status, and the lab ends with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import FrameType

from ayatori import _core
from ayatori.base.errors import Error
from ayatori.lab.cluster.background import command_for
from ayatori.lab.cluster.faults import break_lab, read_faults
from ayatori.lab.cluster.layout import lay_out
from ayatori.lab.cluster.namespaces import INSIDE, core_of, make_namespaces, variables
from ayatori.lab.cluster.session import KEPT, has_netem
from ayatori.model.network import open_source

_AS_HOST = 'hostname "$1"; [ ! -f "$2" ] || . "$2"; shift 2; exec "$@"'


def main(file: str, slower: str, loss_percent: str, burst: str, fault: str, *command: str) -> int:
    running: list[int] = []  # the command's process, once there is one

    def end(number: int, _frame: FrameType | None) -> None:
        if not running:
            sys.exit(128 + number)
        if number == signal.SIGINT:
            return  # a terminal sends it to the command, too
        with suppress(ProcessLookupError):
            os.kill(running[0], number)

    for number in KEPT:
        signal.signal(number, end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, KEPT)
    network = open_source(f"cluster:{file}", purpose=_core.Purpose.sockets)
    layout = lay_out(network, float(slower), _core.interfaces_in_cluster(file))
    make_namespaces(layout, float(loss_percent), int(burst), has_netem())
    if fault:
        break_lab(read_faults(Path(fault), layout), layout, INSIDE)
    if layout.flows:
        _begin_background(command_for(layout))
    first = layout.hosts[0].name
    place = ["ip", "netns", "exec", first, "unshare", "--uts", "taskset", "-c", str(core_of(0))]
    child = subprocess.Popen(
        [*place, "sh", "-c", _AS_HOST, "sh", first, str(INSIDE / first), *command],
        env=variables() | os.environ,
    )
    running.append(child.pid)
    return _reap_until_end_of(child.pid)


def _begin_background(command: list[str]) -> None:
    """It ends with the lab's namespaces. Raises Error if it ends before."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stderr is not None
    if child.stdout.readline() != "flowing\n":
        said = child.stderr.read().strip().splitlines()
        raise Error("the background traffic did not begin", said[-1] if said else "", internal=True)


def _reap_until_end_of(pid: int) -> int:
    """The exit status of that child. The children of processes that have ended come to us, and are waited for."""
    while True:
        ended, status = os.wait()
        if ended == pid:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except Error as error:
        sys.exit(f"error: {error}" + (f"\n  caused by: {error.cause}" if error.cause else ""))

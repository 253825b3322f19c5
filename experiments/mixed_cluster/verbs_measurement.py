"""MPI's ping-pong over sockets and over verbs, on the same adapter of two virtual machines."""

from __future__ import annotations

import os
import shlex
import tempfile
from pathlib import Path
from typing import Any

from ayatori.base.errors import Error
from ayatori.calibration.measuring import compile_program, find_mpi, parse_measurement
from ayatori.lab.rdma import MachineSettings, missing_packages, prepare_parts, require_memory, run_command
from ayatori.processes import ProgramError

MPIRUN = "mpirun.mpich"
SOCKETS = "sockets (TCP)"
TRANSPORTS = (SOCKETS, "verbs, RC", "verbs, UD")
_SIZES = tuple(4**power for power in range(11))
_UCX = {SOCKETS: ("eth1", "tcp"), "verbs, RC": ("rxe0:1", "rc_v"), "verbs, UD": ("rxe0:1", "ud_v")}
"""The device, by UCX's name, and the transport."""
_SECONDS = 10
_LIMIT = 150
"""Seconds after which a program is ended."""
_ENDED_BY_TIMEOUT = 124
_MACHINES = MachineSettings(hosts=2, cpus=2, memory_mib=512, environment=os.environ)


def why_not() -> str:
    """Why no virtual machines can be made here; empty if they can."""
    if missing := missing_packages():
        return f"{', '.join(missing)} not installed"
    try:
        require_memory(_MACHINES)
        find_mpi(MPIRUN)
    except (ProgramError, Error) as error:
        return str(error)
    return ""


def measure_transport(name: str, largest: int) -> dict[str, Any]:
    """Its name, and half of a round trip in seconds by bytes, up to `largest`: the median, and the fastest tenth."""
    with tempfile.TemporaryDirectory(prefix="ayatori-sockets-") as made:
        folder = Path(made)
        compile_program(find_mpi(MPIRUN), folder)
        (folder / "run").write_text(_shell_line(name, largest), encoding="utf-8")
        with (folder / "output").open("w+b") as output, (folder / "errors").open("w+b") as errors:
            status = run_command(prepare_parts(), _MACHINES, ["sh", "run"], folder, output, errors)
            output.seek(0)
            said = output.read().decode()
    if status == _ENDED_BY_TIMEOUT:
        return {"transport": name, "failed": f"not done in {_LIMIT} s"}
    samples = parse_measurement(said).patterns.get("one_way") if status == 0 else None
    if not samples:
        raise Error("the virtual machines measured nothing", cause=f"status {status}", internal=True)
    sizes = [
        {"bytes": size, "half_round_trip_s": samples.median[size], "tenth_s": samples.tenth[size]}
        for size in sorted(samples.median)
    ]
    return {"transport": name, "sizes": sizes}


def _shell_line(name: str, largest: int) -> str:
    device, transport = _UCX[name]
    settings = {"UCX_NET_DEVICES": device, "UCX_TLS": f"{transport},self", "UCX_UD_TIMEOUT": "10m"}
    words = ["mpiexec.mpich", "-n", "2", "-ppn", "1", "-hosts", "host0,host1"]
    words += [word for variable, value in settings.items() for word in ("-genv", variable, value)]
    words += ["./calibrate", "--ping-pong", str(_SECONDS)]
    until = f'"$(($(date +%s) + {_LIMIT}))"'
    sizes = " ".join(str(size) for size in _SIZES if size <= largest)
    return f"timeout {_LIMIT} {shlex.join(words)} {until} {sizes}\n"

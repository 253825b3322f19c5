"""One sweep of OpenSM over a simulated fabric."""

from __future__ import annotations

import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from ayatori.base.files import read_text
from ayatori.lab.fabric.opensm_log import NO_ENGINE, UP, GrowingLog, OpensmLog, few, parse_opensm_log
from ayatori.lab.fabric.tables import parse_guid2lid
from ayatori.processes import Child, ProgramError, find_program, last_line, run_program

# Errors, information and verbose messages: the file engine reports switches that it skips as verbose ones.
_LOG_FLAGS = 0x07
_DUMP_ROUTING = 0x40

# OpenSM reacts to a signal only between sweeps, by default every 10 s.
_SWEEP_SECONDS = "1"
_POLL_SECONDS = 0.02

_PORT_GUID = re.compile(r" PortGUID:([0-9a-fA-F]+) ")

_END = re.compile(r"\{ (\S+) Ports:\S+ SystemGUID:\S+ NodeGUID:(\S+) PortGUID:(\S+) .*?\} LID:(\w+) PN:")

# Every file that OpenSM would read from /etc/opensm by default.
_CONFIG_FILES = (
    "partition_config_file",
    "per_module_logging_file",
    "prefix_routes_file",
    "qos_policy_file",
    "torus_config",
)


@dataclass(frozen=True)
class OpensmRun:
    """How one sweep went.

    `engine` is the one that routed. `refusal` says why another one than the requested one did, and is empty otherwise.
    `errors` and `warnings` are the first lines of their kind in the log. `seconds` is the time from OpenSM's start to
    its end. The paths are OpenSM's own files in the lab's private folder, and are removed with it.
    """

    engine: str
    refusal: str
    lmc: int
    seconds: float
    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    folder: Path

    @property
    def subnet(self) -> Path:
        """Every link with both ends, and their LIDs."""
        return self.folder / "opensm-subnet.lst"

    @property
    def mcfdbs(self) -> Path:
        """The multicast tables as ibdmchk reads them."""
        return self.folder / "opensm.mcfdbs"

    @property
    def guid2lid(self) -> Path:
        """The LIDs of every port: PORT_GUID MIN MAX."""
        return self.folder / "guid2lid"

    @property
    def path_sls(self) -> Path:
        """The service level of each path between two adapters, as the SA answered, in the format of ibdmchk."""
        return self.folder / "path-sl"

    @property
    def sl_to_vl(self) -> Path | None:
        """The SL-to-VL mappings of all switches; None if OpenSM set none, as it does without QoS."""
        file = self.folder / "opensm-sl2vl.dump"
        return file if file.exists() else None

    @property
    def lfts_dump(self) -> str:
        """The tables that OpenSM sent to the switches, as its file engine would read them again."""
        return read_text(self.folder / "opensm-lfts.dump")


def adapters_of(subnet: str) -> dict[int, tuple[int, int]]:
    """The port GUID of each channel adapter in opensm-subnet.lst, with its node GUID and LID."""
    ends = (end for end in _END.findall(subnet) if end[0].startswith("CA"))
    return {int(port, 16): (int(node, 16), int(lid, 16)) for _, node, port, lid in ends}


def manager_of(subnet: str) -> int:
    """The LID of the port that the subnet manager runs on, from opensm-subnet.lst."""
    return next(int(lid, 16) for kind, _, _, lid in _END.findall(subnet) if kind.endswith("-SM"))


@dataclass(frozen=True)
class SweepOptions:
    """What some sweeps do more.

    `arguments` are options that the engine needs, such as "-a" and a file of root GUIDs. With `ask_paths` the SA is
    asked for the service level of each path (`OpensmRun.path_sls`), which takes a query for each pair of ports. `watch`
    is called again and again meanwhile; what it raises ends OpenSM.
    """

    arguments: tuple[str | Path, ...] = ()
    ask_paths: bool = False
    watch: Callable[[], None] = lambda: None


@dataclass(frozen=True)
class OpensmRequest:
    """The arguments of SimulatedFabric.run_opensm."""

    engine: str
    tables: Path | None
    lmc: int
    guid2lid: Path | None
    fallback: bool
    dumps: bool
    timeout: float
    arguments: tuple[str | Path, ...] = ()
    ask: Callable[[Path], None] | None = None
    """Called with the folder of the run once the subnet is up; OpenSM answers queries until it returns."""


def run_opensm(
    request: OpensmRequest, folder: Path, environment: Mapping[str, str], check: Callable[[], None]
) -> OpensmRun:
    """Runs one sweep in the new folder `folder`.

    `environment` makes OpenSM a client of the simulator; `check` raises if the simulator has ended.

    Raises ProgramError: see SimulatedFabric.run_opensm.
    """
    program = find_program("opensm", "opensm")
    folder.mkdir()
    if request.guid2lid:
        _copy(request.guid2lid, folder / "guid2lid")
    log = folder / "osm.log"
    growing = GrowingLog(log)

    def watch() -> None:
        check()
        if any(NO_ENGINE in line for line in growing.new_lines()):
            _refuse(request, parse_opensm_log(read_text(log)))

    start = time.monotonic()
    argv = [program, *_arguments(request, folder)]
    variables = {**environment, "OSM_TMP_DIR": str(folder), "OSM_CACHE_DIR": str(folder)}
    output = folder / "osm.out"
    if request.ask is None:
        status = run_program(
            argv, folder=folder, environment=variables, output=output, timeout=request.timeout, watch=watch
        )
    else:
        with _running(argv, folder, variables, request.timeout, watch) as status:
            if status == 0:
                request.ask(folder)
    seconds = time.monotonic() - start
    said = parse_opensm_log(read_text(log) if log.exists() else "")
    engine = _engine_used(request, said, status, folder)
    done = OpensmRun(engine, said.refusal, request.lmc, seconds, said.errors, said.warnings, folder)
    if not request.guid2lid:
        return done
    _check_lids(request.guid2lid, done.guid2lid)
    return replace(done, warnings=(*done.warnings, *_unknown_ports(request.guid2lid, done.subnet)))


@contextmanager
def _running(
    argv: list[str | Path], folder: Path, environment: Mapping[str, str], timeout: float, watch: Callable[[], None]
) -> Iterator[int]:
    """OpenSM from the moment when the subnet is up; yields 0, or its exit status if it ended before.

    Raises ProgramError if the subnet is not up after `timeout` seconds, and what `watch` raises.
    """
    log = GrowingLog(folder / "osm.log")
    deadline = time.monotonic() + timeout
    child = Child(argv, folder=folder, environment=environment, output=folder / "osm.out")
    try:
        while not any(line.endswith(UP) for line in log.new_lines()):
            watch()
            if (status := child.wait(_POLL_SECONDS)) is not None:
                yield status
                return
            if time.monotonic() > deadline:
                raise ProgramError(f"opensm did not end within {timeout:g} s", hint="give it more time")
        yield 0
    finally:
        child.stop()


def _arguments(request: OpensmRequest, folder: Path) -> list[str | Path]:
    config = folder / "opensm.conf"
    absent = folder / "absent"
    config.write_text("".join(f"{key} {absent}\n" for key in _CONFIG_FILES), encoding="utf-8")
    engine = request.engine if request.fallback else f"{request.engine},no_fallback"
    flags = _LOG_FLAGS | (_DUMP_ROUTING if request.dumps else 0)
    return [
        *("-F", config, "-f", folder / "osm.log", "-D", f"{flags:#x}"),
        *(() if request.ask else ("-o",)),
        *("-s", _SWEEP_SECONDS, "-R", engine, "-l", str(request.lmc)),
        *(("-U", request.tables.resolve()) if request.tables else ()),
        *(("-x",) if request.guid2lid else ()),
        *request.arguments,
    ]


def _engine_used(request: OpensmRequest, said: OpensmLog, status: int, folder: Path) -> str:
    """The engine that routed. Raises ProgramError unless the subnet came up with routes."""
    if said.refusal and not said.engine:
        _refuse(request, said)
    cause = said.errors[0] if said.errors else last_line(folder / "osm.out")
    if status < 0:
        raise ProgramError(f"OpenSM was killed by {signal.Signals(-status).name}", cause)
    if not said.up:
        raise ProgramError(f"OpenSM ended with status {status}, and the subnet is not up", cause)
    if not said.engine:
        raise ProgramError("OpenSM routed nothing", "it saw no switch")
    return said.engine


def _refuse(request: OpensmRequest, said: OpensmLog) -> NoReturn:
    what = f"the tables {request.tables}" if request.tables else f"to route with {request.engine}"
    raise ProgramError(f"OpenSM refused {what}", said.refusal)


def _check_lids(wanted: Path, given: Path) -> None:
    """Raises ProgramError if a port of the fabric got other LIDs than those wanted."""
    got = parse_guid2lid(read_text(given))
    wrong = [
        f"0x{guid:016x} got LIDs {got[guid][0]}-{got[guid][1]}, not {low}-{high}"
        for guid, (low, high) in parse_guid2lid(read_text(wanted)).items()
        if got.get(guid, (low, high)) != (low, high)
    ]
    if wrong:
        hint = "give each port an aligned range of 2^LMC LIDs that no other port has"
        raise ProgramError(f"OpenSM did not honour {wanted}", "; ".join(few(wrong)), hint)


def _unknown_ports(wanted: Path, subnet: Path) -> tuple[str, ...]:
    """A line for each port of a guid2lid file that the fabric lacks, for example since ibsim changes port GUIDs."""
    known = {int(guid, 16) for guid in _PORT_GUID.findall(read_text(subnet))}
    return few(
        f"{wanted.name}: no port 0x{guid:016x}" for guid in parse_guid2lid(read_text(wanted)) if guid not in known
    )


def _copy(source: Path, target: Path) -> None:
    try:
        shutil.copyfile(source, target)
    except OSError as error:
        raise ProgramError(f"can't read {source}: {error.strerror}") from error

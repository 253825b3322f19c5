"""A simulated InfiniBand fabric with real management software on it."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Literal

from typing_extensions import Self

from ayatori.base.files import read_text
from ayatori.lab.fabric.ibdmchk import IbdmchkReport, run_ibdmchk
from ayatori.lab.fabric.net_file import parse_net_file
from ayatori.lab.fabric.opensm import (
    OpensmRequest,
    OpensmRun,
    SweepOptions,
    adapters_of,
    manager_of,
    run_opensm,
)
from ayatori.lab.fabric.opensm_log import few
from ayatori.lab.fabric.simulator import Simulator, child_environment, find_preload
from ayatori.lab.fabric.tables import complete_lfts, parse_mad_bytes
from ayatori.processes import ProgramError, find_program, last_line, run_program

Engine = Literal["minhop", "updn", "dnup", "ftree", "lash", "dor", "torus-2QoS", "nue", "dfsssp", "sssp", "file"]

_DIAGNOSTICS = "infiniband-diags"
_ADAPTER = "ibsim0"  # named, since /etc/infiniband-diags/ibdiag.conf, which is always read, may name a real one
_MAX_LMC = 7
_UNICAST_LIDS = 0xBFFF
_LFT_ATTRIBUTE = "0x19"
_PATHS_SECONDS = 300.0
_USUAL_SWEEP = SweepOptions()


def _make_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder that is removed when this process ends, also by a signal that arrives while the folder is made."""
    waiting = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        return tempfile.TemporaryDirectory(prefix="ayatori-lab-")
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, waiting)


class SimulatedFabric:
    """ibsim with one fabric, from `with` to the end of its block.

    Programs run as if on the device `host`. All files go to the private folder `folder`, which is removed at the end
    of the block with the files of the results. OpenSM also writes to syslog, and ibdmchk leaves a report in
    /var/cache/ibutils when root runs it; neither has an option against that.

    Every process ends with the block, and with this process even if that is killed (the folder then stays). The
    thread that enters the block must live until the block ends. Any number of fabrics may run at the same time, each
    used by one thread at a time.
    """

    def __init__(self, net_text: str) -> None:
        """Takes a fabric in the syntax of ibnetdiscover or ibsim; nothing runs yet.

        Raises ProgramError for what ibsim would cut or skip.
        """
        self._text = net_text
        self._net = parse_net_file(net_text)
        self.host = self._net.host()
        self._runs = 0

    def __enter__(self) -> Self:
        """Starts ibsim and waits until it answers.

        Raises ProgramError if a program is missing, or ibsim refuses the fabric.
        """
        self._preload = find_preload()
        self._folder = _make_folder()
        self.folder = Path(self._folder.name).resolve()
        try:
            self._simulator = Simulator(self._text, self._net, self.folder)
        except BaseException:
            self._folder.cleanup()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends ibsim and removes the folder."""
        try:
            self._simulator.stop()
        finally:
            self._folder.cleanup()

    @property
    def pid(self) -> int:
        """ibsim's process id."""
        return self._simulator.pid

    def warnings(self) -> tuple[str, ...]:
        """Problems of the fabric: devices that no program will see, and warnings of ibsim itself.

        ibsim 0.10 warns of every NDR link: it does not know that speed and shows such links as SDR.
        """
        lost = few(self._net.unreachable_from(self.host))
        note = f'these devices cannot be reached from "{self.host}": {", ".join(lost)}'
        return (*((note,) if lost else ()), *self._simulator.warnings)

    def environment(self) -> dict[str, str]:
        """The variables that a program which uses libibumad needs in addition, to run as if on the device `host`.

        Such a program makes a folder sys-PID in its working directory: start it in `folder`. ibsim serves ten
        programs at a time.
        """
        preloads = (str(self._preload), os.environ.get("LD_PRELOAD", ""))
        return {
            "LD_PRELOAD": ":".join(filter(None, preloads)),
            "SIM_HOST": self.host,
            "IBSIM_SOCKNAME": self._simulator.socket_name,
            "IBSIM_SERVER_NAME": "",  # any name here would mean an ibsim on another machine
        }

    def run_opensm(
        self,
        engine: Engine = "minhop",
        *,
        tables: Path | None = None,
        lmc: int = 0,
        guid2lid: Path | None = None,
        fallback: bool = False,
        dumps: bool = True,
        timeout: float = 60.0,
        more: SweepOptions = _USUAL_SWEEP,
    ) -> OpensmRun:
        """Runs one sweep of OpenSM: it discovers the fabric, gives LIDs, and writes tables into the switches.

        `tables` is the LFT file of engine "file". Every end port gets 2^lmc LIDs, those of `guid2lid` where that file
        names the port. LIDs that ports have already, from the fabric's text or an earlier sweep, are kept if they fit.
        With `fallback` OpenSM routes with minhop where the engine gives up, and the result says so. Without `dumps` it
        writes none of the tables that `lfts_dump` and ibdmchk read, which take gigabytes for ten thousand hosts.

        Raises ProgramError if the LIDs cannot suffice, OpenSM refuses the tables or the fabric, gives other LIDs than
        those of `guid2lid`, does not bring the subnet up, or takes longer than `timeout` seconds.
        """
        if (engine == "file") != (tables is not None):
            raise ValueError('engine "file" and tables belong together')
        self._check_lids(lmc)
        ask = self._ask_paths if more.ask_paths else None
        request = OpensmRequest(engine, tables, lmc, guid2lid, fallback, dumps, timeout, more.arguments, ask)

        def watched() -> None:
            self._simulator.check()
            more.watch()

        return run_opensm(request, self._new("opensm"), self._variables(), watched)

    def discover(self, *, timeout: float = 60.0) -> str:
        """What ibnetdiscover finds by MADs: nodes, links and LIDs as they are now.

        Its port GUIDs are ibsim's: node GUID plus port number, whatever the fabric's text says.

        Raises ProgramError if a MAD is not answered, or after `timeout` seconds.
        """
        return self._ask("ibnetdiscover", "--node-name-map", os.devnull, timeout=timeout)

    def read_tables(self, *, timeout: float = 60.0) -> str:
        """The LFT of every switch as dump_fts reads it by MADs; parse_lfts understands it.

        Raises ProgramError if a MAD is not answered, or after `timeout` seconds for one program.
        """

        def read_block(path: str, block: int) -> list[int]:
            answer = self._ask("smpdump", "-D", path, _LFT_ATTRIBUTE, str(block), timeout=timeout)
            if (entries := parse_mad_bytes(answer)) is None:
                raise ProgramError(f"the switch at {path} did not answer", f"no LFT block {block}")
            return entries

        return complete_lfts(self._ask("dump_fts", "--node-name-map", os.devnull, timeout=timeout), read_block)

    def ibdmchk(self, opensm: OpensmRun, *, timeout: float = 60.0, lanes: bool = False) -> IbdmchkReport:
        """Has ibdmchk check the paths and credit loops of a sweep of this fabric.

        With `lanes` it looks for loops over the VLs of the paths, which `ask_paths` asked for.

        Raises ProgramError if ibdmchk gives no verdict, or takes longer than `timeout` seconds for one path.
        """
        return run_ibdmchk(opensm, self._new("ibdmchk"), child_environment(), timeout, lanes)

    def _ask_paths(self, folder: Path) -> None:
        """Writes the service levels of all paths into the folder of a sweep whose OpenSM runs."""
        subnet = read_text(folder / "opensm-subnet.lst")
        ports, output = folder / "ports", folder / "path-records.out"
        lines = (f"{guid:#018x} {lid}\n" for guid, (_, lid) in adapters_of(subnet).items())
        ports.write_text("".join(lines), encoding="utf-8")
        status = run_program(
            [sys.executable, "-m", "ayatori.lab.fabric.path_records", _ADAPTER, str(manager_of(subnet))]
            + [str(ports), str(folder / "path-sl")],
            folder=self.folder,
            environment=os.environ | self.environment(),
            output=output,
            timeout=_PATHS_SECONDS,
            watch=self._simulator.check,
        )
        if status != 0:
            raise ProgramError("OpenSM's SA does not answer", last_line(output) or f"status {status}")

    def _ask(self, name: str, *arguments: str, timeout: float) -> str:
        """The output of a diagnostic program.

        Raises ProgramError if it printed any error, since its output is incomplete then.
        """
        program = find_program(name, _DIAGNOSTICS)
        output, errors = self._new(name), self._new(f"{name}-errors")
        status = run_program(
            [program, "-C", _ADAPTER, *arguments],
            folder=self.folder,
            environment=self._variables(),
            output=output,
            errors=errors,
            timeout=timeout,
            watch=self._simulator.check,
        )
        if status != 0 or errors.stat().st_size:
            raise ProgramError(f"{name} could not read the fabric", last_line(errors) or f"status {status}")
        return read_text(output)

    def _variables(self) -> dict[str, str]:
        return child_environment() | self.environment()

    def _new(self, name: str) -> Path:
        """A path in our folder that is not used yet."""
        self._runs += 1
        return self.folder / f"{self._runs}-{name}"

    def _check_lids(self, lmc: int) -> None:
        if not 0 <= lmc <= _MAX_LMC:
            raise ProgramError(f"LMC {lmc} does not exist", hint=f"0 to {_MAX_LMC}")
        lids = (self._net.end_ports << lmc) + self._net.switches
        if lids > _UNICAST_LIDS:
            cause = f"{self._net.end_ports} ports with 2^{lmc} LIDs and {self._net.switches} switches want {lids} LIDs"
            raise ProgramError(f"LMC {lmc} does not fit", f"{cause}, there are {_UNICAST_LIDS}", "a smaller LMC")

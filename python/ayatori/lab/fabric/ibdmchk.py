"""ibdmchk: a second opinion, independent of OpenSM and of us, on paths and credit loops."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from ayatori.base.files import read_text
from ayatori.lab.fabric.opensm import OpensmRun, adapters_of
from ayatori.lab.fabric.tables import parse_lfts
from ayatori.processes import ProgramError, find_program, last_line, run_program

_LID = re.compile(r"(\{ (\S+) Ports:.*?\} LID:)([0-9A-Fa-f]+)(?= PN:)")
_SWITCHES = ("SW", "SW-SM")  # -SM: the subnet manager runs there
_SCANNED = re.compile(r"-I- Scanned:(\d+) CA to CA paths")
_MISSING = re.compile(r"-E- Found (\d+) missing paths out of:(\d+) paths")
_NO_LOOPS = "-I- no credit loops found"
_LOOPS = "-E- credit loops in routing"
_HEADING = re.compile(r"(Switch|Channel Adapter) (0x[0-9a-f]+),")
_MAPPING = re.compile(r"(\d+)\s+(\d+)\s*:((?:\s+\d+){16})\s*$")
_LOOP_PART = re.compile(r"(?:Found credit loop on|- BT credit loop through): (\S+)")


@dataclass(frozen=True)
class PathCheck:
    """The verdict on the paths to LID number `path` of every port, counted from its base LID.

    `pairs` are the ordered pairs of ports that were traced, `missing` those that the tables do not connect.
    `credit_loop` are the ports of one credit loop, empty if there is none, None if ibdmchk did not look since paths
    are missing.
    """

    path: int
    pairs: int
    missing: int
    credit_loop: tuple[str, ...] | None


@dataclass(frozen=True)
class IbdmchkReport:
    """The verdicts on all paths that differ.

    A credit loop that only two paths together close is not seen: each path is checked by itself.
    """

    checks: tuple[PathCheck, ...]

    @property
    def paths_ok(self) -> bool:
        """Whether every port reaches every other one, on every path."""
        return all(check.missing == 0 for check in self.checks)

    @property
    def credit_loop_free(self) -> bool:
        """Whether no path by itself has a credit loop; False also if that was not looked for."""
        return all(check.credit_loop == () for check in self.checks)


def run_ibdmchk(
    opensm: OpensmRun, folder: Path, environment: Mapping[str, str], timeout: float, lanes: bool = False
) -> IbdmchkReport:
    """Checks each path that carries tables of its own; files go to the new folder `folder`.

    ibdmchk misreads LMC > 0, so it is given path j as a fabric with LMC 0 whose adapters have only their LID
    number j. As its time grows with the highest LID, the LIDs that remain are renumbered from 1. With `lanes` each path
    has the SL that the SA answered, and the VLs that switches give it; that is known of LMC 0 alone.

    Raises ProgramError if ibdmchk is missing, gives no verdict, or takes longer than `timeout` seconds for one path.
    """
    program = find_program("ibdmchk", "ibutils")
    folder.mkdir()
    subnet, tables = read_text(opensm.subnet), parse_lfts(opensm.lfts_dump)
    ends = [(kind, int(lid, 16)) for _, kind, lid in _LID.findall(subnet)]
    base_lids = {lid for kind, lid in ends if kind not in _SWITCHES}
    checks = []
    for path in different_paths(tables, base_lids, opensm.lmc):
        links, fdbs, output = (folder / f"path-{path}.{kind}" for kind in ("lst", "fdbs", "out"))
        lids = sorted({_raised(kind, lid, path) for kind, lid in ends})
        numbers = {lid: number for number, lid in enumerate(lids, 1)}
        links.write_text(format_links(subnet, path, numbers), encoding="utf-8")
        fdbs.write_text(format_fdbs(tables, numbers), encoding="utf-8")
        argv: list[str | Path] = [program, "-l", "0", "-s", links, "-f", fdbs, "-m", opensm.mcfdbs]
        if lanes:
            argv += _lane_arguments(opensm, folder, subnet, numbers)
        # The exit status says nothing: ibdmchk 1.5.7 often crashes when it frees its memory, after its last line.
        run_program(argv, folder=folder, environment=environment, output=output, timeout=timeout)
        checks.append(_verdict(path, output))
    return IbdmchkReport(tuple(checks))


def _lane_arguments(opensm: OpensmRun, folder: Path, subnet: str, numbers: Mapping[int, int]) -> list[str | Path]:
    """The files of SLs, and of VLs if there is one, in ibdmchk's formats."""
    levels = folder / "psl"
    levels.write_text(format_path_sls(read_text(opensm.path_sls), adapters_of(subnet), numbers), encoding="utf-8")
    if opensm.sl_to_vl is None:
        return ["-c", levels]
    lanes = folder / "slvl"
    lanes.write_text(format_sl_to_vl(read_text(opensm.sl_to_vl)), encoding="utf-8")
    return ["-c", levels, "-d", lanes]


def format_path_sls(text: str, adapters: Mapping[int, tuple[int, int]], numbers: Mapping[int, int]) -> str:
    """Lines "0xGUID DLID SL" with node GUIDs instead of port GUIDs, and LIDs replaced by their numbers."""
    lines = (line.split() for line in text.split("\n") if line)
    return "".join(f"{adapters[int(guid, 0)][0]:#018x} {numbers[int(lid)]} {sl}\n" for guid, lid, sl in lines)


def format_sl_to_vl(dump: str) -> str:
    """opensm-sl2vl.dump as ibdmchk reads it best: a line for each pair of a switch's ports."""
    lines, switch = [], ""
    for line in dump.split("\n"):
        if heading := _HEADING.match(line):
            switch = heading[2] if heading[1] == "Switch" else ""
        elif switch and (entry := _MAPPING.match(line)):
            lanes = [f"{int(lane):x}" for lane in entry[3].split()]
            pairs = " ".join(f"0x{first}{second}" for first, second in zip(lanes[::2], lanes[1::2], strict=True))
            lines.append(f"{switch} {entry[1]} {entry[2]} {pairs}\n")
    return "".join(lines)


def different_paths(tables: Mapping[int, Mapping[int, int]], base_lids: Collection[int], lmc: int) -> list[int]:
    """The paths 0 .. 2^lmc - 1 without those whose table entries repeat an earlier path's.

    `tables` are switch to LID to port, `base_lids` the base LIDs of all channel adapters and routers.
    """
    lids = sorted(base_lids)
    first: dict[tuple[int | None, ...], int] = {}
    for path in range(1 << lmc):
        entries = tuple(table.get(lid + path) for table in tables.values() for lid in lids)
        first.setdefault(entries, path)
    return list(first.values())


def format_links(subnet: str, path: int, numbers: Mapping[int, int]) -> str:
    """OpenSM's opensm-subnet.lst with LID number `path` of every adapter, and LIDs replaced by their numbers."""

    def replaced(end: re.Match[str]) -> str:
        return f"{end[1]}{numbers[_raised(end[2], int(end[3], 16), path)]:04X}"

    return _LID.sub(replaced, subnet)


def format_fdbs(tables: Mapping[int, Mapping[int, int]], numbers: Mapping[int, int]) -> str:
    """The entries of the LIDs that have a number, as in OpenSM's opensm.fdbs, without the hops that nobody reads."""
    return "".join(
        f"dump_ucast_routes: Switch 0x{guid:016x}\nLID    : Port : Hops : Optimal\n"
        + "".join(f"0x{numbers[lid]:04X} : {port:03d}  : 00   : yes\n" for lid, port in table.items() if lid in numbers)
        for guid, table in tables.items()
    )


def _raised(kind: str, lid: int, path: int) -> int:
    """The LID of a node's path; a switch has one LID for all."""
    return lid if kind in _SWITCHES else lid + path


def parse_ibdmchk(path: int, text: str) -> PathCheck | None:
    """Reads ibdmchk's verdict on path number `path`; None if its output has none."""
    if missing := _MISSING.search(text):
        return PathCheck(path, int(missing[2]), int(missing[1]), None)
    scanned = _SCANNED.search(text)
    if not scanned or (_NO_LOOPS not in text and _LOOPS not in text):
        return None
    loop = tuple(_LOOP_PART.findall(text)) if _LOOPS in text else ()
    return PathCheck(path, int(scanned[1]), 0, loop)


def _verdict(path: int, output: Path) -> PathCheck:
    if check := parse_ibdmchk(path, read_text(output)):
        return check
    raise ProgramError("ibdmchk gave no verdict", last_line(output))

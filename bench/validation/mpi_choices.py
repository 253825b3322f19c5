"""What MPI libraries send in their collectives, by ranks and size: writes python/ayatori/planning/mpi_traffic.json.

Each library calls each collective with each size and number of ranks; its messages (from whom, to whom, how many bytes,
in which order between two ranks) are compared with those of all of our algorithms. Which messages wait for others is
seen where one rank makes its call late: what the others send before is what our schedule lets them send. Of algorithms
that do both alike, the one that does so at the most sizes is written down. Sizes are powers of two. Where none sends
the same, the output names the cell, and the rule of the next smaller size holds. Without --lab, Open MPI's and Intel
MPI's ranks are on one host; with it, on the hosts of a lab, one on each. MPICH's always believe that.

    python -m bench.validation.mpi_choices [--mpi openmpi,mpich,build/mpich-5.0.2] [--ranks 2..16] [--lab] [--check]

With --check nothing is written: cells in which the table says something else are printed, and the status is 1. With
--page, docs/traffic.md gets what the table has of 16 ranks, and nothing is run.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from ayatori._core import Schedule, placement_of_ranks
from ayatori.base.errors import Error
from ayatori.base.units import format_bytes
from ayatori.mpi_tables.catalogue import our_collective
from ayatori.mpi_tables.tables import MPIS
from ayatori.planning.mpi_traffic import COLLECTIVES, TABLE, known_mpis
from ayatori.prediction.calls import Call, algorithms_of, make_schedule
from ayatori.prediction.predictor import PATH_AWARE
from bench.harness.installed_mpi import InstalledMpi
from bench.harness.programs import ROOT, output_of
from bench.validation.mpi_traffic import Cell, Program, Traffic, is_there, traffic_of

LEAST, MOST = 8, 1 << 20
MOST_OF_ALL = 16 << 20
"""Of an allreduce, whose size is that of the whole vector."""
MEMORY = 1 << 30
"""Of the buffers of all ranks: larger calls are left out."""
LATE = 0
"""The rank that makes its call late."""
LATE_MS = (100, 400, 1600)
"""By so much; by more where the others have not come so far that an algorithm fits."""
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH", "intel": "Intel MPI"}
EACH_ON_A_HOST = {"mpich": {"MPIR_CVAR_NOLOCAL": "1"}}

PAGE = ROOT / "docs" / "traffic.md"
BEGIN = "<!-- Made by `python -m bench.validation.mpi_choices --page`. -->\n"
END = "<!-- End of what is made. -->\n"

Rules = list[list[Any]]
"""[[first size, algorithm], …]."""


def sizes_of(collective: str, ranks: int) -> list[int]:
    most = MOST_OF_ALL if collective == "allreduce" else MOST
    blocks = 1 if collective == "allreduce" else ranks
    sizes = [LEAST << power for power in range(most.bit_length())]
    return [size for size in sizes if size <= most and 2 * blocks * ranks * size <= MEMORY]


@cache
def schedule_of(collective: str, algorithm: str, size: int, ranks: int) -> Schedule | None:
    """None: the algorithm can't do it."""
    try:
        return make_schedule(Call(collective, algorithm, size), placement_of_ranks(ranks, 1))
    except Error:
        return None


def sent_early(schedule: Schedule, late: int, waits_for_sends: bool) -> set[tuple[int, int, int]]:
    """Sender, receiver and number (among those of the pair, from 0) of the messages that are sent before rank `late`
    begins. `waits_for_sends`: a step is over only when its sends have met their receives, as with long messages."""
    lanes = [
        (rank, stream) for rank in range(schedule.ranks) if rank != late for stream in range(schedule.stream_count)
    ]
    done = dict.fromkeys(lanes, -1)
    begun: dict[bool, Counter[tuple[int, int, int]]] = {True: Counter(), False: Counter()}
    needed: dict[tuple[int, int], list[tuple[bool, tuple[int, int, int], int]]] = {}
    going = True
    while going:
        going = False
        for lane in lanes:
            if any(begun[kind][channel] < count for kind, channel, count in needed.get(lane, [])):
                continue
            step, (rank, stream) = done[lane] + 1, lane
            if step == schedule.step_count(stream):
                continue
            done[lane], needed[lane], going = step, [], True
            actions = schedule.actions(rank, stream, step)
            for is_send, messages in ((True, actions.sends), (False, actions.receives)):
                for message in messages:
                    pair = (rank, message.peer) if is_send else (message.peer, rank)
                    channel = (*pair, stream)
                    begun[is_send][channel] += 1
                    if not is_send or waits_for_sends:
                        needed[lane].append((not is_send, channel, begun[is_send][channel]))
    totals = Counter[tuple[int, int]]()
    for (sender, receiver, _), count in begun[True].items():
        totals[sender, receiver] += count
    return {(*pair, number) for pair, count in totals.items() for number in range(count)}


def candidates(family: str, collective: str) -> Iterator[str]:
    """Algorithms to compare with: first those of the library that have no parameters, then all others."""
    of_library = [one for one in MPIS[family].algorithms if our_collective(one.collective) == collective]
    own = [one.schedule for one in of_library if not one.schedule_radix]
    known = [algorithm.name for algorithm in algorithms_of(collective)]
    yield from dict.fromkeys(name for name in (*own, *known) if name != PATH_AWARE)


@cache
def algorithms_sending(family: str, cell: Cell, ranks: int, sent: str) -> dict[str, Schedule]:
    """Names of the algorithms that send the same messages. `sent` is the traffic as JSON."""
    found = {}
    for name in candidates(family, cell.collective):
        schedule = schedule_of(cell.collective, name, cell.bytes, ranks)
        if schedule is not None and as_json(traffic_of(Call(cell.collective, name, cell.bytes), ranks)) == sent:
            found[name] = schedule
    return found


def as_json(traffic: Traffic) -> str:
    """Whether a library sends nothing as a message, or not at all, makes no traffic."""
    full = {pair: [size for size in sizes if size > 0] for pair, sizes in traffic.items()}
    return json.dumps(sorted([*pair, sizes] for pair, sizes in full.items() if sizes))


def possible_early(schedule: Schedule) -> list[set[tuple[int, int, int]]]:
    return [sent_early(schedule, LATE, waits) for waits in (False, True)]


def alike_in(family: str, program: Program, ranks: int) -> dict[Cell, set[str]]:
    """By call the algorithms that send the same, and let others wait alike."""
    cells = [Cell(collective, size) for collective in COLLECTIVES for size in sizes_of(collective, ranks)]
    environment = EACH_ON_A_HOST.get(family, {})
    sent = program.traffic(ranks, cells, environment)
    if len(program.seen(ranks)) != ranks * (ranks - 1):
        raise Error(f"only messages of {len(program.seen(ranks))} pairs of ranks are seen", internal=True)
    same = {
        cell: algorithms_sending(family, cell, ranks, as_json(traffic))
        for cell, traffic in zip(cells, sent, strict=True)
    }
    found = {cell: set(schedules) for cell, schedules in same.items()}
    early = {cell: {name: possible_early(one) for name, one in own.items()} for cell, own in same.items()}
    open_ones = [cell for cell, own in early.items() if len({str(each) for each in own.values()}) > 1]
    for late_ms in LATE_MS:
        seen = program.traffic(ranks, [replace(cell, late=LATE) for cell in open_ones], environment, late_ms)
        for cell, traffic in list(zip(open_ones, seen, strict=True)):
            messages = {(*pair, number) for pair, sizes in traffic.items() for number in range(len(sizes))}
            found[cell] = {name for name, possible in early[cell].items() if messages in possible}
            if found[cell]:
                open_ones.remove(cell)
        if not open_ones:
            break
    return found


def rules_of(family: str, alike: dict[int, dict[Cell, set[str]]]) -> dict[str, dict[str, Rules]]:
    """By collective and ranks the sizes at which the algorithm changes. Without a collective of which none of our
    algorithms sends some size: a plan would be for other messages."""
    found: dict[str, dict[str, Rules]] = {}
    for collective in COLLECTIVES:
        order = list(candidates(family, collective))
        times = Counter(
            name
            for own in alike.values()
            for cell, names in own.items()
            if cell.collective == collective
            for name in names
        )
        by_ranks: dict[str, Rules] = {}
        is_known = True
        for ranks, own in alike.items():
            rules = by_ranks[str(ranks)] = []
            for cell, names in own.items():
                if cell.collective != collective:
                    continue
                if not names:
                    print(f"{ranks} ranks: {collective} of {cell.bytes} bytes is sent by none of our algorithms")
                    is_known = False
                    continue
                name = max(names, key=lambda one: (times[one], -order.index(one)))
                if not rules or rules[-1][1] != name:
                    rules.append([cell.bytes, name])
        if is_known:
            found[collective] = by_ranks
    return found


def version_of(mpi: InstalledMpi) -> str:
    said = output_of([mpi.launcher[0], "--version"], environment=mpi.variables)
    found = re.search(r"\d+\.\d+(\.\d+)*", said)
    if found is None:
        raise Error(f"{mpi.word} says no version", internal=True)
    return found[0]


def looked_at(mpi: InstalledMpi, ranks: Sequence[int], on_hosts: bool) -> dict[str, Any]:
    """An entry of the table."""
    version = version_of(mpi)
    alike = {}
    with tempfile.TemporaryDirectory() as name:
        program = Program(mpi, Path(name), on_hosts)
        for number in ranks:
            alike[number] = alike_in(mpi.family, program, number)
            print(f"{mpi.name} {version}: {number} ranks", flush=True)
    library = "intel" if mpi.is_intels else mpi.family
    entry = {"library": library, "version": ".".join(version.split(".")[:2])}
    return {
        **entry,
        "title": f"{NAMES[library]} {version}",
        "seen": "trace",
        "collectives": rules_of(mpi.family, alike),
    }


def text_of(table: dict[str, Any]) -> str:
    """JSON with a line for each number of ranks."""
    text = json.dumps(table, indent=1)
    return re.sub(r"\[\s+\[[^{}]*?\]\s+\]", lambda found: " ".join(found[0].split()), text) + "\n"


def key_of(entry: dict[str, Any]) -> tuple[str, list[int]]:
    return entry["library"], [int(number) for number in entry["version"].split(".")]


def on_page(ranks: int = 16) -> str:
    """A table of the page: by library and collective, each algorithm with the first size at which it is used."""
    rows = [["", *COLLECTIVES], ["---"] * (len(COLLECTIVES) + 1)]
    for mpi in known_mpis().values():
        cells = []
        for collective in COLLECTIVES:
            own = mpi.rules[collective] if collective in mpi.rules else {}
            rules = own[mpi.ranks_seen(collective, ranks)] if own else []
            words = [f"{rule.algorithm}{', mirrored' * rule.mirrored}" for rule in rules]
            changes = [f" to {format_bytes(rule.first)}" for rule in rules[1:]] + [""]
            cells.append("<br>".join(map("".join, zip(words, changes, strict=False))) or "none")
        rows.append([f"{mpi.title}{'' if mpi.seen == 'trace' else ', by its source'}", *cells])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def parts_of_page() -> tuple[str, str, str]:
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    made, _, after = rest.partition(END)
    return before, made, after


def range_of(word: str) -> range:
    first, _, last = word.partition("..")
    return range(int(first), int(last or first) + 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", default="openmpi,mpich")
    parser.add_argument("--ranks", default="2..16", help="N or FIRST..LAST, several with commas")
    parser.add_argument("--lab", action="store_true", help="ranks on hosts of a lab")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    if options.page:
        before, _, after = parts_of_page()
        PAGE.write_text(f"{before}{BEGIN}\n{on_page()}\n{END}{after}", encoding="utf-8")
        return 0
    ranks = [number for word in options.ranks.split(",") for number in range_of(word)]
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    differ = 0
    for mpi in map(InstalledMpi, options.mpi.split(",")):
        if not is_there(mpi):
            print(f"{mpi.word}: not here")
            continue
        entry = looked_at(mpi, ranks, options.lab)
        written: dict[str, Any] = next(
            (one["collectives"] for one in table["libraries"] if key_of(one) == key_of(entry)), {}
        )
        for collective, by_ranks in entry["collectives"].items() if options.check else ():
            for number, rules in by_ranks.items():
                if (before := written.get(collective, {}).get(number)) != rules:
                    differ += 1
                    print(f"{mpi.word}: {collective} on {number} ranks: the table has {before}, seen is {rules}")
        others = [one for one in table["libraries"] if key_of(one) != key_of(entry)]
        table["libraries"] = sorted([*others, entry], key=key_of)
    if not options.check:
        TABLE.write_text(text_of(table), encoding="utf-8")
    print(f"{differ} cells differ" if options.check else f"wrote {TABLE}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())

"""Are the tables that `ayatori choose --to` writes obeyed? Seen in the traffic of the MPIs that are named.

A cell is a collective, a number of ranks and an interval of sizes with its algorithm, fan-out and segment size. Tables
with a cell for everything that the catalogue knows are written as `choose` writes them; the MPI runs calls of the
first, a middle and the last size of each interval, from several roots, and each message that it sends (from whom, to
whom, how many bytes, in which order between two ranks) must be that of the schedule that `choose` has timed. Runs with
one rank more and one less must send what they send without the table. By a table that is chosen by prediction, what was
predicted to be best must run.

    python -m bench.validation.mpi_tables [--ranks 2..8] [--mpi openmpi,mpich,build/mpich-5.0.2] [--quick]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ayatori.base.errors import Error
from ayatori.model.jobs import contiguous_jobs
from ayatori.model.network import open_source
from ayatori.mpi_tables.catalogue import Mpi, MpiAlgorithm, our_collective
from ayatori.mpi_tables.rules import Rule, Rules, call_of, rank, rules_from
from ayatori.mpi_tables.tables import MPIS, as_here, write
from ayatori.prediction.predictor import Model, Predictor
from bench.harness.installed_mpi import InstalledMpi
from bench.validation.mpi_traffic import Cell, Program, Traffic, is_there, traffic_of

WIDTH = 5000
"""Sizes from the first of an interval to that of the next."""
FAT_TREE = "fattree:K=6,levels=2,nodes=30"
SIZES = [512, 4 << 10, 32 << 10, 256 << 10]
SEGMENTS = (0, 1000, 2048)
ROOTED = {"bcast", "reduce", "gather", "scatter"}


@dataclass
class Outcome:
    cells: int = 0
    calls: int = 0
    wrong: int = 0


def ways_of(mpi: Mpi, collective: str, ranks: int) -> list[tuple[MpiAlgorithm, int]]:
    """All that a table can say about a collective, what needs no least size first."""
    suitable = [algorithm for algorithm in mpi.algorithms_of(collective) if algorithm.suits(ranks)]
    ordered = sorted(suitable, key=lambda algorithm: algorithm.min_bytes(ranks) > 0)
    return [(algorithm, segment) for algorithm in ordered for segment in (SEGMENTS if algorithm.segmented else (0,))]


def tables_for(mpi: Mpi, ranks: int) -> Iterator[Rules]:
    """Tables that have each way in one of them. A collective that gets one algorithm for all sizes has the next one in
    each table, the others all of theirs in each, in intervals of WIDTH bytes."""
    ways = {collective: ways_of(mpi, collective, ranks) for collective in mpi.collectives}
    single = {"barrier", *mpi.one_choice}
    for number in range(max(len(ways[collective]) for collective in single)):
        collectives = {}
        for collective, own in ways.items():
            taken = [own[number % len(own)]] if collective in single else own
            starts = [WIDTH * index for index in range(len(taken))]
            lasts = [start - 1 for start in starts[1:]] + [None]
            collectives[collective] = [
                Rule(start, last, *way) for start, last, way in zip(starts, lasts, taken, strict=True)
            ]
        yield Rules(mpi, ranks, collectives)


def cells_of(rules: Rules, first_of_its_kind: bool) -> Iterator[tuple[Cell, Rule]]:
    """Calls that a table decides. Collectives with all of their ways in every table are looked at in the first only."""
    for collective, own in rules.collectives.items():
        if len(own) > 1 and not first_of_its_kind:
            continue
        roots = dict.fromkeys((0, rules.ranks - 1, rules.ranks // 2)) if collective in ROOTED else [0]
        for rule in own:
            last = rule.first + WIDTH - 1 if rule.last is None else rule.last
            least = max(rule.first, rule.algorithm.min_bytes(rules.ranks), 1)
            for size in [0] if collective == "barrier" else sorted({least, (rule.first + last) // 2, last}):
                yield from ((Cell(collective, size, root), rule) for root in roots)


@cache
def expected(cell: Cell, rule: Rule, ranks: int) -> Traffic:
    return traffic_of(call_of(rule.algorithm, cell.bytes, rule.segment_bytes, cell.root), ranks)


def prove(mpi: Mpi, program: Program, ranks: int, folder: Path, groupings: list[dict[str, str]]) -> Outcome:
    """All tables for so many ranks. `groupings` are environments in which the library believes in other machines: all
    messages must be seen in the first, and those between machines in others, if it has shared memory of its own.
    """
    outcome = Outcome()
    everybody = {(a, b) for a in range(ranks) for b in range(ranks) if a != b}
    for number, rules in enumerate(tables_for(mpi, ranks)):
        written = write(rules, folder / "rules.json", program.mpi.library)
        decided = list(cells_of(rules, number == 0))
        outcome.cells += len({(cell.collective, rule.first, rule.algorithm) for cell, rule in decided})
        for grouping in groupings:
            sent = program.traffic(ranks, [cell for cell, _ in decided], dict(written.environment) | grouping)
            pairs = program.seen(ranks)
            if grouping == groupings[0] and pairs != everybody:
                raise Error(f"{mpi.word}: only messages of {len(pairs)} pairs of ranks are seen", internal=True)
            for (cell, rule), traffic in zip(decided, sent, strict=True) if pairs else ():
                outcome.calls += 1
                if traffic != {pair: sizes for pair, sizes in expected(cell, rule, ranks).items() if pair in pairs}:
                    outcome.wrong += 1
                    print(f"{mpi.word}, {ranks} ranks: {cell} by {rule.algorithm.name}, segment {rule.segment_bytes}")
                    print(f"  sent     {sorted(traffic.items())}")
                    print(f"  expected {sorted(expected(cell, rule, ranks).items())}")
    return outcome


def prove_chosen(mpi: Mpi, program: Program, ranks: int, folder: Path) -> Outcome:
    """A table as `choose` makes it, for hosts of a fat tree: at each size that it has predicted, its best one runs."""
    network = open_source(FAT_TREE)
    predictor = Predictor(network, model=Model(link_latency=1e-6))
    ours = dict.fromkeys(our_collective(collective) for collective in mpi.collectives)
    calls = [(name, size) for name in ours for size in ([0] if name == "barrier" else SIZES)]
    ranked = rank(mpi, predictor, contiguous_jobs(network, [ranks])[0], calls)
    rules = rules_from(mpi, ranks, ranked)
    written = write(rules, folder / "rules.json", program.mpi.library)
    cells = [Cell(entry.collective, entry.bytes) for entry in ranked]
    taken = [rules.lookup(cell.collective, cell.bytes) for cell in cells]
    sent = program.traffic(ranks, cells, dict(written.environment))
    outcome = Outcome(len(cells), len(cells))
    for entry, cell, rule, traffic in zip(ranked, cells, taken, sent, strict=True):
        best = entry.ways[0]
        is_best = (rule.algorithm, rule.segment_bytes) == (best.algorithm, best.segment_bytes)
        if traffic != expected(cell, rule, ranks) or not (is_best or cell.collective in mpi.one_choice):
            outcome.wrong += 1
            print(f"{mpi.word}, {ranks} ranks: {cell} is not done by {best.algorithm.name}")
    return outcome


def prove_guards(mpi: Mpi, program: Program, ranks: int, folder: Path) -> Outcome:
    """Communicators of one rank more and one less do what they do without the table."""
    outcome = Outcome()
    rules = next(tables_for(mpi, ranks))
    written = write(rules, folder / "rules.json", program.mpi.library)
    cells = [cell for cell, _ in cells_of(rules, True) if cell.root == 0]
    for others in {ranks - 1, ranks + 1} - {1}:
        outcome.calls += len(cells)
        with_table = program.traffic(others, cells, dict(written.environment))
        outcome.wrong += sum(a != b for a, b in zip(with_table, program.traffic(others, cells), strict=True))
    return outcome


def groupings_of(mpi: Mpi, ranks: int) -> list[dict[str, str]]:
    """MPICH takes the ranks for those of as many machines, of one, of two halves, or of even and odd ranks: its device
    ch4 splits collectives by machines unless the table tells otherwise."""
    if mpi.word != "mpich":
        return [{}]
    machines = [{"MPIR_CVAR_NOLOCAL": "1"}, {"MPIR_CVAR_NOLOCAL": "0"}]
    if ranks > 2:
        machines.append({"MPIR_CVAR_NOLOCAL": "0", "MPIR_CVAR_NUM_CLIQUES": "2"})
        machines.append({"MPIR_CVAR_NOLOCAL": "0", "MPIR_CVAR_ODD_EVEN_CLIQUES": "1"})
    return machines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="2..8", help="FIRST..LAST")
    parser.add_argument("--mpi", default="openmpi,mpich")
    parser.add_argument("--quick", action="store_true", help="3 and 4 ranks only")
    options = parser.parse_args()
    first, last = (3, 4) if options.quick else map(int, options.ranks.split(".."))
    failed = False
    for installed in map(InstalledMpi, options.mpi.split(",")):
        if not is_there(installed):
            print(f"{installed.word}: not here")
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            program = Program(installed, folder)
            mpi = as_here(MPIS[installed.family], installed.library)
            for ranks in range(first, last + 1):
                found = prove(mpi, program, ranks, folder, groupings_of(mpi, ranks))
                chosen = prove_chosen(mpi, program, ranks, folder)
                guards = prove_guards(mpi, program, ranks, folder)
                print(
                    f"{installed.name}, {ranks} ranks: {found.cells} cells in {found.calls} calls, "
                    f"{found.wrong} not as written; "
                    f"{chosen.calls} calls of a chosen table, {chosen.wrong} not as predicted; "
                    f"{guards.calls} calls of other communicators, {guards.wrong} changed",
                    flush=True,
                )
                failed |= found.wrong + chosen.wrong + guards.wrong > 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

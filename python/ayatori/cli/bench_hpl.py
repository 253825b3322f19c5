"""ayatori bench hpl: High Performance Linpack over block sizes, grids and networks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from ayatori.base.errors import Error, UnknownWord
from ayatori.base.files import make_folder, write_bytes, write_json
from ayatori.base.units import parse_bytes
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.output import note, print_json, print_table, progress, say
from ayatori.cli.status import Status
from ayatori.linpack.mixed import program_for
from ayatori.linpack.running import find_hpl, launcher_of
from ayatori.linpack.settings import BROADCASTS, PRESETS, Plane, Point, Preset, Variant, memory_here, order_for
from ayatori.linpack.sweep import HplData, HplResult, Sweep, results_of, run_point
from ayatori.report.hpl_page import hpl_page, hpl_rows
from ayatori.resumable import compute_each

PRESET = Annotated[str, typer.Option(metavar="NAME", help=f"Preset of sizes: {', '.join(PRESETS)}.")]
ORDER = Annotated[str, typer.Option(metavar="N[,N…]", help="Order of the matrix; else 80 % of the memory.")]
MEMORY = Annotated[str, typer.Option(metavar="SIZE", help="Memory of all hosts together; else this host's.")]
NB = Annotated[str, typer.Option(metavar="NB[,NB…]", help="Block size: columns.")]
GRIDS = Annotated[str, typer.Option(metavar="PxQ[,PxQ…]", help="Grids of processes.")]
PLANES = Annotated[
    str,
    typer.Option(
        metavar="NAME=INTERFACE[,…]", help="Networks to compare: eth=eth0,ib=10.65.0.0/16; else the MPI's choice."
    ),
]
BCAST = Annotated[str, typer.Option(metavar="NAME", help=f"Broadcast: {', '.join(BROADCASTS)}.")]
PROGRAM = Annotated[
    str, typer.Option(metavar="PROGRAM", help="Program of HPL; else xhpl on the PATH, or Debian's hpcc.")
]
LAUNCH = Annotated[
    str, typer.Option(metavar="WORDS", help="Launcher with its options: 'mpirun --hostfile h'; -np N is added.")
]
OUT_DIR = Annotated[
    Path | None, typer.Option("--out-dir", metavar="DIR", help="Write results.json and index.html with plots to DIR.")
]


_CAUSES_SHOWN = 3
DEPTH = Annotated[int, typer.Option(metavar="N", help="Depth of the look-ahead, in panels.")]


@dataclass(frozen=True)
class SizeOptions:
    """The options that say which systems are solved, by which grids, over which networks."""

    PANEL: ClassVar[str] = "Sizes, grids and networks"
    USUAL: ClassVar[tuple[str, ...]] = ("matrix_order", "nb", "grids")
    preset: PRESET = ""
    matrix_order: ORDER = ""
    memory: MEMORY = ""
    nb: NB = ""
    grids: GRIDS = ""
    planes: PLANES = ""

    @property
    def chosen(self) -> Preset | None:
        """Raises UsageError for a preset that there is not."""
        if self.preset and self.preset not in PRESETS:
            raise UnknownWord("preset", self.preset, PRESETS)
        return PRESETS.get(self.preset)

    def sweep(self, variant: Variant, repeats: int = 1, mixed: bool = False) -> Sweep:
        """All of them; options go before the preset. Raises UsageError."""
        chosen = self.chosen
        if self.memory and (self.matrix_order or chosen):
            raise UsageError("--memory is for N, which --matrix-order and --preset give")
        blocks = numbers_of(self.nb, "--nb") if self.nb else chosen.blocks if chosen else (128,)
        pairs = grids_of(self.grids) if self.grids else chosen.grids if chosen else ((1, 1),)
        if self.matrix_order:
            orders = numbers_of(self.matrix_order, "--matrix-order")
        elif chosen:
            orders = (chosen.order,)
        else:
            memory = options.value_of(parse_bytes, self.memory) if self.memory else memory_here()
            orders = (order_for(memory, blocks),)
        made = Sweep(orders, blocks, pairs, planes_of(self.planes), variant, repeats, mixed)
        made.check()
        return made


@dataclass(frozen=True)
class VariantOptions:
    """The options that say how HPL solves them."""

    PANEL: ClassVar[str] = "Variant of HPL"
    broadcast: BCAST = ""
    depth: DEPTH = Variant.depth
    threshold: Annotated[float, typer.Option(metavar="X", help="Residual above which a run has failed.")] = (
        Variant.threshold
    )

    def variant(self, preset: Preset | None) -> Variant:
        usual = preset.broadcast if preset else Variant.broadcast
        return Variant(self.broadcast or usual, self.depth, self.threshold)


@dataclass(frozen=True)
class ProgramOptions:
    """The options that say which HPL is started, and by what."""

    PANEL: ClassVar[str] = "Program"
    program: PROGRAM = ""
    launch: LAUNCH = ""


@grouped
def hpl(
    *,
    sizes: SizeOptions,
    how: VariantOptions,
    mixed: Annotated[bool, typer.Option("--mixed", help="Solve in mixed precision, too.")] = False,
    started: ProgramOptions,
    repeats: Annotated[int, typer.Option(metavar="N", help="Runs of each point.")] = 1,
    out_dir: OUT_DIR = None,
    resume: options.RESUME = False,
    json: options.JSON = False,
) -> int:
    """Run High Performance Linpack over block sizes, grids and networks.

    The report has GFlop/s and residuals. Exit status 3: a residual is too large. An interrupted or killed run continues
    with --resume.
    """
    variant = how.variant(sizes.chosen)
    sweep = sizes.sweep(variant, repeats, mixed)
    found, starter = find_hpl(started.program), launcher_of(started.launch)
    if mixed:
        program_for(starter, "mixed")
    results = measured(found, started.launch, sweep, resume)
    data: HplData = {
        "program": found.name,
        "broadcast": variant.broadcast,
        "depth": variant.depth,
        "threshold": variant.threshold,
        "repeats": repeats,
        "results": results,
    }
    if out_dir is not None:
        write_all(data, out_dir)
    print_json("bench-hpl", data) if json else describe(data)
    bad = [one for one in results if not (one["passed"] and (one["mixed"] is None or one["mixed"]["passed"]))]
    if bad and not json:
        too_large = f"residuals of {variant.threshold:g} or more"
        say(f"{len(bad)} of {len(results)} points have wrong solutions ({too_large}): void")
    return Status.BAD if bad else Status.DONE


def measured(program: Path, launch: str, sweep: Sweep, resume: bool) -> list[HplResult]:
    """What is done is kept until all is."""
    parameters = asdict(sweep) | {"program": str(program), "launch": launch}
    saved = options.open_partial("bench hpl", parameters, resume, save_every=0)
    launcher = launcher_of(launch)
    runs = sweep.runs()
    with progress("HPL", len(runs)) as advance:

        def run(point: Point) -> dict[str, Any]:
            note(f"N = {point.order}, NB = {point.block}, {point.rows} x {point.columns}, {point.plane.name}")
            return run_point(program, launcher, sweep, point)

        done = compute_each(saved, "runs", runs, run, advance)
    results = results_of(sweep, done)
    saved.remove()
    return results


def numbers_of(text: str, option: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and 0 < int(word) < 10**9 for word in words):
        raise UsageError(f"{option} {text} is not a list of numbers", hint=f"for example {option} 64,128")
    return tuple(dict.fromkeys(map(int, words)))


def grids_of(text: str) -> tuple[tuple[int, int], ...]:
    found = []
    for word in text.split(","):
        rows, cross, columns = word.strip().partition("x")
        if not (cross and rows.isdecimal() and columns.isdecimal()):
            raise UsageError(f"--grids {text} is not a list of grids", hint="for example --grids 1x4,2x2")
        found.append((int(rows), int(columns)))
    return tuple(dict.fromkeys(found))


def planes_of(text: str) -> tuple[Plane, ...]:
    found = []
    for word in filter(None, text.split(",")):
        name, equals, interface = word.strip().partition("=")
        if not name or (equals and not interface):
            raise UsageError(f"--planes {text} is not a list of networks", hint="for example --planes eth=eth0,ib=ib0")
        found.append(Plane(name, interface or name))
    return tuple(found) or (Plane(),)


def write_all(data: HplData, folder: Path) -> None:
    make_folder(folder)
    write_json(folder / "results.json", data)
    write_bytes(folder / "index.html", hpl_page(data).encode("utf-8"))
    note(f"wrote {folder / 'results.json'} and {folder / 'index.html'}")


def describe(data: HplData) -> None:
    if not data["results"]:
        raise Error("there is no point to run", internal=True)
    say(f"{data['program']}, BCAST {data['broadcast']}, look-ahead {data['depth']}")
    columns, rows = hpl_rows(data["results"])
    print_table("", [f"  {columns[0]}", *columns[1:]], [[f"  {row[0]}", *row[1:]] for row in rows])
    noisy = [result for result in data["results"] if result["too_noisy"]]
    if noisy:
        causes = list(dict.fromkeys(cause for result in noisy for cause in result["causes"]))
        say(f"too noisy: {len(noisy)} of {len(data['results'])} points: {'; '.join(causes[:_CAUSES_SHOWN])}")
        say("  measure again on a quiet machine, or with more --repeats")

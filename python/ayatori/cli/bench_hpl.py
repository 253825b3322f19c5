"""ayatori bench hpl: High Performance Linpack over block sizes, grids and networks."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from ayatori.base.errors import Error
from ayatori.base.files import make_folder, write_bytes, write_json
from ayatori.base.units import parse_bytes
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.output import note, print_json, print_table, progress, say
from ayatori.cli.status import Status
from ayatori.linpack.mixed import program_for
from ayatori.linpack.running import find_hpl, launcher_of
from ayatori.linpack.settings import BROADCASTS, PRESETS, Plane, Point, Variant, memory_here, order_for
from ayatori.linpack.sweep import Sweep, results_of, run_point
from ayatori.report.hpl_page import hpl_page, hpl_rows
from ayatori.resumable import compute_each

PRESET = Annotated[str, typer.Option(metavar="NAME", help=f"Preset sizes: {', '.join(PRESETS)}.")]
ORDER = Annotated[str, typer.Option(metavar="N[,N…]", help="Order of the matrix; else 80 % of the memory.")]
MEMORY = Annotated[str, typer.Option(metavar="SIZE", help="Memory of all hosts together; else this host's.")]
NB = Annotated[str, typer.Option(metavar="NB[,NB…]", help="Block size: columns.")]
GRIDS = Annotated[str, typer.Option(metavar="PxQ[,PxQ…]", help="Processes.")]
PLANES = Annotated[
    str,
    typer.Option(
        metavar="NAME=INTERFACE[,…]", help="Networks to compare: eth=eth0,ib=10.65.0.0/16; else the MPI's choice."
    ),
]
BCAST = Annotated[str, typer.Option(help=f"{', '.join(BROADCASTS)}.")]
PROGRAM = Annotated[str, typer.Option(metavar="PROGRAM", help="HPL program; else xhpl on the PATH, or Debian's hpcc.")]
LAUNCH = Annotated[
    str, typer.Option(metavar="WORDS", help="Launcher with its options: 'mpirun --hostfile h'; -np N is added.")
]
OUT_DIR = Annotated[
    Path | None, typer.Option("--out-dir", metavar="DIR", help="Write results.json and index.html with plots there.")
]


def hpl(
    preset: PRESET = "",
    matrix_order: ORDER = "",
    memory: MEMORY = "",
    nb: NB = "",
    grids: GRIDS = "",
    planes: PLANES = "",
    broadcast: BCAST = "",
    depth: Annotated[int, typer.Option(help="Depth of the look-ahead, in panels.")] = Variant.depth,
    threshold: Annotated[float, typer.Option(help="Residual above which a run has failed.")] = Variant.threshold,
    mixed: Annotated[bool, typer.Option("--mixed", help="Also solve in mixed precision.")] = False,
    program: PROGRAM = "",
    launch: LAUNCH = "",
    repeats: Annotated[int, typer.Option(help="Runs of each point.")] = 1,
    out_dir: OUT_DIR = None,
    resume: options.RESUME = False,
    json: options.JSON = False,
) -> int:
    """Run High Performance Linpack for each NB, process grid and network: GFlop/s and residuals.

    Exit status 3: a residual is too large. An interrupted or killed run continues with --resume.
    """
    if preset and preset not in PRESETS:
        raise UsageError(f"no preset is called '{preset}'", hint=f"there are {', '.join(PRESETS)}")
    variant = Variant(broadcast or (PRESETS[preset].broadcast if preset else Variant.broadcast), depth, threshold)
    sizes = sizes_of(preset, matrix_order, memory, nb, grids)
    sweep = Sweep(*sizes, planes_of(planes), variant, repeats, mixed)
    sweep.check()
    found, starter = find_hpl(program), launcher_of(launch)
    if mixed:
        program_for(starter, "mixed")
    results = measured(found, launch, sweep, resume)
    data = {"program": found.name, "broadcast": variant.broadcast, "depth": depth, "threshold": threshold}
    data |= {"repeats": repeats, "results": results}
    if out_dir is not None:
        write_all(data, out_dir)
    print_json("bench-hpl", data) if json else describe(data)
    bad = [one for one in results if not (one["passed"] and (one["mixed"] is None or one["mixed"]["passed"]))]
    if bad and not json:
        say(f"{len(bad)} of {len(results)} points have wrong solutions (residuals of {threshold:g} or more): void")
    return Status.BAD if bad else Status.DONE


def measured(program: Path, launch: str, sweep: Sweep, resume: bool) -> list[dict[str, Any]]:
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


def sizes_of(
    preset: str, order: str, memory: str, nb: str, grids: str
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, int], ...]]:
    """N, NB and (P, Q); options go before the preset."""
    chosen = PRESETS.get(preset)
    if memory and (order or chosen):
        raise UsageError("--memory is for N, which --matrix-order and --preset give")
    blocks = numbers_of(nb, "--nb") if nb else chosen.blocks if chosen else (128,)
    pairs = grids_of(grids) if grids else chosen.grids if chosen else ((1, 1),)
    if order:
        return numbers_of(order, "--matrix-order"), blocks, pairs
    if chosen:
        return (chosen.order,), blocks, pairs
    return (order_for(options.value_of(parse_bytes, memory) if memory else memory_here(), blocks),), blocks, pairs


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


def write_all(data: dict[str, Any], folder: Path) -> None:
    make_folder(folder)
    write_json(folder / "results.json", data)
    write_bytes(folder / "index.html", hpl_page(data).encode("utf-8"))
    note(f"wrote {folder / 'results.json'} and {folder / 'index.html'}")


def describe(data: dict[str, Any]) -> None:
    if not data["results"]:
        raise Error("there is no point to run", internal=True)
    say(f"{data['program']}, BCAST {data['broadcast']}, look-ahead {data['depth']}")
    columns, rows = hpl_rows(data["results"])
    print_table("", [f"  {columns[0]}", *columns[1:]], [[f"  {row[0]}", *row[1:]] for row in rows])

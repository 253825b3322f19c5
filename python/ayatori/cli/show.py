"""ayatori show: what network is this?"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from ayatori import _core
from ayatori.base.files import write_bytes
from ayatori.base.sources import with_kind
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.output import note, print_json, say, say_first
from ayatori.cli.status import Status
from ayatori.model.formula import LARGE, formula_as_data
from ayatori.model.network import (
    PURPOSES,
    TO_MEND,
    LinkData,
    NetworkData,
    ShapeData,
    ShowData,
    network_as_data,
    open_source,
)

SIGNS = {"added": "+", "removed": "-", "changed": "~"}


class DifferenceData(TypedDict):
    type: str
    """How the first network becomes the second: `added`, `removed` or `changed`."""
    kind: str
    """`object` or `link`."""
    name: str
    detail: str
    """Which; and, where it changed, from what to what."""


class DifferencesData(TypedDict):
    before: str
    after: str
    """The two sources."""
    added: int
    removed: int
    changed: int
    """How many differences of each sort."""
    differences: list[DifferenceData]
    """All of them."""


def show(
    source: options.SOURCE,
    host_pattern: options.HOST_PATTERN = "",
    json: options.JSON = False,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", allow_dash=True, help="Draw the network into FILE; '-' is stdout.")
    ] = None,
    diff: Annotated[str | None, typer.Option(metavar="SOURCE", help="Compare with this network.")] = None,
) -> int:
    """Show a network: shape, hosts, planes, link rates, faults.

    Exit status of --diff: 0 for no difference, 3 for some.
    """
    source = with_kind(source)
    if diff is not None and svg is not None:
        raise UsageError("--diff and --svg exclude each other")
    if diff is not None:
        return show_differences(source, diff, host_pattern, json)
    if json and str(svg) == "-":
        raise UsageError("--json and --svg - both print", hint="--svg FILE --json")
    if svg is not None:
        draw(source, host_pattern, svg)
    if svg is None or json:
        data = as_data(source, host_pattern)
        printed: ShowData = {"source": source, **data}
        print_json("show", printed) if json else describe(source, data)
    return Status.DONE


def as_data(source: str, host_pattern: str) -> NetworkData:
    """Of what is large and regular, no more is made than its formula."""
    formula = _core.open_formula(source)
    if formula is not None and formula.machine_count > LARGE:
        return formula_as_data(formula)
    return network_as_data(open_source(source, host_pattern))


def draw(source: str, host_pattern: str, path: Path) -> None:
    picture = _core.export_network(open_source(source, host_pattern), "svg")
    if str(path) == "-":
        sys.stdout.buffer.write(picture)
    else:
        write_bytes(path, picture)
        note(f"wrote {path}")


def show_differences(before: str, after: str, host_pattern: str, json: bool) -> Status:
    after = with_kind(after)
    opened = [_core.open_topology(source, False, host_pattern) for source in (before, after)]
    found = opened[0].difference(opened[1])
    status = Status.BAD if found else Status.DONE
    counts = {type: sum(difference.type == type for difference in found) for type in SIGNS}
    if json:
        data: DifferencesData = {
            "before": before,
            "after": after,
            "added": counts["added"],
            "removed": counts["removed"],
            "changed": counts["changed"],
            "differences": [
                {
                    "type": each.type,
                    "kind": "link" if each.is_link else "object",
                    "name": each.name,
                    "detail": each.detail,
                }
                for each in found
            ],
        }
        print_json("differences", data)
        return status
    for each in found:
        say(f"{SIGNS[each.type]} {each.name}" + (f": {each.detail}" if each.detail else ""))
    say(", ".join(f"{count} {type}" for type, count in counts.items()) if found else "no difference")
    return status


def describe(source: str, data: NetworkData) -> None:
    planes = data["planes"]
    say(f"{source}: {data['shape']['summary'] if len(planes) < 2 else f'{len(planes)} planes'}")
    shapes = {"": data["shape"]} if len(planes) < 2 else {f" in {plane['name']}": plane["shape"] for plane in planes}
    say_irregular(shapes, lambda kind: kind in TO_MEND)
    say_first("degraded links", [link_in_words(link) for link in data["degraded_links"]])
    say(f"  machines           {data['machines']}" + unnamed(data["unnamed_machines"]))
    say(f"  HCAs               {data['hcas']}")
    say(f"  routers            {data['routers']}")
    if data["aggregation_nodes"]:
        say(f"  aggregation nodes  {data['aggregation_nodes']}")
    for plane in planes:
        rates = ", ".join(f"{count} at {rate}" for rate, count in plane["link_rates"].items())
        if len(planes) < 2:
            say(f"  links              {data['links']} ({plane['name']}: {rates})")
            continue
        few = f", for {' and '.join(plane['for']) or 'management'} alone" if len(plane["for"]) < len(PURPOSES) else ""
        say(f"  {plane['name'] + ':':18} {plane['shape']['summary']}{few}")
        say(f"                     {plane['machines']} machines, {plane['routers']} routers, links: {rates}")
    if data["background"]:
        say(f"  background         {options.background_in_words(data['background'])}")
    say_irregular(shapes, lambda kind: kind not in TO_MEND)


def say_irregular(shapes: dict[str, ShapeData], wanted: Callable[[str], bool]) -> None:
    """A line a kind. `shapes`: by where in the network they are."""
    for where, shape in shapes.items():
        rest = iter(shape["irregularities"])
        for kind, count in shape["irregularity_counts"].items():
            items = list(islice(rest, count))
            if wanted(kind):
                say_first(f"{kind}{where}", items)


def unnamed(count: int) -> str:
    return f", {count} of them HCAs that name no host" if count else ""


def link_in_words(link: LinkData) -> str:
    return f"{link['from']} port {link['from_port']} - {link['to']} port {link['to_port']}: {link['rate']}"

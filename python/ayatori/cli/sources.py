"""ayatori sources: how a network is named; and what is said of a source of no known kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

import click

from ayatori.base.errors import Error, UnknownWord
from ayatori.cli import options
from ayatori.cli.output import print_json, say

ABOUT = {
    "fattree": "a fat tree: levels of switches with 2K ports, and how many hosts",
    "xgft": "an extended generalized fat tree: children, parents and cables per level",
    "torus": "a torus, with a switch and a host at each point",
    "mesh": "the same without the cables around",
    "full": "switches that are all cabled to each other",
    "hyperx": "a HyperX: switches cabled to all others in each row",
    "hypercube": "a hypercube of so many dimensions",
    "dragonfly": "a dragonfly: groups, switches, hosts, global cables",
    "dragonfly+": "a dragonfly+: groups, leaves, spines, hosts, global cables",
    "ib": "an InfiniBand fabric: the output of ibnetdiscover, or the one at hand",
    "cache": "a network that `ayatori convert --to cache` wrote",
    "json": "a network that `ayatori convert --to json` wrote",
    "slurm": "Slurm's topology.conf, topology.yaml, or `scontrol show topology`",
    "cluster": "a cluster file: chassis, hosts, planes (docs/cluster-format.md)",
    "tofu": "Fujitsu's Tofu: the torus of a whole system or of a job",
    "lldp": "an Ethernet: the output of `lldpctl -f json` on each host",
    "aws": "the output of `aws ec2 describe-instance-topology`",
    "topograph": "the output of topograph's engine graph",
    "slingshot": "a Cray EX system: a list of xnames, as in /etc/hosts",
    "aries": "a Cray XC system: the output of `rtr --interconnect`",
}
LISTED = "`ayatori sources` lists the kinds"


class SourceData(TypedDict):
    kind: str
    synopsis: str
    about: str
    """The word before the colon; an example or the form; which network."""


class SourcesData(TypedDict):
    sources: list[SourceData]
    """One entry per kind."""


def sources(json: options.JSON = False) -> None:
    """List the kinds of networks that SOURCE can name.

    A file or folder needs no kind: its content is recognised. docs/sources.md has all forms.
    """
    data: SourcesData = {
        "sources": [{"kind": kind, "synopsis": synopsis, "about": ABOUT.get(kind, "")} for kind, synopsis in _known()]
    }
    if json:
        print_json("sources", data)
        return
    for each in data["sources"]:
        say(each["synopsis"])
        say(f"    {each['about']}")


def _known() -> list[tuple[str, str]]:
    from ayatori import _core

    return _core.source_kinds()


def check_source(source: str) -> None:
    """Raises Error for what names neither a kind of network nor a file or folder.

    Of a kind that is known, its own reader checks the rest.
    """
    kind, colon, _ = source.partition(":")
    kinds = dict(_known())
    if kind in kinds or (source and Path(source).exists()):
        return
    if colon:
        raise UnknownWord("kind of source", kind, kinds, LISTED)
    if "." in source or "/" in source:
        raise Error(f"can't read {source}: No such file or directory", hint=f"for formulas and files, {LISTED}")
    raise UnknownWord("source", source, kinds, LISTED)


def refusing_unknown_sources(command: click.Command) -> click.Command:
    """The command, and those under it: what takes a SOURCE refuses words that are none."""
    if isinstance(command, click.Group):
        for each in command.commands.values():
            refusing_unknown_sources(each)
    for parameter in command.params:
        if (parameter.metavar or "").strip("[]") == "SOURCE":
            parameter.callback = _check_sources
    return command


def _check_sources(_: click.Context, __: click.Parameter, value: Any) -> Any:
    for source in value if isinstance(value, list | tuple) else [value]:
        if source is not None:
            check_source(source)
    return value

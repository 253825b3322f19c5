"""ayatori show: what network is this?"""

from __future__ import annotations

from typing import Any

from ayatori.cli import options
from ayatori.cli.output import print_json, say
from ayatori.network import network_as_data, open_source

IRREGULARITIES_SHOWN = 12


def show(source: options.SOURCE, host_pattern: options.HOST_PATTERN = "", json: options.JSON = False) -> None:
    """What network is this: shape, machines, planes, link speeds, faults."""
    data = network_as_data(open_source(source, host_pattern))
    if json:
        print_json({"source": source} | data)
    else:
        describe(source, data)


def describe(source: str, data: dict[str, Any]) -> None:
    say(f"{source}: {data['shape']['summary']}")
    say(f"  machines           {data['machines']}" + unnamed(data["unnamed_machines"]))
    say(f"  HCAs               {data['hcas']}")
    say(f"  routers            {data['routers']}")
    if data["aggregation_nodes"]:
        say(f"  aggregation nodes  {data['aggregation_nodes']}")
    for plane in data["planes"]:
        rates = ", ".join(f"{count} at {rate}" for rate, count in plane["link_rates"].items())
        say(f"  links              {data['links']} ({plane['name']}: {rates})")
    describe_list("degraded links", [link_in_words(link) for link in data["degraded_links"]])
    describe_list("irregular", data["shape"]["irregularities"])


def unnamed(count: int) -> str:
    return f", {count} of them HCAs that name no host" if count else ""


def describe_list(title: str, items: list[str]) -> None:
    if not items:
        return
    say(f"  {title}: {len(items)}")
    for item in items[:IRREGULARITIES_SHOWN]:
        say(f"    {item}")
    if len(items) > IRREGULARITIES_SHOWN:
        say(f"    … and {len(items) - IRREGULARITIES_SHOWN} more (--json has all)")


def link_in_words(link: dict[str, Any]) -> str:
    return f"{link['from']} port {link['from_port']} - {link['to']} port {link['to_port']}: {link['rate']}"

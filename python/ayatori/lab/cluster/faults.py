"""Faults of a lab, from a file: what is done to its hosts and switches after they were made, so that users see what a
program does about it.

The file is TOML. Each `[[break]]` has either `hosts` (names, or "*") or `switch`, and either

- `run`: a shell's command, once, in the network namespace of each of the hosts, or of the switches, where the bridge is
  $SWITCH and its ports are $PORTS;
- `inside`: lines that each shell on the hosts executes before its command: other variables, limits, mounts, functions.

What else is in the file is for others (tests have what doctor must say).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ayatori.base.errors import Error
from ayatori.lab.cluster.layout import Layout

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Break:
    hosts: tuple[str, ...]
    switch: str
    run: str
    inside: str


def read_faults(file: Path, layout: Layout) -> list[Break]:
    """Raises Error for what is no such file, and for hosts and switches that the layout does not have."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Error(f"can't read {file}", error.strerror or str(error)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Error(f"{file} is no TOML", str(error)) from error
    listed = data.get("break", [])
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise Error(f"{file}: 'break' is no list of tables", hint="[[break]]")
    return [_read(file, one, layout) for one in listed]


def _read(file: Path, one: Mapping[str, Any], layout: Layout) -> Break:
    known = {host.name for host in layout.hosts}
    hosts = known if one.get("hosts") == "*" else one.get("hosts", [])
    switch, run, inside = (one.get(key, "") for key in ("switch", "run", "inside"))
    if one.keys() - {"hosts", "switch", "run", "inside"} or not all(isinstance(w, str) for w in (switch, run, inside)):
        raise Error(f"{file}: a break has hosts or switch, and run or inside")
    if bool(hosts) == bool(switch) or bool(run) == bool(inside) or (switch and inside):
        raise Error(f"{file}: a break has either hosts or switch, and either run or inside, which is for hosts")
    for name in hosts:
        if name not in known:
            raise Error(f"{file}: the cluster has no host '{name}'")
    if switch and switch not in layout.bridges:
        raise Error(f"{file}: the cluster has no switch '{switch}'")
    return Break(tuple(sorted(hosts)), switch, run, inside)


def break_lab(breaks: list[Break], layout: Layout, folder: Path) -> None:
    """To be called in the lab's namespaces. `folder` gets a file of lines for each host (inside)."""
    for one in breaks:
        for host in one.hosts:
            if one.inside:
                with (folder / host).open("a") as file:
                    file.write(one.inside.strip() + "\n")
            else:
                _run(["ip", "netns", "exec", host, "sh", "-ec", one.run], one.run)
        if one.switch:
            number = layout.bridges.index(one.switch)
            given = f'SWITCH=s{number}; PORTS="{" ".join(_ports(layout, number))}"; '
            _run(["sh", "-ec", given + one.run], one.run)


def _ports(layout: Layout, bridge: int) -> list[str]:
    """As namespaces.py calls them."""
    ports = [
        f"h{number}-{index}"
        for number, host in enumerate(layout.hosts)
        for index, nic in enumerate(host.interfaces)
        if nic.bridge == bridge
    ]
    for number, (near, far, _) in enumerate(layout.trunks):
        ports += [f"t{number}{end}" for end, at in (("a", near), ("b", far)) if at == bridge]
    return ports


def _run(words: list[str], shown: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise Error(f"the fault '{shown.strip()}' can't be made", said[-1] if said else "")

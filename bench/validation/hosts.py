"""Hosts on this machine, joined by a switch: a lab (docs/cluster-lab.md) of so many, for programs that begin themselves
again in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ayatori.lab.cluster import Settings, words_in_lab


def command_among_hosts(
    count: int, rate: str, folder: Path, command: Sequence[str | Path], burst: int = Settings.burst_bytes
) -> list[str]:
    """Words that run `command` on the first of `count` hosts h0, h1, …, whose cables carry `rate` (200Mbit/s) each way.

    `folder` gets their hostfile. Nothing is left of them when the first process ends, however it ends.
    """
    cluster = folder / "cluster.toml"
    cluster.write_text(
        f'[planes.net]\nrate = "{rate}"\n[[switches]]\nname = "switch"\nplane = "net"\n'
        f'[[hosts]]\nname = "h[0-{count - 1}]"\nlinks = [{{ to = "switch" }}]\n',
        encoding="utf-8",
    )
    (folder / "hostfile").write_text("".join(f"h{number}\n" for number in range(count)), encoding="utf-8")
    return words_in_lab(cluster, Settings(burst_bytes=burst), list(map(str, command)))

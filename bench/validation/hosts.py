"""Hosts on this machine, in network namespaces with shaped links (hosts.sh)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

_OWN = ("unshare", "--net", "--pid", "--mount", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc")


def command_among_hosts(count: int, rate: str, folder: Path, command: Sequence[str | Path]) -> list[str]:
    """Words that run `command` while there are `count` hosts, whose cables carry `rate` (of tc) each way.

    `folder` gets their hostfile. Nothing is left of them when the first process ends, however it ends.
    """
    return [*_OWN, "sh", str(Path(__file__).with_suffix(".sh")), str(count), rate, str(folder), *map(str, command)]


def why_no_hosts() -> str:
    """The reason why this machine can't have such hosts; empty if it can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for program, package in (("ip", "iproute2"), ("tc", "iproute2"), ("unshare", "util-linux")):
        if shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin") is None:
            return f"{program} is not installed (apt-get install {package})"
    tried = subprocess.run([*_OWN, "ip", "link", "add", "type", "veth"], capture_output=True, text=True, check=False)
    return tried.stderr.strip()

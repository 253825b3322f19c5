"""Draws docs/pictures/*.svg, the pictures of the pages, by the program: `python scripts/site/pictures.py`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

PICTURES = Path(__file__).parent.parent.parent / "docs/pictures"
TREE = "fattree:K=6,levels=2,nodes=30"
LOST = (("LS1", "RS0"), ("LS1", "RS3"))
SLOW = ("LS4", "RS2")
JOBS = {"physics": "0 7 13 19 1 8 14 20", "weather": "2 9 15 21 25 3"}
"""As in the tutorial for clusters."""


def broken(fabric: str) -> str:
    """The text of a fabric without the lost cables, and with the slow one."""
    lines, switch = [], ""
    for line in fabric.splitlines():
        if line.startswith("Switch"):
            switch = line.split('"')[3]
        peer = line.split('# "')[-1].split('"')[0]
        ends = {switch, peer}
        if line.startswith("[") and any(ends == set(pair) for pair in LOST):
            continue
        lines.append(line.replace("4xHDR", "1xHDR") if ends == set(SLOW) else line)
    return "\n".join(lines) + "\n"


def draw(into: Path) -> None:
    def ayatori(*words: str) -> None:
        subprocess.run([sys.executable, "-m", "ayatori.cli", *words], check=True, stdout=subprocess.DEVNULL, cwd=folder)

    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        ayatori("convert", TREE, "--to", "ibsim", "--out", "whole.txt")
        (folder / "fabric.txt").write_text(broken((folder / "whole.txt").read_text()))
        (folder / "jobs").mkdir()
        for job, hosts in JOBS.items():
            (folder / "jobs" / job).write_text("".join(f"N{host}\n" for host in hosts.split()))
        ayatori("show", TREE, "--svg", str(into / "tree.svg"))
        ayatori("show", "ib:fabric.txt", "--svg", str(into / "broken.svg"))
        ayatori("show", "torus:4x4", "--svg", str(into / "torus.svg"))
        ayatori("show", "dragonfly:g=5,a=2,p=2,h=2", "--svg", str(into / "dragonfly.svg"))
        ayatori("check", "ib:fabric.txt", "--jobs", "jobs", "--svg", str(into / "jobs.svg"))


if __name__ == "__main__":
    draw(PICTURES)

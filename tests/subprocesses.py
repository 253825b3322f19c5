"""Programs that tests start: what they print is kept, and none runs for ever."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

AYATORI = [sys.executable, "-m", "ayatori.cli"]
MAX_SECONDS = 600.0


def ran(
    words: Sequence[str | Path],
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    given: str | None = None,
    seconds: float = MAX_SECONDS,
) -> subprocess.CompletedProcess[str]:
    """`env`: variables besides those of the tests. `given`: the input; without it there is none to wait for."""
    return subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=os.environ | (env or {}),
        input=given or "",
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def said_by(words: Sequence[str | Path], cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """Standard output of a program that ends well."""
    done = ran(words, cwd, env)
    assert done.returncode == 0, f"{words}:\n{done.stdout}{done.stderr}"
    return done.stdout

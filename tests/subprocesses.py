"""Programs that tests start: what they print is kept, and none runs for ever."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
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


def program_at(path: Path, script: str) -> Path:
    """A program of a test's own, as a script of the shell."""
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def processes(file: str, belongs: Callable[[bytes], bool]) -> list[int]:
    """Those that run now and whose file in /proc/NUMBER belongs to what is looked for."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended, or is not ours
            if belongs((folder / file).read_bytes()):
                found.append(int(folder.name))
    return found


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    """Nothing is measured: after so long a test gives up."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "what is waited for does not come"
        time.sleep(0.02)

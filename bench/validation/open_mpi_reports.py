"""Does Open MPI still hang on the hosts of five reports, and does it work with the settings of `ayatori doctor`?

    python -m bench.validation.open_mpi_reports --seconds 20

The hosts are those of examples/cluster/open-mpi, in the cluster lab, which needs root. In each of them a program lets
all processes talk with all others, and checks what they get: by Open MPI as it is, with doctor's settings, and with
these and the plug-in. A run that has not ended after so many seconds is counted as hanging.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.harness.programs import ROOT

REPORTS = ROOT / "examples/cluster/open-mpi"
PROGRAM = ROOT / "tests/mpi/programs/exchange_all.c"
AYATORI = [sys.executable, "-m", "ayatori.cli"]


def in_lab(file: Path, words: Sequence[str | Path]) -> str:
    lab = [*AYATORI, "lab", "cluster", file, "--slower", "10", "--", *words]
    return subprocess.run(lab, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def settings_for(file: Path) -> tuple[list[str], int]:
    """Those of doctor for Open MPI, and the number of hosts."""
    call = f'"{sys.executable}" -m ayatori.cli doctor --hosts "$AYATORI_LAB_HOSTFILE" --json'
    data = json.loads(in_lab(file, ["sh", "-c", call]))
    return data["settings"]["openmpi"], len(data["hosts"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=20, help="after which a run is taken to hang")
    limit = ["timeout", str(parser.parse_args().seconds)]
    failed = 0
    with TemporaryDirectory() as folder:
        program = Path(folder) / "exchange_all"
        subprocess.run(["mpicc.openmpi", "-O1", PROGRAM, "-o", program], check=True)
        for file in sorted(REPORTS.glob("*.toml")):
            settings, count = settings_for(file)
            mended: list[str | Path] = ["mpirun.openmpi", *settings, "-np", str(count), program]
            ways: dict[str, list[str | Path]] = {
                "plain": [*limit, "mpirun.openmpi", "-np", str(count), program],
                "doctor": [*limit, *mended],
                "doctor and plug-in": [*limit, *AYATORI, "run", "--", *mended],
            }
            outcomes = {}
            for way, words in ways.items():
                outcomes[way] = "right" if in_lab(file, words).strip() == f"right between {count}" else "hangs or fails"
            failed += sum(outcomes[way] != "right" for way in ("doctor", "doctor and plug-in"))
            print(f"{file.stem:40} " + "  ".join(f"{way}: {outcome}" for way, outcome in outcomes.items()), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""The code that the documentation shows is the code that is compiled and tested."""

import json
import os
import re
import sys
from pathlib import Path

from subprocesses import program_at, ran

ROOT = Path(__file__).parent.parent
MAX_LINES = 60


def test_the_example_of_a_source_is_short_and_as_shown() -> None:
    example = (ROOT / "examples" / "source" / "star.cpp").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "adding-a-source.md").read_text(encoding="utf-8")
    assert re.findall(r"```cpp\n(.*?)```", page, re.DOTALL) == [example]
    assert len(example.splitlines()) <= MAX_LINES


def test_the_prolog_for_slurm_plans_a_job_beside_those_that_squeue_lists(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    program_at(programs / "squeue", "printf '17 N[0-3]\\n18 N[4-9]\\n'")
    program_at(programs / "ayatori", f'exec {sys.executable} -m ayatori.cli "$@"')
    program_at(programs / "logger", 'echo "$@" >&2')
    environment = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "AYATORI_SOURCE": "fattree:K=3,levels=2",
        "AYATORI_PLANS": str(tmp_path),
        "SLURM_JOB_ID": "18",
        "SLURM_JOB_NODELIST": "N[4-9]",
    }
    script = str(ROOT / "examples" / "slurm" / "prolog")
    done = ran(["sh", script], env=environment)
    assert done.returncode == 0
    assert (tmp_path / "18.json").exists(), done.stderr
    running = json.loads((tmp_path / "running.json").read_text(encoding="utf-8"))
    assert [job["name"] for job in running["jobs"]] == ["17", "18"]
    plan = json.loads((tmp_path / "18.json").read_text(encoding="utf-8"))
    assert sum(run["ranks"] for run in plan["machines"]) == 6
    broken = ran(["sh", script], env=environment | {"AYATORI_SOURCE": "no:such"})
    assert broken.returncode == 0
    assert "job 18 runs without a plan" in broken.stderr

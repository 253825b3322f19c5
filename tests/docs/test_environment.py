"""The page of environment variables has all that the code reads or sets, and nothing else."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
OURS = re.compile(r'"((?:AYATORI|ACP|NWTOPO)_[A-Z_]*[A-Z])"')
READ = re.compile(r'(?:getenv|environ\.get)\(\s*"([A-Z_]+)"')
OF_LIBFABRIC = re.compile(r'define_parameter\(\s*&\w+, "(\w+)"')
"""libfabric reads them as FI_ and the name of the provider."""
OF_LAUNCHERS_AND_SYSTEMS = {
    *("PATH", "HOME", "LC_ALL", "LD_PRELOAD", "LD_LIBRARY_PATH", "TERM", "COMP_WORDS", "COMP_CWORD"),
    *("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TMPDIR"),
}
LAUNCHERS = ("OMPI_", "OPAL_", "PMI_", "PMIX_", "SLURM_", "HPCX_", "PJM_", "_TYPER_", "NCCL_")


def sources() -> str:
    files = [*(ROOT / "src").rglob("*.[ch]*"), *(ROOT / "python/ayatori").rglob("*.py")]
    apart = re.compile(r"_test\.c|fixtures|/tests/|/fuzz/|measured_corpus")
    return "".join(file.read_text(encoding="utf-8") for file in files if not apart.search(file.as_posix()))


def test_the_plugin_complains_of_no_variable_that_somebody_reads() -> None:
    rows = re.findall(r"^\|.*", (ROOT / "docs/environment.md").read_text(encoding="utf-8"), re.MULTILINE)
    of_page = set(re.findall(r"`(AYATORI_[A-Z_]+)`", "\n".join(rows)))
    known = "".join(
        (ROOT / "src/mpi/tuning" / name).read_text(encoding="utf-8") for name in ("settings.cpp", "mpi_call.cpp")
    )
    unknown = {name for name in of_page if f'"{name}"' not in known and f'"{name.replace("_I", "_", 1)}"' not in known}
    assert unknown == set()


def test_the_page_has_the_variables_of_the_code() -> None:
    code = sources()
    used = {*OURS.findall(code), *(f"FI_AYATORI_{name.upper()}" for name in OF_LIBFABRIC.findall(code))}
    others = {name for name in READ.findall(code) if not name.startswith(LAUNCHERS)} - OF_LAUNCHERS_AND_SYSTEMS
    page = (ROOT / "docs/environment.md").read_text(encoding="utf-8")
    rows = "\n".join(line for line in page.splitlines() if line.startswith("|"))
    assert set(re.findall(r"`([A-Z_]{4,})`", rows)) == used | others

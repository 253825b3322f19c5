"""Lines that can be copied stay whole, options that would not count are refused, and what can't be read or written is
said before anything is measured."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ayatori.base.errors import Error
from ayatori.base.units import parse_seconds
from ayatori.cli import bench_collectives
from ayatori.processes.programs import last_line

PAPER = "fattree:K=6,levels=2,nodes=30"
needs_mpirun = pytest.mark.skipif(shutil.which("mpirun") is None, reason="no MPI is installed")


def hostfile_in(folder: Path, text: str = "N0\nN7\nN13\n") -> str:
    path = folder / "hosts"
    path.write_text(text)
    return str(path)


def test_the_line_that_uses_a_table_stays_one_line(tmp_path: Path, ayatori_command) -> None:
    table = tmp_path / ("a-long-name-" * 8)
    job = ("--job", hostfile_in(tmp_path), "--collective", "broadcast", "--bytes", "1KiB")
    text = ayatori_command("choose", PAPER, *job, "--to", "openmpi", "--out", str(table)).stdout
    (line,) = (line for line in text.splitlines() if line.startswith("  mpirun "))
    assert str(table) in line and line.endswith("--mca coll_han_priority 0")
    job = ("--job", hostfile_in(tmp_path), "--pattern", "ring", "--trials", "2")
    text = ayatori_command("order", PAPER, *job, "--to", "coordinates", "--out", str(table)).stdout
    assert f"to use it: export MPIR_CVAR_COORDINATES_FILE={table}\n" in text
    assert "  as given      " in text and "as fast\n" in text


def test_what_an_order_says_of_jobs_in_which_nothing_can_change(tmp_path: Path, ayatori_command) -> None:
    for hosts, ranks in (("N0\n", "1 rank"), ("N0 slots=3\nN1 slots=1\n", "4 ranks")):
        job = ("--job", hostfile_in(tmp_path, hosts), "--collective", "barrier", "--algorithm", "tree")
        text = ayatori_command("order", PAPER, *job).stdout
        assert text.startswith(f"{PAPER}: {ranks}, barrier tree\n")
        assert "1 order was predicted; no two hosts have as many ranks" in text


@pytest.mark.parametrize(("options", "seeds"), [("", 8), ("--hash-seeds 3", 3)])
def test_hashes_that_are_asked_for_count(options: str, seeds: int, ayatori_command) -> None:
    call = ("simulate", PAPER, "--collective", "broadcast", "--algorithm", "binomial", "--method", "ecmp", "--json")
    assert ayatori_command(*call, *options.split()).json()["model"]["hash_seeds"] == seeds


def test_a_plan_that_can_not_be_written_leaves_nothing(tmp_path: Path, ayatori_command) -> None:
    out, job = tmp_path / "out", hostfile_in(tmp_path)
    out.mkdir()
    for hosts in ("--job", "--jobs"):
        refused = ayatori_command("plan", PAPER, hosts, job, "--out", str(out))
        assert refused.status == 1 and refused.stderr == f"error: can't write {out}: it is a folder\n"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["hosts", "out"]
    (tmp_path / "more").write_text("N1\nN8\n")
    more = ("--jobs", str(tmp_path / "more"))
    refused = ayatori_command("plan", PAPER, "--jobs", job, *more, "--out", str(tmp_path / "more"))
    assert refused.status == 1 and "can't write" in refused.stderr and "defect" not in refused.stderr


@pytest.mark.parametrize("verb", ["simulate", "order"])
def test_planned_steps_are_not_taken_for_the_shift(verb: str, tmp_path: Path, ayatori_command) -> None:
    job = hostfile_in(tmp_path, "N0-0\nN0-1\nN1-1\n")
    call = (verb, "torus:3x3", "--job", job, "--collective", "alltoall", "--algorithm", "path-aware", "--bytes", "1KiB")
    ayatori_command(*call).refused(1, "forwarding tables", "hint: --method base-lids")
    ayatori_command(*call, "--method", "base-lids").good()


def test_calibrate_looks_at_its_files_before_it_measures(tmp_path: Path, ayatori_command) -> None:
    one = hostfile_in(tmp_path, "N0\n# N1\n")
    refused = ayatori_command("calibrate", "--hostfile", one)
    refused.refused(1, f"{one} names 1 host: messages are measured between the first two\n")


@needs_mpirun
def test_calibrate_says_when_what_should_start_mpi_does_not(tmp_path: Path, ayatori_command) -> None:
    ayatori_command("calibrate", "--mpirun", "true", "--seconds", "10ms", "--out", str(tmp_path / "out")).refused(
        1, "the program that measures printed nothing that can be read"
    )


@pytest.mark.parametrize(
    ("family", "text", "right"),
    [
        ("openmpi", "# of Open MPI 4.1\n2 # collectives\n", True),
        ("openmpi", '{"rule_file_version": 3}', False),
        ("openmpi", "N0\n", False),
        ("mpich", '{"collective=bcast": {}}', True),
        ("mpich", "2 # collectives\n", False),
        ("mpich", "", False),
    ],
)
def test_a_table_of_another_library_is_refused(family: str, text: str, right: bool, tmp_path: Path) -> None:
    table = tmp_path / "table"
    table.write_text(text)
    if right:
        bench_collectives.check_table(family, table)
    else:
        with pytest.raises(Error, match="is no table of"):
            bench_collectives.check_table(family, table)


def test_the_last_line_says_something(tmp_path: Path) -> None:
    """Open MPI ends what it says with a line of dashes."""
    errors = tmp_path / "errors"
    errors.write_text("-----\nmpirun noticed that rank 0 exited\n-----\n\n")
    assert last_line(errors) == "mpirun noticed that rank 0 exited"
    errors.write_text("---\n")
    assert last_line(errors) == ""


def test_where_output_goes_nothing_else_is_written(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("mine\n")
    job = ("--job", hostfile_in(tmp_path), "--pattern", "ring", "--trials", "2", "--out", "/dev/stdout")
    with log.open("a") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "ayatori.cli", "order", PAPER, *job],
            stdout=stdout, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1 and "can't write /dev/stdout: what is printed goes there" in done.stderr
    assert log.read_text() == "mine\n"


def test_no_time_is_as_long_in_each_unit() -> None:
    assert parse_seconds("0") == parse_seconds("0us") == parse_seconds("0.0") == 0
    with pytest.raises(Error, match="'5' is not a time"):
        parse_seconds("5")

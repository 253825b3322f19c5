"""What `ayatori calibrate` measures here is read by all that take a calibration: predictions and tables."""

import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import plugin
import pytest

from ayatori.base.errors import Error
from ayatori.calibration import measuring
from ayatori.calibration.fitting import one_way
from ayatori.calibration.measuring import Measurement, compile_program, find_mpi, measure, measure_oversubscribed
from ayatori.formats.calibration import read_calibration
from ayatori.lab.cluster import Settings, why_impossible
from subprocesses import ran

CLUSTER = """
[planes.fast]
rate = "4xHDR"

[[switches]]
name = "switch"
plane = "fast"

[[hosts]]
name = "HOSTS"
links = [{ to = "switch" }]
"""
"""Its cables let a measurement of large messages pass at once."""


def ayatori(everything: bool) -> list[str]:
    """The command line; with measurements that are over soon unless `everything` is asked for."""
    quick = str(Path(__file__).with_name("quick_measurements.py"))
    return [sys.executable, *(["-m", "ayatori.cli"] if everything else [quick])]


@plugin.needs("openmpi")
def test_what_is_measured_here_is_what_predictions_and_tables_take_and_the_plugin_executes(
    tmp_path: Path, ayatori_command, everything: bool
) -> None:
    """By Open MPI, two ranks on this machine. No time is compared: the machine may be busy."""
    (tmp_path / "cluster.toml").write_text(CLUSTER.replace("HOSTS", platform.node()), encoding="utf-8")
    (tmp_path / "hosts").write_text(f"{platform.node()} slots=2\n", encoding="utf-8")

    def said(*words: str) -> str:
        done = ayatori_command(*words, cwd=tmp_path, env=plugin.OPEN_MPI_HERE).good()
        return done.stdout

    measure = ["calibrate", "--mpirun", "mpirun.openmpi", "--seconds", "10ms", "--out", "measured.json"]
    subprocess.run(
        [*ayatori(everything), *measure], cwd=tmp_path, env=os.environ | plugin.OPEN_MPI_HERE, check=True, timeout=300
    )
    measured = read_calibration(tmp_path / "measured.json")
    assert measured.mpi.startswith("Open MPI") and measured.machine.startswith(platform.node())
    assert measured.between is None

    job = ["cluster:cluster.toml", "--job", "hosts", "--calibration", "measured.json"]
    of_one = ["--collective", "broadcast", "--algorithm", "linear", "--bytes", "4KiB", "--json"]
    predicted = json.loads(said("simulate", *job, *of_one))
    costs = predicted["model"]["costs"]
    assert costs["origin"].startswith(f"measured on {measured.machine} with {measured.mpi}")
    for name in ("latency", "eager_limit", "rendezvous", "bandwidth"):
        assert costs["inside"][name] == pytest.approx(getattr(measured.inside, name)), name
    # The one message takes its latency, which may be 0 in memory, and what it costs both ranks, at least.
    assert predicted["time_s"] >= 0.999 * one_way(measured.inside, 4096) > 0

    said("choose", *job, "--collective", "allreduce", "--bytes", "4B..4KiB", "--out", "table.json")
    table = json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))
    assert table["model"]["costs_from"] == costs["origin"]
    chosen = table["collectives"]["allreduce"]["intervals"][0]["algorithm"]

    mpi = plugin.Mpi("openmpi", tmp_path)
    variables = {"AYATORI_VERBOSE": "1", "AYATORI_CHOICE": str(tmp_path / "table.json")}
    done = mpi.run(2, mpi.compiled("check_often.c"), "2000", **variables)
    assert (done.returncode, done.stdout.strip()) == (0, "right"), done.stdout + done.stderr
    assert f"MPI_Allreduce on 2 ranks: {chosen}, by the choice table" in done.stderr, done.stderr


@plugin.needs("openmpi")
def test_a_measurement_ends_at_its_deadline_with_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was over before it began has nothing; the largest sizes are left out first."""
    for name, value in plugin.OPEN_MPI_HERE.items():
        monkeypatch.setenv(name, value)
    mpi = find_mpi("mpirun.openmpi")
    program = compile_program(mpi, tmp_path)
    monkeypatch.setattr(measuring, "MORE_SECONDS", -1.0)
    with pytest.raises(Error, match="the time was over before a message was measured"):
        measure(mpi, [program], tmp_path, 0.1, None, sizes=[8, 64])
    monkeypatch.setattr(measuring, "MORE_SECONDS", 10.0)
    measured = measure(mpi, [program], tmp_path, 0.1, None, sizes=[8, 64])
    reached = set(measured.medians("one_way"))
    assert reached and not reached & set(measured.unreached)
    assert all(size > max(reached) for size in measured.unreached)


@plugin.needs("openmpi")
def test_ranks_that_take_turns_are_measured_at_the_pace_of_the_others_if_it_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in plugin.OPEN_MPI_HERE.items():
        monkeypatch.setenv(name, value)
    mpi = find_mpi("mpirun.openmpi")
    program = compile_program(mpi, tmp_path)
    measured = measure(mpi, [program], tmp_path, 0.1, None, sizes=[8])
    cores = len(os.sched_getaffinity(0))
    assert 0 < measured.pace < 1e-3 or cores == 1

    def turns_at(pace: float) -> bool:
        at = Measurement("", (), True, 1, measured.eager_limit, {}, pace)
        oversubscribed = measure_oversubscribed(mpi, program, tmp_path, 0.05, at, sizes=[8])
        assert oversubscribed.ranks == 2 * cores and oversubscribed.steps[8] > 0 and oversubscribed.hop > 0
        return oversubscribed.at_another_pace

    assert turns_at(1.0), "no cache line takes a second"
    assert not turns_at(0.0), "any pace"


@plugin.needs("openmpi")
@pytest.mark.skipif(bool(why_impossible(Settings())), reason=why_impossible(Settings()))
def test_two_hosts_of_a_hostfile_are_measured_over_their_network(
    tmp_path: Path, ayatori_command, everything: bool
) -> None:
    """In network namespaces: what the hosts send to each other passes their cables, as the kernel counts."""
    (tmp_path / "cluster.toml").write_text(CLUSTER.replace("HOSTS", "a[1-2]"), encoding="utf-8")
    measure = "calibrate --mpirun mpirun.openmpi --seconds 10ms --links 2 --out measured.json"
    measure = f'{shlex.join(ayatori(everything))} {measure} --hostfile "$AYATORI_LAB_HOSTFILE"'
    script = f"{measure} && ip -n a2 -j -s link show fast0 > links.json"
    done = ran(
        [*ayatori(True), "lab", "cluster", "cluster.toml", "--", "sh", "-c", script],
        cwd=tmp_path,
        env=plugin.OPEN_MPI_HERE,
        seconds=200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "between a1 and a2: one rank each" in done.stderr
    measured = read_calibration(tmp_path / "measured.json")
    assert measured.between is not None and measured.links_between == 2
    assert any(error.what.endswith(" between") for error in measured.errors)
    assert not any("are one machine" in remark for remark in measured.remarks), measured.remarks
    [link] = json.loads((tmp_path / "links.json").read_text(encoding="utf-8"))
    assert link["stats64"]["tx"]["bytes"] > 9 * 4 << 20, "the messages of 4 MiB of two rounds"

    (tmp_path / "hosts").write_text("a1\na2\n", encoding="utf-8")
    call = ["--collective", "broadcast", "--algorithm", "linear", "--bytes", "4KiB", "--calibration", "measured.json"]
    costs = ayatori_command("simulate", "cluster:cluster.toml", "--job", "hosts", *call, "--json", cwd=tmp_path).json()[
        "model"
    ]["costs"]
    assert costs["origin"] == f"measured on {measured.machine} with {measured.mpi}"
    for name in ("eager_limit", "rendezvous", "bandwidth"):
        assert costs["between"][name] == pytest.approx(getattr(measured.between, name)), name


@pytest.mark.parametrize(("mpirun", "mpicc"), [("openmpi", "mpich"), ("mpich", "openmpi")])
def test_a_compiler_of_another_mpi_is_refused(mpirun: str, mpicc: str, ayatori_command) -> None:
    if not (shutil.which(f"mpirun.{mpirun}") and shutil.which(f"mpicc.{mpicc}")):
        pytest.skip("there is only one MPI here")
    done = ayatori_command("calibrate", "--mpirun", f"mpirun.{mpirun}", "--mpicc", f"mpicc.{mpicc}")
    done.refused(1, f"compiles for {mpicc}, and ", f"mpirun.{mpirun} starts {mpirun}", "--mpicc PROGRAM")

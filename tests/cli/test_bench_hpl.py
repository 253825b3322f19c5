"""ayatori bench hpl: what is read of HPL's output, what is run, and that solutions are right."""

import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ayatori.base.compiled import PROGRAMS
from ayatori.base.errors import Error
from ayatori.linpack.input_file import input_text
from ayatori.linpack.mixed import parse_mixed
from ayatori.linpack.output_file import Residual, SolvedSystem, parse_output
from ayatori.linpack.running import Launcher, local_size, random_access_bytes, refused_bytes, run_in
from ayatori.linpack.settings import PRESETS, Plane, Point, Variant, operations_of, order_for
from ayatori.linpack.sweep import Sweep, results_of
from ayatori.report.hpl_page import hpl_rows
from subprocesses import program_at

needs_hpcc = pytest.mark.skipif(
    not (shutil.which("hpcc") and shutil.which("mpirun.openmpi")), reason="hpcc is not installed"
)
MIXED = PROGRAMS / "hpl_mixed_openmpi"
needs_mixed = pytest.mark.skipif(
    not (MIXED.exists() and shutil.which("mpirun.openmpi")), reason="hpl_mixed_openmpi was not built"
)

FORMULA = "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)"


def printed(test: SolvedSystem) -> str:
    """As HPL_pdtest prints it."""
    seconds = operations_of(test.order) / test.gflops / 1e9
    lines = [f"{test.variant:8s}{test.order:12d} {test.block:5d} {test.rows:5d} {test.columns:5d} "]
    lines[0] += f"{seconds:18.2f} {test.gflops:18.3e}"
    for residual in test.residuals:
        verdict = "PASSED" if residual.passed else "FAILED"
        lines.append("-" * 80)
        lines.append(f"{residual.formula}= {residual.value:16.7f} ...... {verdict}")
    return "\n".join(lines)


def solved_systems() -> st.SearchStrategy[SolvedSystem]:
    residual = st.builds(Residual, st.just(FORMULA), st.floats(0, 1e6), st.booleans())
    return st.builds(
        SolvedSystem,
        st.sampled_from(["WR10C2R4", "WC01L16R12", "WR00R2C1"]),
        st.integers(100, 10**6),
        st.integers(1, 512),
        st.integers(1, 99),
        st.integers(1, 99),
        st.just(0.0),
        st.floats(0.01, 9e4),
        st.lists(residual, min_size=1, max_size=3).map(tuple),
    )


def around(body: str) -> str:
    """With what stands around HPL's section in hpcc's file, where another benchmark prints numbers, too."""
    head = "Begin of PTRANS section.\nTIME   M     N    MB  NB  P   Q     TIME   CHECK   GB/s\nEnd of PTRANS section.\n"
    explained = f"- The following scaled residual check will be computed:\n      {FORMULA}\n"
    return f"{head}Begin of HPL section.\n{explained}{body}\nEnd of HPL section.\n||Ax-b|| later\n"


@given(st.lists(solved_systems(), max_size=4), st.booleans())
def test_what_hpl_prints_is_read(expected: list[SolvedSystem], in_hpcc: bool) -> None:
    body = "\n".join(printed(test) for test in expected)
    found = parse_output(around(body) if in_hpcc else body)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert (one.variant, one.order, one.block) == (other.variant, other.order, other.block)
        assert (one.rows, one.columns, one.passed) == (other.rows, other.columns, other.passed)
        assert one.gflops == pytest.approx(other.gflops, rel=1e-3)
        assert one.seconds == pytest.approx(operations_of(one.order) / one.gflops / 1e9)
        assert [r.value for r in one.residuals] == pytest.approx([r.value for r in other.residuals], abs=1e-6)


@given(st.lists(solved_systems(), min_size=1, max_size=2), st.data())
def test_damaged_output_is_read_or_refused_and_invents_no_tests(
    expected: list[SolvedSystem], data: st.DataObject
) -> None:
    text = list(around("\n".join(printed(test) for test in expected)))
    for _ in range(data.draw(st.integers(1, 5))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.sampled_from(list(" \n0129.eEW-|=NaPF\0é")))
    damaged = "".join(text)[: data.draw(st.integers(0, len(text)))]
    try:
        found = parse_output(damaged)
    except Error:
        return
    assert len(found) <= len(expected)
    assert all(test.residuals and math.isfinite(test.seconds) for test in found)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_output(text)
    except Error:
        pass
    try:
        parse_mixed(text)
    except Error:
        pass


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (("...... PASSED", "...... FAILED"), None),
        (("       0.0039687", "             nan"), None),
        (("3.713e+01", "3.713e+00"), "which is not 3.713 GFlop/s"),
        (("3.713e+01", "0.000e+00"), "figures that can't be"),
        (("     1     2 ", "     1       "), "not as HPL prints a test"),
        (("||Ax-b||", "||Bx-b||"), "has no residual"),
        (("0 tests skipped", "1 tests skipped"), "skipped 1"),
    ],
)
def test_what_is_wrong_with_output_is_said(change: tuple[str, str], cause: str | None) -> None:
    good = (
        "WR10C2R4        1000    80     1     2               0.02              3.713e+01\n"
        f"{FORMULA}=        0.0039687 ...... PASSED\n"
        "              0 tests skipped because of illegal input values.\n"
    )
    assert parse_output(good)[0].passed
    text = good.replace(*change)
    assert text != good
    if cause is None:
        assert not (parse_output(text)[0].passed and math.isfinite(parse_output(text)[0].residuals[0].value))
        return
    with pytest.raises(Error, match="HPL") as raised:
        parse_output(text)
    assert cause in str(raised.value) + (raised.value.cause or "")


def test_table_3_is_a_preset() -> None:
    preset = PRESETS["paper3"]
    assert (preset.order, preset.blocks, preset.grids) == (6400, (32, 64, 128), ((1, 8), (1, 4), (1, 1)))
    text = input_text(Point(preset.order, 64, 1, 8), Variant(preset.broadcast), hpcc=True).splitlines()
    values = {" ".join(line.split()[1:]): line.split()[0] for line in text}
    assert values["BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)"] == "0"
    assert (values["Ns"], values["NBs"], values["Ps"], values["Qs"]) == ("6400", "64", "1", "8")


@given(st.integers(1 << 20, 1 << 50), st.lists(st.sampled_from([16, 32, 64, 100, 128]), min_size=1, max_size=3))
def test_the_matrix_fits_into_its_share_of_memory(memory: int, blocks: list[int]) -> None:
    order = order_for(memory, tuple(blocks))
    assert 8 * order**2 <= 0.8 * memory
    assert order % max(blocks) == 0 or order == 10_000_000
    assert 8 * (order + math.lcm(*blocks) + max(blocks)) ** 2 > 0.8 * memory or order == 10_000_000


@given(st.integers(1, 500), st.integers(1, 70), st.integers(1, 7))
def test_blocks_are_dealt_out_in_turns(count: int, block: int, places: int) -> None:
    owners = [(i // block) % places for i in range(count)]
    assert [local_size(count, block, place, places) for place in range(places)] == [
        owners.count(place) for place in range(places)
    ]


@pytest.mark.parametrize("point", [Point(6400, 128, 1, 4), Point(20000, 64, 2, 2), Point(6400, 32, 1, 8)])
def test_hpls_own_arrays_are_never_refused(point: Point) -> None:
    least, most = refused_bytes(point)
    panel = 8 * point.block * (point.order // point.rows + point.order // point.columns + 3 * point.block)
    matrix = 8 * point.order // point.rows * (point.order // point.columns)
    assert panel < least < most
    assert most < matrix


def test_random_access_gets_no_table() -> None:
    """Sizes that hpcc 1.5.0 asked for."""
    assert 8_388_608 in random_access_bytes(Point(3200, 128, 1, 8))
    assert random_access_bytes(Point(100, 8, 1, 4)) == []


def test_open_mpi_is_given_the_network_of_an_interface_whose_name_begins_with_a_digit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Open MPI would take the name for an address, ignore it, and use every network."""
    said = '[{"addr_info": [{"local": "10.65.0.3", "prefixlen": 16}]}]'
    program_at(tmp_path / "ip", f"[ $5 = 10gbe0 ] && echo '{said}'")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    launcher = Launcher(("mpirun.openmpi",))
    assert launcher.command(2, Plane("10gbe", "10gbe0"))[-3:] == ["10.65.0.0/16", "-np", "2"]
    assert launcher.command(2, Plane("10gbe", "10.64.0.0/16"))[-3:] == ["10.64.0.0/16", "-np", "2"]
    with pytest.raises(Error, match="no option makes Open MPI use 40gbe0"):
        launcher.command(2, Plane("40gbe", "40gbe0"))


def test_networks_are_given_to_either_mpi() -> None:
    assert Launcher().command(4, Plane()) == ["mpirun.openmpi", "--oversubscribe", "-np", "4"]
    by_name = Launcher(("mpirun.openmpi", "-q")).command(2, Plane("ib", "ib0"))
    assert by_name == "mpirun.openmpi -q --mca pml ob1 --mca btl_tcp_if_include ib0 -np 2".split()
    assert Launcher(("mpirun.mpich",)).command(2, Plane("ib", "ib0")) == "mpirun.mpich -iface ib0 -np 2".split()


def test_results_are_medians_over_the_runs_and_fail_if_one_run_did() -> None:
    sweep = Sweep((100,), (16, 32), ((1, 1),), repeats=3)
    assert [point.block for point in sweep.runs()] == [16, 32] * 3

    def run(gflops: float, passed: bool) -> dict:
        residual = {"formula": FORMULA, "value": 0.1 if passed else math.nan, "passed": passed}
        test = {"variant": "W", "gflops": gflops, "seconds": 1 / gflops, "residuals": [residual], "passed": passed}
        return {"hpl": test, "mixed": None}

    runs = [run(1, True), run(5, True), run(3, True), run(6, False), run(2, True), run(7, True)]
    first, second = results_of(sweep, runs)
    assert (first["gflops"], first["passed"]) == ({"median": 2, "min": 1, "max": 3}, True)
    assert (second["gflops"]["median"], second["passed"], math.isnan(second["residual"])) == (6, False, True)


def test_figures_of_a_machine_whose_cores_others_had_are_too_noisy() -> None:
    residual = {"formula": FORMULA, "value": 0.1, "passed": True}
    test = {"variant": "W", "gflops": 1.0, "seconds": 1.0, "residuals": [residual], "passed": True}

    def result(others: float, stolen: float, seconds: tuple[float, ...] = (1.0, 1.0)) -> tuple[bool, list[str], str]:
        machine = {"speed": {"arithmetic": 1.0, "memory": 1.0}, "others": others, "stolen": stolen}
        runs = [{"hpl": test | {"seconds": time}, "mixed": None, "machine": machine} for time in seconds]
        [found] = results_of(Sweep((100,), (16,), ((1, 1),), repeats=len(runs)), runs)
        return found["too_noisy"], found["causes"], hpl_rows([found])[1][0][-1]

    assert result(0.04, 0.0) == (False, [], "ok")
    assert result(0.6, 0.0) == (True, ["other processes had 60% of the cores"], "too noisy")
    assert result(0.0, 0.1, (1.0,)) == (True, ["10% of the cores was stolen by other virtual machines"], "too noisy")
    assert result(0.0, 0.0, (1.0, 1.0, 1.5, 1.5))[0], "the times differ by themselves"


@needs_hpcc
def test_a_threshold_below_the_residual_fails(ayatori_command, tmp_path: Path) -> None:
    options = ("--matrix-order", "50", "--nb", "16", "--threshold", "1e-9", "--json")
    outcome = ayatori_command("bench", "hpl", *options, cwd=tmp_path)
    assert outcome.status == 3, outcome.stderr
    [result] = json.loads(outcome.stdout)["results"]
    assert result["residual"] > 1e-9 and not result["passed"]


@needs_hpcc
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    launcher, first, go_on = tmp_path / "launcher", tmp_path / "first", tmp_path / "go_on"
    launcher.write_text(
        f"#!/bin/sh\nif [ -e {first} ] && [ ! -e {go_on} ]; then exec sleep 600; fi\n"
        f'touch {first}\nexec mpirun.openmpi --oversubscribe "$@"\n'
    )
    launcher.chmod(0o755)
    options = ["--matrix-order", "50", "--nb", "8,16,24", "--launch", str(launcher), "--json"]
    command = [sys.executable, "-m", "ayatori.cli", "bench", "hpl", *options]
    killed = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (kept := list(tmp_path.glob("*.partial"))) and killed.poll() is None:
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    saved = json.loads(kept[0].read_text())["results"]["runs"]
    assert len(saved) == 1
    go_on.touch()
    done = subprocess.run([*command, "--resume"], cwd=tmp_path, capture_output=True, text=True, check=True)
    results = json.loads(done.stdout)["results"]
    assert [result["nb"] for result in results] == [8, 16, 24]
    assert results[0]["gflops"]["median"] == saved[0]["hpl"]["gflops"]
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--program nohpl", "nohpl is not installed"),
        ("--launch nompirun", "nompirun is not installed"),
        ("--matrix-order 99999999", "out of range"),
    ],
)
def test_what_can_not_be_run_is_said_before(words: str, said: str, ayatori_command, tmp_path: Path) -> None:
    if not shutil.which("hpcc") and "--program" not in words:
        pytest.skip("hpcc is not installed")
    ayatori_command("bench", "hpl", "--matrix-order", "100", *words.split(), cwd=tmp_path).refused(1, said)
    assert not list(tmp_path.iterdir())


def splitmix(values: np.ndarray) -> np.ndarray:
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def system(order: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """linear_system.hpp's matrix and right-hand side."""
    places = np.arange(order * (order + 1), dtype=np.uint64)
    uniform = (splitmix(splitmix(np.array([seed], np.uint64)) + places) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    columns = (uniform - 0.5).reshape(order + 1, order)
    return columns[:order].T.copy(), columns[order]


@needs_mixed
@pytest.mark.parametrize(("order", "block", "processes"), [(1, 1, 1), (130, 32, 1), (97, 16, 3)])
def test_mixed_precision_solves_what_numpy_and_lapack_solve(
    order: int, block: int, processes: int, tmp_path: Path
) -> None:
    seed = order + 7
    words = [*Launcher().command(processes, Plane()), str(MIXED), str(order), str(block), "check", str(seed)]
    output = run_in(tmp_path, words).output
    data = json.loads(next(line for line in output.splitlines() if line.startswith("{")))
    matrix, right = system(order, seed)
    x = np.linalg.solve(matrix, right)
    accuracy = 1e-14 * np.linalg.cond(matrix) * order
    assert data["x_sum"] == pytest.approx(float(np.arange(1, order + 1) @ x), abs=accuracy * order * np.abs(x).max())
    assert 0 <= data["difference"] < accuracy
    assert 0 <= data["residual"] < 16
    assert 0 <= data["iterations"] <= 10

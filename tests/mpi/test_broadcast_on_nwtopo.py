"""The broadcast on nwtopo.h (examples/trinaryx3_broadcast.c), compiled as a user compiles it: what it sends, and that
real MPIs and SMPI execute it."""

import subprocess
from pathlib import Path

import plugin
import pytest

import ayatori
from ayatori import _core
from ayatori.prediction.predictor import Predictor
from bench.validation import smpi
from bench.validation.selectors import torus_platform

ROOT = plugin.ROOT
SIZES = (1, 1000, 65536, 1 << 20)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("library") / "trinaryx3_broadcast.so"
    includes = [f"-I{ROOT / folder / 'include'}" for folder in ("src/nwtopo", "src/planner")]
    linked = [f"-L{ROOT / 'build/release/lib'}", f"-Wl,-rpath,{ROOT / 'build/release/lib'}", "-lnwtopo"]
    warnings = ["-std=c99", "-Wall", "-Wextra", "-Werror"]
    source = str(ROOT / "examples/trinaryx3_broadcast.c")
    subprocess.run(["cc", *warnings, "-shared", "-fPIC", *includes, source, *linked, "-o", str(made)], check=True)
    return made


def made(
    library: Path, shape: str, root: int, size: int, chunk: int = 0
) -> tuple[_core.Schedule | None, str, _core.Schedule]:
    """The library's schedule, why there is none, and the built-in algorithm's."""
    network = ayatori.open_source(f"torus:{shape}")
    placement = Predictor(network).placement(ayatori.contiguous_jobs(network, [len(network.machines)], 1)[0])
    options = _core.AlgorithmOptions()
    options.chunk_bytes = chunk
    theirs, why = _core.load_algorithm(f"library:{library}").make("broadcast", root, size, placement, options)
    return theirs, why, _core.make_schedule("trinaryx3", "broadcast", root, size, placement, options)


@pytest.mark.parametrize("chunk", [0, 1000])
def test_it_sends_what_the_built_in_one_sends(library: Path, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setenv("NWTOPO_SOURCE", "torus:3x2x4")
    for root in (0, 7):
        for size in SIZES:
            theirs, why, ours = made(library, "3x2x4", root, size, chunk)
            assert theirs is not None, why
            assert theirs.sends_the_same_as(ours), (root, size)
    # The library has loaded its topology, and the call is another one's.
    theirs, why, _ = made(library, "4x4", 0, 1000)
    assert theirs is None
    assert "the job is not one rank on each machine of a torus" in why


@pytest.mark.parametrize("family", plugin.families())
def test_mpi_programs_broadcast_by_it(family: str, library: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    mpi = plugin.made(family, tmp_path_factory)
    variables = {
        "NWTOPO_SOURCE": "torus:2x2x2",
        "AYATORI_RANKS_PER_MACHINE": "1",
        "AYATORI_BCAST": f"library:{library}",
        "AYATORI_REDUCE": "mapped-binary:chunk=1000",
        "AYATORI_ALLREDUCE": "sixcolour:chunk=500",
        "AYATORI_VERBOSE": "1",
    }
    done = mpi.run_well(8, "check_collectives.cpp", "8", "140", **variables)
    assert "140 rounds, 0 failures" in done.stdout
    assert f"MPI_Bcast on 8 ranks: library:{library}, forced by AYATORI_BCAST" in done.stderr


def test_without_the_network_the_mpi_broadcasts(library: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    family = next((name for name in plugin.FAMILIES if plugin.library(name).exists()), None)
    if family is None:
        pytest.skip("no MPI is installed")
    mpi = plugin.made(family, tmp_path_factory)
    done = mpi.run_well(2, "check_collectives.cpp", "4", "14", AYATORI_BCAST=f"library:{library}", AYATORI_VERBOSE="1")
    assert "14 rounds, 0 failures" in done.stdout


@pytest.mark.skipif(not smpi.smpi_is_there(), reason="SimGrid (libsimgrid-dev) is not installed")
def test_smpi_executes_it_in_the_time_of_the_built_in_one(library: Path) -> None:
    calls = [f"broadcast {name} 65536 grid=2x3x2 root=5 check=1" for name in (f"library:{library}", "trinaryx3")]
    variables = {"NWTOPO_SOURCE": "torus:2x3x2"}
    theirs, ours = smpi.execute_calls(torus_platform((2, 3, 2)), 12, calls, "node-{}", variables=variables)
    assert theirs == pytest.approx(ours, rel=1e-9)

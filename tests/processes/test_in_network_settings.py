"""Reductions in switches: what `ayatori run` sets, with a faked installation of them."""

from pathlib import Path

import pytest

from ayatori.processes import find_in_network, mpi_job
from subprocesses import program_at

HCOLL = {"OMPI_MCA_coll_hcoll_enable": "1", "HCOLL_ENABLE_SHARP": "1"}
UCC = {
    "OMPI_MCA_coll_ucc_enable": "1",
    "OMPI_MCA_coll_ucc_priority": "100",
    "OMPI_UCC_CL_BASIC_TLS": "ucp,sharp",
}
MPIRUN = """[ "$1" = --version ] && echo "mpirun (Open MPI) 4.1.7a1" && exit
env
"""


def installed(folder: Path, *libraries: str) -> dict[str, str]:
    """An Open MPI in a folder of its own with these files in its lib; the environment that finds it."""
    for name in ("bin", "lib/openmpi", "lib/ucc"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    program_at(folder / "bin/mpirun", MPIRUN)
    for library in libraries:
        (folder / "lib" / library).touch()
    return {"PATH": f"{folder}/bin:/usr/bin:/bin"}


@pytest.mark.parametrize(
    ("libraries", "by", "settings"),
    [
        (("openmpi/mca_coll_hcoll.so", "libhcoll.so.1", "libsharp_coll.so.5"), "HCOLL", HCOLL),
        (("openmpi/mca_coll_ucc.so", "libucc.so.1", "ucc/libucc_tl_sharp.so", "libsharp_coll.so"), "UCC", UCC),
    ],
)
def test_settings_are_for_what_is_there(
    libraries: tuple[str, ...], by: str, settings: dict[str, str], tmp_path: Path
) -> None:
    found = find_in_network("mpirun", "openmpi", installed(tmp_path, *libraries))
    assert (found.by, dict(found.settings), found.why_not) == (by, settings, "")


def test_nothing_is_set_if_a_library_is_missing(tmp_path: Path) -> None:
    found = find_in_network("mpirun", "openmpi", installed(tmp_path, "openmpi/mca_coll_hcoll.so", "libhcoll.so"))
    assert not found.settings and found.why_not == "HCOLL: libsharp_coll.so not found"
    found = find_in_network("mpirun", "openmpi", installed(tmp_path / "other", "libhcoll.so", "libsharp_coll.so"))
    assert not found.settings and "without the components" in found.why_not
    assert "only Open MPI" in find_in_network("mpirun", "mpich", installed(tmp_path)).why_not


def test_libraries_are_found_where_modules_of_hpc_x_say(tmp_path: Path) -> None:
    environment = installed(tmp_path / "ompi", "openmpi/mca_coll_hcoll.so")
    for name, library in (("hcoll", "libhcoll.so"), ("sharp", "libsharp_coll.so")):
        (tmp_path / name / "lib").mkdir(parents=True)
        (tmp_path / name / "lib" / library).touch()
    assert not find_in_network("mpirun", "openmpi", environment).settings
    environment |= {"HPCX_HCOLL_DIR": str(tmp_path / "hcoll"), "HPCX_SHARP_DIR": str(tmp_path / "sharp")}
    assert find_in_network("mpirun", "openmpi", environment).settings == HCOLL
    environment["HCOLL_ENABLE_SHARP"] = "0"
    assert "HCOLL_ENABLE_SHARP" not in find_in_network("mpirun", "openmpi", environment).settings


def test_run_sets_them_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    libraries = ("openmpi/mca_coll_hcoll.so", "libhcoll.so.1", "libsharp_coll.so.5")
    for name, value in installed(tmp_path, *libraries).items():
        monkeypatch.setenv(name, value)
    plugins = tmp_path / "plugins"
    (plugins / "openmpi").mkdir(parents=True)
    (plugins / "openmpi/libayatori_mpi.so").touch()
    job = mpi_job(["mpirun", "program"], plugins, {"AYATORI_VERBOSE": "1"})
    assert HCOLL.items() <= dict(job.variables).items() and "HCOLL_ENABLE_SHARP=1" in job.in_words()
    assert {"HCOLL_ENABLE_SHARP", "AYATORI_VERBOSE"} <= set(job.environment()["OMPI_MCA_mca_base_env_list"].split(";"))


def test_bench_overlap_says_why_nothing_is_offloaded(tmp_path: Path, ayatori_command) -> None:
    words = ["bench", "overlap", "--here", "--mpi", "mpich", "--mechanisms", "offload", "--calls", "iallreduce"]
    ayatori_command(*words, cwd=tmp_path).refused(1, "offload is not measured: mpich: only Open MPI")

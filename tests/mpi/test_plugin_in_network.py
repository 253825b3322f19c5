"""The plug-in tells that the MPI reduces in switches; SHARP's library is a faked one."""

import subprocess
from pathlib import Path

import plugin


def test_a_library_of_sharp_that_is_loaded_is_told_of(mpi: plugin.Mpi, tmp_path: Path) -> None:
    sharp = tmp_path / "libsharp_coll.so.5"
    words = ["cc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", str(sharp)]
    assert subprocess.run(words, check=False, timeout=60).returncode == 0
    for before in ([], [sharp]):
        done = mpi.run(2, "end_early.c", before=before, AYATORI_VERBOSE="1")
        assert ("reductions in switches (SHARP)" in done.stderr) == bool(before), done.stderr

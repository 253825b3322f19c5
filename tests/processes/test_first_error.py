"""Launchers say first why a job does not start; what they say last is what follows from it."""

from pathlib import Path

import pytest

from ayatori.processes.programs import first_error

DASHES = "-" * 74
SAID = {
    "Open MPI 4.1, no such program": (
        f"""{DASHES}
mpirun was unable to launch the specified application as it could not access
or execute an executable:

Executable: ./nosuch
Node: vm

while attempting to start process rank 0.
{DASHES}
""",
        "mpirun was unable to launch the specified application as it could not access or execute an executable: "
        "Executable: ./nosuch Node: vm",
    ),
    "Open MPI 4.1, no hostfile": (
        f"""{DASHES}
Open RTE was unable to open the hostfile:
    nofile
Check to make sure the path and filename are correct.
{DASHES}
{DASHES}
An internal error has occurred in ORTE:

[[1436,0],0] FORCE-TERMINATE AT (null):1 - error ../../../../../orte/mca/ras/base/ras_base_allocate.c(352)

This is something that should be reported to the developers.
{DASHES}
""",
        "Open RTE was unable to open the hostfile: nofile Check to make sure the path and filename are correct.",
    ),
    "Open MPI 5, too few slots": (
        f"""{DASHES}
There are not enough slots available in the system to satisfy the 99
slots that were requested by the application:

  hostname

Either request fewer procs for your application, or make more slots
available for use.
{DASHES}
""",
        "There are not enough slots available in the system to satisfy the 99 slots that were requested by the "
        "application: hostname",
    ),
    "Open MPI, unknown option": (
        """mpirun.openmpi: Error: unknown option "--wrong"
Type 'mpirun.openmpi --help' for usage.
""",
        'mpirun.openmpi: Error: unknown option "--wrong"',
    ),
    "MPICH, no hostfile": (
        """[mpiexec@vm] HYDU_parse_hostfile (utils/args/args.c:319): unable to open host file: nofile
[mpiexec@vm] mfile_fn (ui/mpich/utils.c:333): error parsing hostfile
[mpiexec@vm] main (ui/mpich/mpiexec.c:127): error parsing parameters
""",
        "[mpiexec@vm] HYDU_parse_hostfile (utils/args/args.c:319): unable to open host file: nofile",
    ),
    "no such host": (
        f"""Warning: Permanently added 'n1' (ED25519) to the list of known hosts.
ssh: Could not resolve hostname n2: Name or service not known
{DASHES}
ORTE was unable to reliably start one or more daemons.
{DASHES}
""",
        "ssh: Could not resolve hostname n2: Name or service not known",
    ),
    "nothing that sounds like an error": ("one\ntwo\n---\n", "two"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize("name", SAID)
def test_the_cause_is_found(name: str, tmp_path: Path) -> None:
    said, cause = SAID[name]
    file = tmp_path / "errors"
    file.write_text(said, encoding="utf-8")
    assert first_error(file) == cause

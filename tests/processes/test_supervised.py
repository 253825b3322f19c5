"""Children and all that they start are gone when the process that started them is gone, by whatever signal."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ayatori.processes import Child, Command, ProgramError, Supervised, last_line, run_program
from subprocesses import wait_until

SECONDS = 60.0
"""After which a test gives up; nothing is measured."""

FAMILY = """
echo $$ >>pids
(echo $$; exec sh -c 'echo $$ >>pids; sleep 1000') &
setsid sh -c 'echo $$ >>pids; trap "" TERM HUP INT; sleep 1000; sleep 1000' &
(setsid sh -c 'echo $$ >>pids; sleep 1000' &) # its parent ends at once
sleep 1000
"""
"""A shell with a child, a child in a session of its own that ignores signals, and an orphan."""

FAMILY_SIZE = 4


def is_gone(pid: int) -> bool:
    """Ended; that nobody has asked for its status yet (a zombie) does not count as life."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state in "ZX"


def pids_in(folder: Path) -> list[int]:
    """The members of a FAMILY that started in this folder, when all of them are there."""
    file = folder / "pids"
    wait_until(lambda: file.exists() and file.read_text().count("\n") == FAMILY_SIZE)
    return [int(line) for line in file.read_text().split()]


def assert_gone(pids: list[int]) -> None:
    wait_until(lambda: all(map(is_gone, pids)))


def start_family(folder: Path) -> Child:
    return Child(["sh", "-c", FAMILY], folder=folder, environment=os.environ, output=folder / "output")


HOLDERS = {
    "Child": """
import os, sys, time
from pathlib import Path
from ayatori.processes import Child
folder = Path(sys.argv[1])
child = Child(["sh", "-c", sys.argv[2]], folder=folder, environment=os.environ, output=folder / "output")
time.sleep(1000)
""",
    "Child of a thread": """
import os, sys, threading, time
from pathlib import Path
from ayatori.processes import Child
folder, children = Path(sys.argv[1]), []
def start():
    children.append(Child(["sh", "-c", sys.argv[2]], folder=folder, environment=os.environ, output=folder / "output"))
thread = threading.Thread(target=start)
thread.start()
thread.join()
time.sleep(1000)
""",
    "run_program": """
import os, sys
from pathlib import Path
from ayatori.processes import run_program
folder = Path(sys.argv[1])
run_program(
    ["sh", "-c", sys.argv[2]], folder=folder, environment=os.environ, output=folder / "output", timeout=1000
)
""",
    "run_job": """
import os, sys
from ayatori.processes import run_job
os.chdir(sys.argv[1])
run_job(["sh", "-c", sys.argv[2]], 1)
""",
    "a process that has forked": """
import os, sys, time
from pathlib import Path
from ayatori.processes import Child
folder = Path(sys.argv[1])
child = Child(["sh", "-c", sys.argv[2]], folder=folder, environment=os.environ, output=folder / "output")
if os.fork() == 0:  # holds copies of all that its parent has open
    (folder / "fork").write_text(str(os.getpid()))
time.sleep(1000)
""",
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_children_and_grandchildren_are_gone_when_their_starter_is_killed(holder: str, tmp_path: Path) -> None:
    """By SIGKILL, against which no program can do anything."""
    process = subprocess.Popen([sys.executable, "-c", HOLDERS[holder], tmp_path, FAMILY], start_new_session=True)
    try:
        pids = pids_in(tmp_path)
        assert not any(map(is_gone, pids))
        process.kill()
        process.wait()
        assert_gone(pids)
    finally:
        process.kill()
        process.wait()
        if (tmp_path / "fork").exists():
            os.kill(int((tmp_path / "fork").read_text()), signal.SIGKILL)


def test_a_killed_group_does_not_save_the_grandchildren(tmp_path: Path) -> None:
    """As a batch system ends a job: SIGKILL to the starter's whole process group."""
    process = subprocess.Popen([sys.executable, "-c", HOLDERS["Child"], tmp_path, FAMILY], start_new_session=True)
    pids = pids_in(tmp_path)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert_gone(pids)


def test_commands_are_gone_when_their_supervisor_is_killed(tmp_path: Path) -> None:
    output = (tmp_path / "output").open("wb")
    with output:
        supervised = Supervised([Command(["sleep", "1000"], os.environ)] * 2, stdout=output)
    [supervisor] = {int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]) for pid in supervised.pids}
    os.kill(supervisor, signal.SIGKILL)
    assert_gone(list(supervised.pids))
    assert supervised.wait() == -signal.SIGKILL


def test_stop_ends_the_whole_family(tmp_path: Path) -> None:
    child = start_family(tmp_path)
    pids = pids_in(tmp_path)
    assert child.pid == pids[0]
    child.stop()
    assert all(map(is_gone, pids))
    child.stop()  # once more does nothing


def test_a_forgotten_child_is_ended(tmp_path: Path) -> None:
    child = start_family(tmp_path)
    pids = pids_in(tmp_path)
    del child
    assert_gone(pids)


def test_a_child_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    started: list[Child] = []
    thread = threading.Thread(target=lambda: started.append(start_family(tmp_path)))
    thread.start()
    thread.join()
    pids = pids_in(tmp_path)
    time.sleep(0.2)
    assert not any(map(is_gone, pids))
    started[0].stop()
    assert_gone(pids)


def test_what_a_command_leaves_running_ends_with_it(tmp_path: Path) -> None:
    script = "setsid sleep 1000 & echo $! >pids"
    output = tmp_path / "output"
    environment = os.environ
    assert (
        run_program(["sh", "-c", script], folder=tmp_path, environment=environment, output=output, timeout=SECONDS) == 0
    )
    assert is_gone(int((tmp_path / "pids").read_text()))


@pytest.mark.parametrize(
    ("script", "status"),
    [("exit 0", 0), ("exit 7", 7), ("kill -KILL $$", -9), ("kill -SEGV $$", -11), ("kill -ALRM $$", -14)],
)
def test_the_status_is_that_of_the_command(script: str, status: int, tmp_path: Path) -> None:
    argv = ["sh", "-c", script]
    output = tmp_path / "output"
    assert run_program(argv, folder=tmp_path, environment=os.environ, output=output, timeout=SECONDS) == status


def test_the_first_failure_ends_the_other_commands() -> None:
    commands = [Command(["sh", "-c", script], os.environ) for script in ("sleep 1000", "exit 5", "sleep 1000")]
    supervised = Supervised(commands)
    assert supervised.wait(SECONDS) == 5
    assert all(map(is_gone, supervised.pids))


def test_commands_get_their_arguments_environment_and_folder_as_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "ab ä\udcff"
    folder.mkdir()
    output = tmp_path / "output"
    script = 'printf "%s|" "$@" "$VALUE"; pwd; env | wc -l'
    arguments = ["", "a b", "ä\udcff", "new\nline", "\u2028"]
    run_program(
        ["/bin/sh", "-c", script, "sh", *arguments],
        folder=folder,
        environment={"VALUE": "ö\udcfe", "PATH": "/usr/bin:/bin"},
        output=output,
        timeout=SECONDS,
    )
    said = os.fsdecode(output.read_bytes())
    assert said.startswith("|".join([*arguments, "ö\udcfe", str(folder)]) + "\n")
    assert int(said.split()[-1]) in (3, 4)  # those two and PWD; some shells add OLDPWD


def test_output_and_errors_go_to_their_files(tmp_path: Path) -> None:
    output, errors = tmp_path / "output", tmp_path / "errors"
    argv = ["sh", "-c", "echo out; echo err >&2; cat"]
    for errors_file, said in ((errors, ("out", "err")), (None, ("err", "err"))):
        run_program(argv, folder=tmp_path, environment=os.environ, output=output, errors=errors_file, timeout=SECONDS)
        assert (last_line(output), last_line(errors)) == said


def test_a_program_that_cannot_be_started_is_an_error(tmp_path: Path) -> None:
    no_program = tmp_path / "no-program"
    no_program.write_text("#!/no/such/interpreter\n")
    no_program.chmod(0o755)
    for argv, folder in (["/no/such/program"], tmp_path), ([no_program], tmp_path), (["true"], tmp_path / "none"):
        with pytest.raises(ProgramError, match="can't run") as error:
            Child(argv, folder=folder, environment=os.environ, output=tmp_path / "output")
        assert error.value.cause == "No such file or directory"
    with pytest.raises(FileNotFoundError):
        Supervised([Command(["true"], os.environ), Command(["/no/such/program"], os.environ)])


def test_a_program_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    output = tmp_path / "output"
    with pytest.raises(ProgramError, match="sh did not end within 0.5 s") as error:
        run_program(
            ["sh", "-c", "echo $$; exec sleep 1000"],
            folder=tmp_path,
            environment=os.environ,
            output=output,
            timeout=0.5,
        )
    assert is_gone(int(error.value.cause))


def test_commands_start_with_no_signal_ignored(tmp_path: Path) -> None:
    """Python ignores SIGPIPE and SIGXFSZ for itself; programs expect to be ended by them."""
    output = tmp_path / "output"
    argv = ["grep", "SigIgn", "/proc/self/status"]
    run_program(argv, folder=tmp_path, environment=os.environ, output=output, timeout=SECONDS)
    ignored = int(output.read_text().split()[1], 16)
    assert not ignored & (1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1) | 1 << (signal.SIGTERM - 1))

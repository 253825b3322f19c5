"""Runs in a lab: `doctor`, then real MPI programs with each of its settings. Prints a line of JSON.

python fault_trial.py SECONDS [LIBRARY=PROGRAM …]
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading

LAUNCHERS = {"openmpi": "mpirun.openmpi", "mpich": "mpiexec.mpich"}
BYTES = "200000"


def result_of(words: list[str], seconds: float) -> str:
    """The line with its result, after warnings of libraries. The program is ended then: MPICH 4.0 over UCX's TCP
    sometimes waits for ever in MPI_Finalize."""
    found: queue.Queue[str] = queue.Queue()
    running = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )

    def read() -> None:
        # What an MPI has started may hold the pipe open for ever.
        assert running.stdout is not None
        found.put(next((line for line in running.stdout if line.startswith(("right", "wrong"))), "no result"))

    threading.Thread(target=read, daemon=True).start()
    try:
        return found.get(timeout=seconds).strip()
    except queue.Empty:
        return f"no result within {seconds:g} s"
    finally:
        os.killpg(running.pid, signal.SIGKILL)


def main(seconds: str, *programs: str) -> None:
    doctor = [sys.executable, "-m", "ayatori.cli", "doctor", "--hosts", os.environ["AYATORI_LAB_HOSTFILE"]]
    done = subprocess.run([*doctor, "--timeout", "20s", "--json"], capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(done.stderr)
    found = json.loads(done.stdout)
    count = str(len(found["hosts"]))
    said = {}
    for library, words in found["settings"].items():
        program = dict(one.split("=", 1) for one in programs).get(library.split("_")[0])
        if words and program:
            launcher = LAUNCHERS[library.split("_")[0]]
            said[library] = result_of([launcher, *words, "-np", count, program, BYTES], float(seconds))
    print(json.dumps({"status": done.returncode, "found": found, "mpi": said}))


if __name__ == "__main__":
    main(*sys.argv[1:])

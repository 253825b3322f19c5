"""`python -m ayatori.processes N PROGRAM…` runs a job of N processes on this machine, without the command line."""

import sys

from ayatori.processes.local_job import run_job

if __name__ == "__main__":
    sys.exit(run_job(sys.argv[2:], int(sys.argv[1])))

"""`python -m ayatori.lab.rdma [--guests N] [--cpus N] [--netem WORDS] COMMAND…`

For tests that run before the command line is built.

Exit status: the command's, or 77 with one line that says why where no virtual machine can be made.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from ayatori.lab.rdma import MachineSettings, missing_packages, prepare_parts, require_memory, run_command
from ayatori.processes import ProgramError

SKIPPED = 77


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ayatori.lab.rdma")
    parser.add_argument("--guests", type=int, default=MachineSettings.hosts)
    parser.add_argument("--cpus", type=int, default=MachineSettings.cpus)
    parser.add_argument("--netem", default=MachineSettings.netem)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    settings = MachineSettings(
        hosts=options.guests,
        cpus=options.cpus,
        memory_mib=MachineSettings.memory_mib // options.guests,
        netem=options.netem,
        environment=os.environ,
    )
    try:
        if missing := missing_packages():
            raise ProgramError(f"no virtual machine can run here: {', '.join(missing)} not installed")
        require_memory(settings)
        parts = prepare_parts()
    except ProgramError as error:
        print("skipped: " + ": ".join(filter(None, (str(error), error.cause))))
        return SKIPPED
    return run_command(parts, settings, options.command, Path.cwd(), sys.stdout.buffer, sys.stderr.buffer)


if __name__ == "__main__":
    sys.exit(main())

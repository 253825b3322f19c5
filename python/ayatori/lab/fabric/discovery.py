"""`python -m ayatori.lab.fabric.discovery FILE` writes the live network that libibumad sees in ibnetdiscover's format.

A program of its own, since libibumad finds its fabric by the environment that it is loaded with.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ayatori import _core
from ayatori.base.errors import Error
from ayatori.base.files import write_bytes


def main(file: str) -> int:
    try:
        write_bytes(
            Path(file),
            _core.export_network(_core.open_source("ib:live", "", _core.Purpose.everything, ""), "ibnetdiscover"),
        )
    except Error as error:
        print(": ".join(filter(None, (error.message, error.cause))), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

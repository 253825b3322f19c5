"""Programs that make connections, beside a libibverbs that writes down where they go."""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from subprocesses import ran, said_by

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PRELOAD = ROOT / "build/release/paths/libayatori_paths.so"
HEADER = Path("/usr/include/infiniband/verbs.h")
WAYS = ("linked", "dlvsym", "module")
"""How a program comes to the functions of libibverbs (connects.c)."""

is_missing = not (PRELOAD.exists() and HEADER.exists() and shutil.which("cc"))


@dataclass(frozen=True)
class Port:
    """A port as the recording libibverbs shows it."""

    guid: int
    lid: int
    lmc: int
    gid: str = ""
    """32 hexadecimal digits, of a port of an Ethernet."""

    def variables(self) -> dict[str, str]:
        ethernet = {"RECORDING_ETHERNET": "1", "RECORDING_GID": self.gid} if self.gid else {}
        names = {"RECORDING_GUID": self.guid, "RECORDING_LID": self.lid, "RECORDING_LMC": self.lmc}
        return {name: str(value) for name, value in names.items()} | ethernet


@dataclass(frozen=True)
class Address:
    """An address as libibverbs was given it."""

    kind: str
    own: int
    peers: int
    dlid: int
    path_bits: int
    port: int
    flow: int


@dataclass
class Programs:
    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        warnings = ["-Wall", "-Wextra", "-Werror", "-O1", "-g"]
        script = f"-Wl,--version-script={HERE / 'recording_verbs.map'}"
        library = self.folder / "libibverbs.so.1"
        shared = ["-shared", "-fPIC", *warnings]
        self._compile(
            *shared, str(HERE / "recording_verbs.c"), script, "-Wl,-soname,libibverbs.so.1", "-o", str(library)
        )
        connects = str(HERE / "connects.c")
        self._compile(*warnings, connects, str(library), "-o", str(self.folder / "linked"))
        self._compile(*warnings, "-DBY_DLVSYM", connects, "-ldl", "-o", str(self.folder / "dlvsym"))
        self._compile(*shared, "-DAS_MODULE", connects, str(library), "-o", str(self.folder / "module.so"))
        self._compile(*warnings, str(HERE / "loads_module.c"), "-ldl", "-o", str(self.folder / "module"))

    @staticmethod
    def _compile(*options: str) -> None:
        said_by(["cc", "-std=gnu11", *options])

    def command(self, way: str) -> list[str]:
        return [str(self.folder / way), *([str(self.folder / "module.so")] if way == "module" else [])]

    def run(
        self,
        way: str,
        port: Port,
        connections: Sequence[str],
        settings: Mapping[str, str],
        first_queue_pair: int = 100,
        preload: Path | None = PRELOAD,
        status: int = 0,
    ) -> tuple[list[Address], str]:
        """The addresses that arrived, and what was said. `connections`: lines for connects.c; `status`: of its exit."""
        record = self.folder / "record.txt"
        record.unlink(missing_ok=True)
        environment = {
            **os.environ,
            "LD_LIBRARY_PATH": str(self.folder),
            "RECORDING_FILE": str(record),
            "RECORDING_FIRST_QP": str(first_queue_pair),
            **port.variables(),
            **settings,
        }
        if preload is not None:
            environment["LD_PRELOAD"] = str(preload)
        done = ran(self.command(way), env=environment, given="\n".join(connections))
        assert done.returncode == status, (done.returncode, done.stderr)
        lines = record.read_text(encoding="ascii").splitlines() if record.exists() else []
        return [Address(line.split()[0], *map(int, line.split()[1:])) for line in lines], done.stderr

"""What libnwtopo takes of memory for a network, by the kernel's count: loaded, at defaults, and with every machine's
object in existence, as paper 2's figure 4 asks for them."""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path

LIBRARY = Path(__file__).parent.parent.parent / "build/release/lib/libnwtopo.so"
_LEAST_ASKED = 1_000


def anonymous() -> int:
    """Bytes of this process (RssAnon)."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("the kernel does not count anonymous memory")


def open_library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(LIBRARY))
    pointer = ctypes.c_void_p
    library.nwtopo_topology_init.argtypes = [ctypes.POINTER(pointer)]
    library.nwtopo_topology_set_source.argtypes = [pointer, ctypes.c_char_p]
    library.nwtopo_topology_load.argtypes = [pointer]
    library.nwtopo_topology_get_num_objects.argtypes = [pointer, ctypes.c_uint]
    library.nwtopo_topology_get_num_objects.restype = ctypes.c_ulong
    library.nwtopo_topology_get_object.argtypes = [pointer, ctypes.c_uint, ctypes.c_ulong]
    library.nwtopo_topology_get_object.restype = pointer
    return library


def load(library: ctypes.CDLL, source: str) -> ctypes.c_void_p:
    topology = ctypes.c_void_p()
    if library.nwtopo_topology_init(ctypes.byref(topology)) != 0:
        raise RuntimeError("nwtopo_topology_init() failed")
    if (
        library.nwtopo_topology_set_source(topology, source.encode()) != 0
        or library.nwtopo_topology_load(topology) != 0
    ):
        raise RuntimeError(f"{source} was not loaded")
    return topology


def measure(source: str) -> dict[str, float]:
    library = open_library()
    warm = load(library, "torus:2x2")
    for number in range(_LEAST_ASKED):
        library.nwtopo_topology_get_object(warm, 0, number % 4)
    before = anonymous()
    topology = load(library, source)
    loaded = anonymous()
    machines = library.nwtopo_topology_get_num_objects(topology, 0)
    for number in range(machines):
        library.nwtopo_topology_get_object(topology, 0, number)
    asked = anonymous()
    return {
        "machines": machines,
        "loaded_MiB": (loaded - before) / 2**20,
        "all_objects_MiB": (asked - before) / 2**20,
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))

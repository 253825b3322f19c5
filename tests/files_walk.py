"""Packets of a job, followed by what is in files alone: tables as OpenSM loads them, a plan, the hosts of its ranks.

Nothing of ours computes here, so that what our commands promise is counted by somebody else.
"""

import json
import re
import zlib
from collections import Counter
from fractions import Fraction
from pathlib import Path


class FilesWalk:
    """A fabric (`convert --to json`), all links of one rate, and its tables (the `lfts` of `route --out-dir`)."""

    def __init__(self, fabric: Path, lfts: Path) -> None:
        document = json.loads(fabric.read_text())
        self.guid = [int(node["guid"], 16) for node in document["nodes"]]
        self.host = {int(node["guid"], 16): node["machine"] for node in document["nodes"] if node["kind"] == "nic"}
        self.peer = {}
        for cable in document["cables"]:
            (a, a_port), (b, b_port) = cable["from"], cable["to"]
            self.peer[self.guid[a], a_port] = (self.guid[b], b_port)
            self.peer[self.guid[b], b_port] = (self.guid[a], a_port)
        self.out: dict[int, dict[int, int]] = {}
        self.owner: dict[int, int] = {}
        for line in lfts.read_text().splitlines():
            if head := re.match(r"Unicast lids .* guid (0x[0-9a-f]+)", line):
                here = self.out.setdefault(int(head[1], 16), {})
            elif entry := re.match(r"(0x[0-9a-f]+) (\d+)", line):
                here[int(entry[1], 16)] = int(entry[2])

    def links(self, source: int, destination: int, lid: int) -> list[tuple[int, int]]:
        """(device, port) that the packet leaves by, from the host's only port on."""
        taken = [(source, 1)]
        while (device := self.peer[taken[-1]][0]) != destination:
            assert len(taken) < 20, f"LID {lid} goes round"
            taken.append((device, self.out[device][lid]))
        return taken


class WrittenPlan:
    """plan.json and its companion (docs/plan-format.md), with the hosts of the ranks that a launcher started."""

    def __init__(self, path: Path) -> None:
        document = json.loads(path.read_text())
        self.ports = [int(rank["port_guid"], 16) for rank in document["ranks"]]
        self.base = [rank["base_lid"] for rank in document["ranks"]]
        self.bits = [rank.get("path_bits", 0) for rank in document["ranks"]]
        self.hosts = [run["host"] for run in document["machines"] for _ in range(run["ranks"])]
        self.width, self.packed = 0, 0
        if "pairs" in document:
            data = (path.parent / document["pairs"]).read_bytes()
            assert data[:8] == b"AYAPLAN1"
            assert zlib.crc32(data[:-4]) == int.from_bytes(data[-4:], "little")
            self.width, self.packed = data[12], int.from_bytes(data[13:-4], "little")

    def lid(self, source: int, destination: int) -> int:
        if not self.width:
            return self.base[destination] + self.bits[destination]
        place = self.width * (len(self.base) * source + destination)
        return self.base[destination] + (self.packed >> place & (1 << self.width) - 1)


def bandwidth_of_shift(walk: FilesWalk, hosts: list[str], plan: WrittenPlan) -> tuple[Fraction, bool]:
    """What ranks on these hosts get of what their NICs could in a shift all-to-all whose LIDs are the plan's, and
    whether no link takes longer than the busiest NIC in any step. Every host has one NIC."""
    nic_of = {host: guid for guid, host in walk.host.items()}
    where = [nic_of[host] for host in hosts]
    ranks = len(hosts)
    assert ranks == len(plan.base)
    time = ideal = 0
    free = True
    for shift in range(1, ranks):
        loads: Counter[tuple[int, int]] = Counter()
        nics: Counter[tuple[str, int]] = Counter()
        for a in range(ranks):
            b = (a + shift) % ranks
            if where[a] == where[b]:
                continue
            loads.update(walk.links(where[a], where[b], plan.lid(a, b)))
            nics.update([("from", where[a]), ("to", where[b])])
        slowest, least = max(loads.values(), default=0), max(nics.values(), default=0)
        time, ideal, free = time + slowest, ideal + least, free and slowest == least
    return Fraction(ideal, time) if time else Fraction(1), free

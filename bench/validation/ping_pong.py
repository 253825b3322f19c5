"""Does the model predict a ping-pong on each network of a mixed cluster, in the lab?

    python -m bench.validation.ping_pong                          # all networks, and a way through a gateway
    python -m bench.validation.ping_pong --max-bytes 512KiB --slower 10    # takes minutes instead of half an hour
    python -m bench.validation.ping_pong --mpirun mpirun.openmpi

Measures example clusters by `ayatori bench pingpong` in the cluster lab, which needs root and a machine that does
nothing else, and simulates one message between the same hosts, on that network alone, over the links and with the costs
that it wrote; through a gateway over the links of both networks, with the gateway as a switch and the costs of the
first network. The times that it is compared with are those of another run in the same lab: what small messages take
differs by up to a fifth from one lab to the next. Fails where the median of the errors over all sizes, from 1 B on, is
above a tenth.

Cables let 3 KiB pass at once, two packets: with the 32 KiB of other labs a message of that size takes no time on a
cable that nobody used before it, and little of the model is checked. The cables of `evaluation` are ten times faster,
and let 32 KiB pass: a kernel on two cores, which has to let packets pass every 50 us, does not reach their rate.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from ayatori.formats.calibration import costs_on_planes
from ayatori.model.jobs import read_job
from ayatori.model.network import open_source
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import FREE
from ayatori.prediction.predictor import Model, Predictor
from bench.harness.programs import ROOT

CLUSTERS = {"three-chassis": "3KiB", "evaluation": "32KiB"}
"""Of examples/cluster, and what their cables let pass at once."""
AYATORI = [sys.executable, "-m", "ayatori.cli"]
MAX_ERROR = 0.1


def measure_twice(file: Path, folder: Path, burst: str, arguments: argparse.Namespace) -> list[list[dict[str, Any]]]:
    """What each of two runs in one lab has measured; the first writes what it fitted into the folder."""
    words = [*AYATORI, "bench", "pingpong", "--mpirun", arguments.mpirun, "--network", f"cluster:{file}"]
    words += ["--seconds", f"{arguments.seconds}s", "--max-bytes", arguments.max_bytes, "--json"]
    run = shlex.join(words) + ' --hosts "$AYATORI_LAB_HOSTFILE"'
    fitted, checked = folder / "fitted.json", folder / "checked.json"
    call = ["sh", "-ec", f"{run} --out-dir {shlex.quote(str(folder))} > {fitted}; {run} > {checked}"]
    lab = [*AYATORI, "lab", "cluster", str(file), "--slower", str(arguments.slower), "--burst", burst]
    subprocess.run([*lab, "--", *call], check=True)
    return [list(json.loads(written.read_text())["stretches"]) for written in (fitted, checked)]


def plane_alone(file: Path, plane: str) -> Path:
    """The file without the nodes and cables of other planes."""
    data = json.loads(file.read_text())
    number = data["planes"].index(plane)
    kept = [i for i, node in enumerate(data["nodes"]) if node.get("plane", 0) == number]
    place = {node: i for i, node in enumerate(kept)}
    data["planes"] = [plane]
    data["nodes"] = [data["nodes"][i] | {"plane": 0} for i in kept]
    data["cables"] = [
        cable | {end: [place[cable[end][0]], cable[end][1]] for end in ("from", "to")}
        for cable in data["cables"]
        if cable["from"][0] in place
    ]
    out = file.with_name(f"{plane}-alone.json")
    out.write_text(json.dumps(data))
    return out


def through_gateway(file: Path, measured: dict[str, Any]) -> Path:
    """The file with the first gateway of the first host's chassis as a switch, and of the second network only the
    switch to which it and the second host have cables. All are on the first network's plane, and the gateway's two
    cables take as long there as those between switches."""
    data = json.loads(file.read_text())
    nodes, cables = data["nodes"], data["cables"]
    slow, fast = (data["planes"].index(word) for word in measured["name"].split(" > "))

    def nic(host: str, plane: int) -> int:
        return next(i for i, n in enumerate(nodes) if (n.get("machine"), n.get("plane", 0)) == (host, plane))

    def cable_of(number: int) -> dict[str, Any]:
        return next(cable for cable in cables if number in (cable["from"][0], cable["to"][0]))

    def switch_of(number: int) -> int:
        cable = cable_of(number)
        return int(cable["to"][0] if cable["from"][0] == number else cable["from"][0])

    source, target = nic(measured["hosts"][0], slow), nic(measured["hosts"][1], fast)
    on_fast = [n["machine"] for n in nodes if n.get("machine") and n.get("plane", 0) == fast]
    gateway = next(host for host in on_fast if switch_of(nic(host, slow)) == switch_of(source))
    inner, outer = nic(gateway, slow), nic(gateway, fast)
    router = {"kind": "router", "ports": 2, "plane": 0}
    ends = [nodes[number] | {"plane": 0, "rail": 0} for number in (source, target)]
    switches = [router | {"name": nodes[number]["name"]} for number in (switch_of(source), inner, switch_of(target))]
    of_switches = max(cable.get("latency", 0) for cable in cables if nodes[cable["from"][0]].get("plane", 0) == slow)
    at_gateway = [cable_of(number) | {"latency": of_switches} for number in (inner, outer)]
    along = [cable_of(source), *at_gateway, cable_of(target)]
    joined = [
        cable | {"from": [number, 1 if number == 0 else 2], "to": [number + 1, 1]} for number, cable in enumerate(along)
    ]
    data |= {"planes": [data["planes"][slow]], "nodes": [ends[0], *switches, ends[1]], "cables": joined}
    out = file.with_name("through-gateway.json")
    out.write_text(json.dumps(data))
    return out


def errors(folder: Path, measured: dict[str, Any]) -> list[float]:
    file = folder / "network.json"
    is_gateway = measured["place"] == "gateway"
    taken = through_gateway(file, measured) if is_gateway else plane_alone(file, measured["name"].split()[0])
    network = open_source(f"json:{taken}")
    hostfile = folder / "pair"
    hostfile.write_text("".join(f"{host}\n" for host in measured["hosts"]))
    job = read_job(network, hostfile)
    model = Model(costs=FREE, link_latency=0, on_planes=costs_on_planes(network, folder, ()))
    predictor = Predictor(network, None, model)
    found = []
    for size in measured["sizes"]:
        predicted = predictor.predict([job], Call("broadcast", "binomial", size["bytes"]))[0].seconds
        found.append(abs(predicted - size["half_round_trip_s"]) / size["half_round_trip_s"])
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clusters", default=",".join(CLUSTERS), help=", ".join(CLUSTERS))
    parser.add_argument("--seconds", type=float, default=1, help="each two hosts, at least")
    parser.add_argument("--slower", type=float, default=20)
    parser.add_argument("--max-bytes", default="4MiB", help="the largest message")
    parser.add_argument("--mpirun", default="mpirun.mpich")
    arguments = parser.parse_args()
    failed = 0
    for cluster in arguments.clusters.split(","):
        with TemporaryDirectory() as name:
            folder = Path(name)
            file = ROOT / f"examples/cluster/{cluster}.toml"
            for measured in measure_twice(file, folder, CLUSTERS[cluster], arguments)[1]:
                found = errors(folder, measured)
                failed += median(found) > MAX_ERROR
                print(f"{cluster:14} {measured['name']:18} error: median {median(found):.1%}, largest {max(found):.1%}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

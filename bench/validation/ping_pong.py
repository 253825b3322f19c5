"""Does the model predict a ping-pong on each network of a mixed cluster, in the lab?

    python -m bench.validation.ping_pong --seconds 10

Measures the example clusters by `ayatori bench pingpong` in the cluster lab, which needs root, and simulates one
message between the same hosts, on that network alone, over the links and with the costs that it wrote. The times that
it is compared with are those of another run. Fails where the median of the errors over all sizes, 1 B to 4 MiB, is
above a tenth. Cables let 32 KiB pass at once, unless --burst is less, which takes a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from ayatori.formats.calibration import costs_on_planes
from ayatori.model.jobs import read_job
from ayatori.model.network import open_source
from ayatori.prediction.costs import FREE
from ayatori.prediction.predictor import Call, Model, Predictor
from bench.harness.programs import ROOT

CLUSTERS = ("three-chassis", "evaluation")
AYATORI = [sys.executable, "-m", "ayatori.cli"]
MAX_ERROR = 0.1


def measure(file: Path, folder: Path, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    words = [*AYATORI, "bench", "pingpong", "--mpirun", arguments.mpirun]
    words += ["--seconds", f"{arguments.seconds}s", "--json"]
    call = ["sh", "-c", f'exec "$@" --hosts "$AYATORI_LAB_HOSTFILE" --network cluster:{file} --out-dir {folder}', "sh"]
    lab = [*AYATORI, "lab", "cluster", file, "--slower", str(arguments.slower), "--burst", arguments.burst]
    done = subprocess.run([*lab, "--", *call, *words], stdout=subprocess.PIPE, check=True)
    return list(json.loads(done.stdout)["stretches"])


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


def errors(folder: Path, measured: dict[str, Any]) -> list[float]:
    network = open_source(f"json:{plane_alone(folder / 'network.json', measured['name'].split()[0])}")
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
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--slower", type=float, default=10)
    parser.add_argument("--burst", default="32KiB", help="what passes a cable at once")
    parser.add_argument("--mpirun", default="mpirun.mpich")
    arguments = parser.parse_args()
    failed = 0
    with TemporaryDirectory() as name:
        for cluster in CLUSTERS:
            file = ROOT / f"examples/cluster/{cluster}.toml"
            first, second = Path(name) / f"{cluster}-fitted", Path(name) / f"{cluster}-checked"
            measure(file, first, arguments)
            for measured in measure(file, second, arguments):
                if measured["place"] == "gateway":
                    continue
                found = errors(first, measured)
                failed += median(found) > MAX_ERROR
                print(f"{cluster:14} {measured['name']:18} error: median {median(found):.1%}, largest {max(found):.1%}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

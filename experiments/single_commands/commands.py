"""The commands, and which numbers of their output are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Numbers = dict[str, float]


@dataclass(frozen=True)
class Command:
    line: str
    """For a shell."""
    numbers: Callable[[str], Numbers]
    """Of its standard output."""


def _json(pick: Callable[[Any], Numbers]) -> Callable[[str], Numbers]:
    return lambda text: pick(json.loads(text))


def _network(found: Any) -> Numbers:
    return {"machines": found["machines"], "routers": found["routers"]}


def _job(found: Any) -> Numbers:
    own = found["per_job"][0]
    return {"hot_links": found["hot_spots"], "worst_load": own["worst_load"], "bandwidth": own["relative_bandwidth"]}


def _jobs(found: Any) -> Numbers:
    """With the plan and without: jobs without hot spots, hot spots of a job, and mean bandwidths."""
    before = found["before"]
    return {
        "jobs": found["jobs"],
        "free": found["free"],
        "free_before": before["free"],
        "hot": found["hot_spots"] / found["jobs"],
        "hot_before": before["hot_spots"] / before["jobs"],
        "bandwidth": found["relative_bandwidth"]["mean"],
        "bandwidth_before": before["relative_bandwidth"]["mean"],
    }


def _lids(found: Any) -> Numbers:
    return {
        "lmc": found["lmc"],
        "lids_a_port": 2 ** found["lmc"],
        "paths": found["distinct_paths"]["min"],
        "deadlock_free": found["deadlock_free"],
    }


def _plan(found: Any) -> Numbers:
    """Base LIDs, how far each rank's LID is from its own, and the root by which packets reach it on figure 1's fabric:
    LID base + j of node i takes root (i + j) mod 3 (ayatori/routing/generate.hpp)."""
    numbers = {"lids": 2.0 ** found["lmc"], "by_rule": float(found["method"] == "rule")}
    for number, (machine, rank) in enumerate(zip(found["machines"], found["ranks"], strict=True)):
        node = int(machine["host"].removeprefix("N"))
        numbers[f"root_of_rank_{number}"] = (node + rank["path_bits"]) % 3
        numbers[f"base_lid_of_rank_{number}"] = rank["base_lid"]
        numbers[f"bits_of_rank_{number}"] = rank["path_bits"]
    return numbers


def _by_name(found: Any) -> Numbers:
    means = {row["name"]: row["mean"] for row in found["rows"]}
    return {"ours": means["ours"], "opensm_ftree": means["ftree"], "with_a_plan": means["ours with a plan"]}


def _checks(found: Any) -> Numbers:
    return {"checks": len(found["checks"]), "passed": sum(check["passed"] for check in found["checks"])}


def _mean_bandwidth(found: Any) -> Numbers:
    return {"mbps": found["bandwidth_MBps"]["mean"]}


def _seconds(found: Any) -> Numbers:
    return {"us": found["per_job"][0]["time_s"] * 1e6}


def _binary_tree(text: str) -> Numbers:
    found = re.findall(r"at most (\d+) hops, (\d+) edges", text)
    (hops, shared), (mapped_hops, mapped_shared) = found
    return {
        "hops": int(hops),
        "shared": int(shared),
        "mapped_hops": int(mapped_hops),
        "mapped_shared": int(mapped_shared),
    }


def _trees(text: str) -> Numbers:
    found = re.findall(r"colour \d: (\d+) nodes, depth (\d+), at most (\d+) children, no link shared", text)
    return {"colours": len(found), "nodes": int(found[0][0]), "children": max(int(one[2]) for one in found)}


def _objects(text: str) -> Numbers:
    counts = {kind: len(re.findall(rf"\b{kind}#\d+", text)) for kind in ("machine", "router", "grid", "full", "graph")}
    return {kind: count for kind, count in counts.items() if count}


def _arithmetic(found: Any) -> Numbers:
    blade, chassis, mixed, effective, cluster = (step["tflops"] for step in found["steps"])
    right = [one["tflops"] for one in found["discrepancies"]]
    numbers = {"blade": blade, "chassis": chassis, "mixed": mixed, "effective": effective, "cluster": cluster}
    return numbers | {"real_blades": right[1], "share_of_peak": right[2], "top500_last": found["top500_last_tflops"]}


def _memory(found: Any) -> Numbers:
    """GB of a process, by transport and processes."""
    return {
        f"{use['transport']}: {row['processes']}": use["bytes"] / 1e9 for row in found["rows"] for use in row["uses"]
    }


def _planes(found: Any) -> Numbers:
    planes = {f"machines_on_{plane['name']}": plane["machines"] for plane in found["planes"]}
    return {"machines": found["machines"]} | planes


def _reductions(found: Any) -> Numbers:
    return {
        f"{where}_us: {one['bytes']}": one[key] * 1e6
        for one in found["results"]
        for where, key in (("switches", "seconds"), ("hosts", "host_seconds"))
    }


_SMALL = "fattree:K=3,levels=2"
_CLUSTER = "fattree:K=6,levels=2,nodes=30"
_FX10 = "--link-bandwidth 5GB/s --link-latency 100ns --calibration none"


def _check(hosts: str) -> Command:
    return Command(f"printf '%s\\n' {hosts} > job; ayatori check {_SMALL} --job job --json", _json(_job))


def _plan_of(hosts: str) -> Command:
    words = f"ayatori plan {_SMALL} --job job --method rule --out plan.json"
    return Command(f"printf '%s\\n' {hosts} > job; {words} >&2; cat plan.json", _json(_plan))


def _random_jobs(source: str, size: int) -> Command:
    words = f"ayatori plan {source} --random-jobs 1000 --job-size {size} --method rule --json"
    return Command(words, _json(_jobs))


def _several_paths(more: str) -> Command:
    words = f"ayatori simulate {_CLUSTER} --collective alltoall --algorithm two-level-ring --bytes 256KiB"
    costs = "--random-jobs 4 --job-size 16 --ppn 8 --link-bandwidth 1716MB/s --calibration none"
    return Command(f"{words} {costs} {more} --json", _json(_mean_bandwidth))


def _broadcast(algorithm: str) -> Command:
    words = f"ayatori simulate torus:4x4 --collective broadcast --algorithm {algorithm} --bytes 8MB {_FX10} --json"
    return Command(words, _json(_seconds))


def _memory_of(source: str) -> Command:
    return Command(f"python -m experiments.single_commands.nwtopo_memory {source}", _json(dict))


COMMANDS = {
    "figure 1's fabric": Command(f"ayatori show {_SMALL} --json", _json(_network)),
    "largest fabric": Command("ayatori show fattree:K=18,levels=2 --json", _json(_network)),
    "the cluster": Command(f"ayatori show {_CLUSTER} --json", _json(_network)),
    "figure 2's job": _check("N3 N5 N6 N9"),
    "figure 3's job": _check("N0 N1 N2 N3 N4 N5 N6 N7"),
    "figure 3's job, symmetric": _check("N0 N1 N3 N4 N6 N7 N9 N10"),
    "LIDs": Command(f"ayatori route {_SMALL} --lmc auto --out-dir tables --json", _json(_lids)),
    "most LIDs": Command(f"ayatori route {_SMALL} --lmc 7 --out-dir tables --json", _json(_lids)),
    "nodes 0, 3 and 6": _plan_of("N0 N3 N6"),
    "the rule's plan of figure 2's job": _plan_of("N3 N5 N6 N9"),
    "the same in another order": _plan_of("N9 N5 N6 N3"),
    "figure 2's job, planned": Command(
        f"printf '%s\\n' N3 N5 N6 N9 > job; ayatori plan {_SMALL} --job job --method rule --json", _json(_job)
    ),
    "6 random nodes": _random_jobs(_SMALL, 6),
    "8 random nodes": _random_jobs(_SMALL, 8),
    "16 random nodes": _random_jobs(_CLUSTER, 16),
    "OpenSM's ftree": Command(
        f"ayatori compare {_CLUSTER} --engines ftree --job-sizes 16 --jobs-per-size 100 --json", _json(_by_name)
    ),
    "OpenSM's file engine": Command(f"ayatori lab fabric {_CLUSTER} --json", _json(_checks)),
    "one path, packets": _several_paths("--method rule --packets"),
    "several paths": _several_paths("--method multipath"),
    "several paths, packets": _several_paths("--method multipath --packets"),
    "binary tree": Command("binary_tree", _binary_tree),
    "binary tree, by rank": _broadcast("binary"),
    "binary tree, mapped": _broadcast("mapped-binary"),
    "objects of a torus": Command("nwtopo-ls torus:4x4", _objects),
    "objects of a fat tree": Command("nwtopo-ls fattree:K=2", _objects),
    "objects of a dragonfly": Command("nwtopo-ls dragonfly:g=9,a=4,p=2,h=2", _objects),
    "Trinaryx3": Command("trinaryx3 torus:4x6x16", _trees),
    "lines": Command(
        "python -m experiments.single_commands.lines "
        "$AYATORI/examples/trinaryx3.h $AYATORI/examples/trinaryx3_broadcast.c",
        _json(dict),
    ),
    "Tofu, logical": Command("ayatori show tofu:24x18x16x2x3x2 --json", _json(_network)),
    "12 nodes": _memory_of("torus:2x3x2"),
    "384 nodes": _memory_of("torus:4x6x16"),
    "4,800 nodes": _memory_of("torus:20x15x16"),
    "82,944 nodes": _memory_of("torus:48x54x32"),
    "1,000,000 nodes": _memory_of("torus:100x100x100"),
    "paper 3's arithmetic": Command("ayatori estimate hpl --paper --json", _json(_arithmetic)),
    "the Cell cluster": Command(
        "ayatori show cluster:$AYATORI/examples/cluster/cell-cluster.toml --json", _json(_planes)
    ),
    "SHARP": Command(
        "ayatori estimate in-network fattree:K=18,levels=3,nodes=2000,rate=4xEDR --contiguous 128..128 --ppn 1 "
        "--bytes 16B,24B,4096B --json",
        _json(_reductions),
    ),
    "memory of messages": Command(
        "ayatori estimate memory --processes 100000,1000000,10000000,100000000 --json", _json(_memory)
    ),
}

"""Studies for the tests of the report, from a small model in plain Python: shift all-to-all on trees.

Slow and simple on purpose; the real figures come from `ayatori.routing`. Run as a script it writes a folder of
studies to look at: `python sample_study.py DIR`.
"""

import json
import random
import sys
from pathlib import Path
from typing import Any

from sample_drawing import with_drawing
from sample_trees import (
    Roots,
    Study,
    ThreeLevels,
    TwoLevels,
    bandwidth,
    by_colour,
    by_destination_mod_k,
    by_pair,
    by_rule,
    step,
    worst_step,
)

METHODS = {
    "destination-mod-K": "destination-mod-K, one LID a port (OpenSM ftree)",
    "rule": "one LID a destination, by the paper's rule",
    "colour": "one LID a destination, by colouring",
    "pair": "one path a pair",
}
CHECKS = [
    {"what": "tables read back over MADs equal what was loaded", "passed": True, "figure": "3,420 entries"},
    {"what": "ibdmchk finds every LID reachable", "passed": True, "figure": "30 hosts, 8 LIDs each"},
    {"what": "no cycle of channels: free of deadlock", "passed": True, "figure": "60 channels"},
]


def side(tree: Any, method: str, job: list[int], shift: int, roots: Roots) -> Study:
    messages = step(job, shift)
    loads = tree.loads(messages, roots(job, messages))
    return {
        "method": method,
        "relative_bandwidth": bandwidth(tree, job, roots),
        "loads": [[link, direction, load] for (link, direction), load in sorted(loads.items())],
    }


def worst_job(tree: Any, fabric: Study, job: list[int], before: tuple[str, Roots], after: tuple[str, Roots]) -> Study:
    shift = worst_step(tree, job, before[1])
    return {
        "hosts": [fabric["hosts"][host]["name"] for host in job],
        "step": shift,
        "before": side(tree, before[0], job, shift, before[1]),
        "after": side(tree, after[0], job, shift, after[1]),
    }


def random_jobs(relative: dict[str, list[float]]) -> Study:
    """What each method gives the drawn jobs, and what the paper measured."""
    jobs = len(relative["rule"])
    return {
        "jobs": jobs,
        "size": 16,
        "seed": 1,
        "relative_bandwidth": relative,
        "free": {name: sum(value > 1 - 1e-9 for value in values) for name, values in relative.items()},
        "paper_MBps": {
            "destination-mod-K": {"mean": 1198, "min": 888, "max": 1690, "over_1500": 20 * jobs // 1000},
            "rule": {"mean": 1607, "min": 1265, "max": 1716, "over_1500": 732 * jobs // 1000},
        },
    }


def contiguous_jobs(tree: TwoLevels, methods: dict[str, Roots]) -> Study:
    """The same for jobs on the first hosts, of every size."""
    sizes = list(range(3, 31))
    return {
        "sizes": sizes,
        "relative_bandwidth": {
            name: [bandwidth(tree, list(range(n)), roots) for n in sizes]
            for name, roots in methods.items()
            if name != "colour"
        },
        "paper_MBps": {"destination-mod-K": {"16": 1310}},
    }


def engines(jobs: int) -> list[Study]:
    """What OpenSM's routing engines and our tables give as many jobs."""
    return [
        {
            "name": "OpenSM ftree",
            "lmc": 0,
            "accepted": True,
            "seconds": 0.012,
            "free": 2,
            "mean_relative_bandwidth": 0.701,
            "note": "",
        },
        {"name": "OpenSM ftree", "lmc": 3, "accepted": False, "note": "LMC > 0 is not supported by fat tree"},
        {
            "name": "OpenSM file, our tables",
            "lmc": 3,
            "accepted": True,
            "seconds": 0.04,
            "free": jobs,
            "mean_relative_bandwidth": 1.0,
            "note": "one path a pair",
        },
    ]


def paper_study(jobs: int = 1000) -> Study:
    """Paper 1: random 16-host jobs and contiguous ones on 30 hosts of a 6-ary-2-tree."""
    tree = TwoLevels(leaves=5, spines=6, per_leaf=6, hosts=30)
    chance = random.Random(1)
    drawn = [sorted(chance.sample(range(30), 16)) for _ in range(jobs)]
    methods = {
        "destination-mod-K": by_destination_mod_k(tree),
        "rule": by_rule(tree),
        "colour": by_colour(tree),
        "pair": by_pair(tree),
    }
    relative = {name: [bandwidth(tree, job, roots) for job in drawn] for name, roots in methods.items()}
    worst = min(range(jobs), key=lambda i: relative["destination-mod-K"][i])
    fabric = tree.fabric()
    return {
        "title": "Paper 1: 30 nodes on a 6-ary-2-tree",
        "source": "fattree:K=6,levels=2,nodes=30",
        "fabric": fabric,
        "peak_MBps": 1716,
        "random": random_jobs(relative),
        "contiguous": contiguous_jobs(tree, methods),
        "worst_job": worst_job(
            tree, fabric, drawn[worst], ("destination-mod-K", methods["destination-mod-K"]), ("pair", methods["pair"])
        ),
        "engines": engines(jobs),
        "checks": CHECKS,
        "methods": METHODS,
    }


def wide_study() -> Study:
    """A real machine's size: 31 leaves, 9 spines, two cables a pair, 527 hosts, a job of 96."""
    tree = TwoLevels(leaves=31, spines=9, per_leaf=17, hosts=527, cables=2)
    names = "MF0;A09-P1-IBLEAF-{}:MQM9701/U1", "MF0;A10-P1-IBSPINE-{}:MQM9701/U1", "dgx-{} mlx5_0"
    fabric = tree.fabric(*names, rate="4xNDR")
    fabric["links"][40]["degraded"] = True
    job = sorted(random.Random(4).sample(range(527), 96))
    pair = ("destination-mod-K", by_destination_mod_k(tree)), ("pair", by_pair(tree))
    return {
        "title": "31 leaves and 9 spines",
        "fabric": fabric,
        "methods": METHODS,
        "worst_job": worst_job(tree, fabric, job, *pair),
    }


def three_level_study(k: int = 8, pods: int = 16, size: int = 128) -> Study:
    """An 8-ary 3-tree with twice the pods."""
    tree = ThreeLevels(k, pods)
    fabric = tree.fabric()
    job = sorted(random.Random(7).sample(range(len(fabric["hosts"])), size))
    mod_k: Roots = lambda job, messages: [target for _, target in messages]  # noqa: E731
    rule: Roots = lambda job, messages: [job.index(target) for _, target in messages]  # noqa: E731
    return {
        "title": "A tree of three levels",
        "fabric": fabric,
        "methods": METHODS,
        "worst_job": worst_job(tree, fabric, job, ("destination-mod-K", mod_k), ("rule", rule)),
    }


def ring_study() -> Study:
    """No tree: six routers in a ring, levels unknown."""
    routers = [{"name": f"R{i}", "level": None} for i in range(6)]
    hosts = [{"name": f"n{i}", "router": f"R{i // 2}", "port": i % 2 + 1, "rail": 0} for i in range(12)]
    links = [
        {"a": f"R{i}", "a_port": 3, "b": f"R{(i + 1) % 6}", "b_port": 4, "rate": "4xEDR", "degraded": i == 2}
        for i in range(6)
    ]
    loads = [[i, "ab", 2 + i % 3] for i in range(6)]
    return {
        "title": "A ring",
        "fabric": {"summary": "6 routers", "routers": routers, "hosts": hosts, "links": links},
        "worst_job": {
            "hosts": ["n0", "n5"],
            "step": 1,
            "before": {"method": "minhop", "relative_bandwidth": 0.3, "loads": loads},
        },
    }


def many_routers_study(routers: int = 4200) -> Study:
    """A ring of more routers than have a box each; a job of two hosts, and loads inside a box and between two."""
    study = ring_study()
    names = [f"R{i}" for i in range(routers)]
    return study | {
        "title": "A long ring",
        "fabric": {
            "summary": f"{routers} routers",
            "routers": [{"name": name, "level": None} for name in names],
            "hosts": [{"name": f"n{i}", "router": name, "port": 1, "rail": 0} for i, name in enumerate(names)],
            "links": [
                {"a": name, "a_port": 3, "b": names[(i + 1) % routers], "b_port": 4, "rate": "4xEDR"}
                for i, name in enumerate(names)
            ],
        },
        "worst_job": {
            "hosts": ["n0", "n2000"],
            "step": 1,
            "before": {
                "method": "minhop",
                "relative_bandwidth": 0.5,
                "loads": [[i, "ab", 1 + i % 2] for i in range(routers)],
            },
        },
    }


def multi_rail_study() -> Study:
    """Eight hosts, each with a NIC on each of four leaves; a job of four hosts and eight ranks, every step told."""
    leaves, hosts = [f"leaf-{i}" for i in range(4)], [f"dgx-{i}" for i in range(8)]
    routers = [{"name": name, "level": 0} for name in leaves] + [{"name": f"spine-{i}", "level": 1} for i in range(2)]
    fabric = {
        "summary": "8 hosts with 4 rails",
        "faults": ["leaf-2 <-> spine-1: 0 of 1 cable"],
        "routers": routers,
        "hosts": [
            {"name": host, "router": leaf, "port": i + 1, "rail": rail}
            for rail, leaf in enumerate(leaves)
            for i, host in enumerate(hosts)
        ],
        "links": [
            {"a": leaf, "a_port": 9 + j, "b": f"spine-{j}", "b_port": i + 1, "rate": "4xNDR", "degraded": i == j == 0}
            for i, leaf in enumerate(leaves)
            for j in range(2)
            if (i, j) != (2, 1)
        ],
    }
    return {
        "title": "Four rails",
        "fabric": fabric,
        "made": {
            "date": "2026-11-22 04:00 UTC",
            "version": "0.1.0",
            "seed": 7,
            "command": "ayatori demo ib:x",
        },
        "methods": METHODS,
        "worst_job": {
            "hosts": hosts[:4],
            "endpoints": [8 * (rank // 4) + rank % 4 for rank in range(8)],
            "step": 1,
            "before": {"method": "rule", "relative_bandwidth": 0.5, "loads": [[0, "ab", 2], [2, "ba", 3]]},
            "after": {"method": "pair", "relative_bandwidth": 1, "loads": [[0, "ab", 1], [1, "ab", 1]]},
            "steps": [
                {"step": step, "before": [[step % 7, "ab", step + 1]], "after": [[step % 7, "ba", 1]]}
                for step in (0, 2, 3, 4, 5, 6)
            ],
        },
    }


def large_study(pods: int = 32, size: int = 128, steps: int = 16) -> Study:
    """A tree of three levels with 324 hosts a pod (32 pods: 10,368 hosts), a job of `size` random ones, and curves.

    The curves are random: what matters is how large the page is.
    """
    tree = ThreeLevels(18, pods)
    fabric = tree.fabric()
    job = sorted(random.Random(9).sample(range(len(fabric["hosts"])), size))
    mod_k: Roots = lambda job, messages: [target for _, target in messages]  # noqa: E731
    rule: Roots = lambda job, messages: [job.index(target) for _, target in messages]  # noqa: E731

    def loads(shift: int, roots: Roots) -> list[Any]:
        messages = step(job, shift)
        found = tree.loads(messages, roots(job, messages))
        return [[link, direction, load] for (link, direction), load in sorted(found.items())]

    chance = random.Random(10)
    bandwidths = {method: [chance.uniform(0.3, 1) for _ in range(1000)] for method in METHODS}
    shifts = [1 + i * (size - 1) // steps for i in range(steps)]
    return {
        "title": f"{len(fabric['hosts']):,} hosts",
        "fabric": fabric,
        "methods": METHODS,
        "random": {"jobs": 1000, "size": size, "seed": 9, "relative_bandwidth": bandwidths, "free": {}},
        "worst_job": {
            "hosts": [fabric["hosts"][host]["name"] for host in job],
            "step": shifts[-1],
            "before": {"method": "destination-mod-K", "relative_bandwidth": 0.4, "loads": loads(shifts[-1], mod_k)},
            "after": {"method": "rule", "relative_bandwidth": 0.6, "loads": loads(shifts[-1], rule)},
            "steps": [{"step": s, "before": loads(s, mod_k), "after": loads(s, rule)} for s in shifts[:-1]],
        },
    }


def write_studies(folder: Path, *studies: Study) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for i, study in enumerate(studies):
        (folder / f"study-{i}.json").write_text(json.dumps(study), encoding="utf-8")
    return folder


if __name__ == "__main__":
    samples = paper_study(), wide_study(), three_level_study(), ring_study(), multi_rail_study(), large_study()
    write_studies(Path(sys.argv[1]), *map(with_drawing, samples))

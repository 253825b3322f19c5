"""Trees in plain Python, and the paths of paper 1 and of König's theorem on them: the model behind sample_study.py."""

import functools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Any

Study = dict[str, Any]
Message = tuple[int, int]  # host, host
Loads = Counter  # (link, direction) -> messages
Roots = Callable[[list[int], list[Message]], list[int]]  # job, messages of a step -> the up path of each


class TwoLevels:
    """A tree of leaves and spines; `cables` of them between each pair, hosts numbered leaf by leaf."""

    def __init__(self, leaves: int, spines: int, per_leaf: int, hosts: int, cables: int = 1) -> None:
        self.leaves, self.spines, self.per_leaf, self.hosts, self.cables = leaves, spines, per_leaf, hosts, cables
        self.paths = spines * cables

    def leaf(self, host: int) -> int:
        return host // self.per_leaf

    def loads(self, messages: Iterable[Message], roots: Iterable[int]) -> Loads:
        loads: Loads = Counter()
        for (source, target), root in zip(messages, roots, strict=True):
            if self.leaf(source) != self.leaf(target):
                loads[self.leaf(source) * self.paths + root, "ab"] += 1
                loads[self.leaf(target) * self.paths + root, "ba"] += 1
        return loads

    def fabric(self, leaf: str = "LS{}", spine: str = "RS{}", host: str = "N{}", rate: str = "4xDDR") -> Study:
        leaves = [leaf.format(i) for i in range(self.leaves)]
        spines = [spine.format(i) for i in range(self.spines)]
        hosts = [
            {"name": host.format(i), "router": leaves[self.leaf(i)], "port": i % self.per_leaf + 1, "rail": 0}
            for i in range(self.hosts)
        ]
        links = [
            {
                "a": leaves[i],
                "a_port": self.per_leaf + 1 + path,
                "b": spines[path // self.cables],
                "b_port": i * self.cables + path % self.cables + 1,
                "rate": rate,
                "degraded": False,
            }
            for i in range(self.leaves)
            for path in range(self.paths)
        ]
        routers = [{"name": name, "level": 0} for name in leaves] + [{"name": name, "level": 1} for name in spines]
        summary = (
            f"fat tree, 2 levels, {self.leaves} leaves x {self.spines} spines, {self.cables} a pair, {self.hosts} hosts"
        )
        return {"summary": summary, "routers": routers, "hosts": hosts, "links": links}


def step(job: list[int], shift: int) -> list[Message]:
    """The messages of one step of a shift all-to-all."""
    return [(host, job[(rank + shift) % len(job)]) for rank, host in enumerate(job)]


def bandwidth(tree: Any, job: list[int], roots: Roots) -> float:
    """1 / mean of the most loaded cable."""
    worst = []
    for shift in range(1, len(job)):
        messages = step(job, shift)
        worst.append(max(1, *tree.loads(messages, roots(job, messages)).values(), 1))
    return len(worst) / sum(worst)


def worst_step(tree: Any, job: list[int], roots: Roots) -> int:
    def heat(shift: int) -> tuple[int, int]:
        messages = step(job, shift)
        loads = tree.loads(messages, roots(job, messages)).values()
        return max(loads, default=0), sum(load > 1 for load in loads)

    return max(range(1, len(job)), key=heat)


def by_destination_mod_k(tree: TwoLevels) -> Roots:
    return lambda job, messages: [target % tree.paths for _, target in messages]


def by_rank(tree: TwoLevels, root_of_rank: Callable[[list[int]], list[int]]) -> Roots:
    def roots(job: list[int], messages: list[Message]) -> list[int]:
        table = dict(zip(job, root_of_rank(job), strict=True))
        return [table[target] for _, target in messages]

    return roots


def by_rule(tree: TwoLevels) -> Roots:
    """Paper 1, 4.2."""

    def choose(job: list[int]) -> list[int]:
        most = max(Counter(tree.leaf(host) for host in job).values())
        return [rank % (most if len(job) % most == 0 else tree.paths) for rank in range(len(job))]

    return by_rank(tree, choose)


def conflicts(tree: TwoLevels, job: list[int]) -> list[set[int]]:
    """For each rank, the ranks that must not share its root."""
    clash: list[set[int]] = [set() for _ in job]
    for shift in range(1, len(job)):
        groups: dict[tuple[str, int], list[int]] = defaultdict(list)
        for rank, (source, target) in enumerate(step(job, shift)):
            if tree.leaf(source) != tree.leaf(target):
                receiver = (rank + shift) % len(job)
                groups["up", tree.leaf(source)].append(receiver)
                groups["down", tree.leaf(target)].append(receiver)
        for group in groups.values():
            for rank in group:
                clash[rank].update(set(group) - {rank})
    return clash


def colour(clash: list[set[int]], colours: int) -> list[int] | None:
    """An exact colouring, by backtracking on the most constrained rank; None if there is none."""
    chosen: dict[int, int] = {}

    def extend() -> bool:
        if len(chosen) == len(clash):
            return True
        taken = {r: {chosen[n] for n in clash[r] if n in chosen} for r in range(len(clash)) if r not in chosen}
        rank = max(taken, key=lambda r: (len(taken[r]), len(clash[r])))
        for option in range(min(colours, max(chosen.values(), default=-1) + 2)):
            if option not in taken[rank]:
                chosen[rank] = option
                if extend():
                    return True
                del chosen[rank]
        return False

    return [chosen[rank] for rank in range(len(clash))] if extend() else None


def by_colour(tree: TwoLevels) -> Roots:
    @functools.cache
    def choose(job: tuple[int, ...]) -> list[int]:
        found = colour(conflicts(tree, list(job)), tree.paths)
        return found or [rank % tree.paths for rank in range(len(job))]

    return by_rank(tree, lambda job: choose(tuple(job)))


def by_pair(tree: TwoLevels) -> Roots:
    """König: the messages of a step, as edges between leaves, coloured by the up paths."""

    def roots(job: list[int], messages: list[Message]) -> list[int]:
        up: dict[int, dict[int, int]] = defaultdict(dict)  # leaf -> root -> message
        down: dict[int, dict[int, int]] = defaultdict(dict)
        chosen = [0] * len(messages)
        for index, (source, target) in enumerate(messages):
            a, b = tree.leaf(source), tree.leaf(target)
            if a != b:
                _colour_edge(index, a, b, up, down, chosen, messages, tree)
        return chosen

    return roots


def _colour_edge(index: int, a: int, b: int, up: Any, down: Any, chosen: list[int], messages: Any, tree: Any) -> None:
    free_up = next(root for root in range(tree.paths) if root not in up[a])
    free_down = next(root for root in range(tree.paths) if root not in down[b])
    if free_up != free_down:  # swap the two roots along the path that begins at b
        path, leaf, here, root = [], b, down, free_up
        while root in here[leaf]:
            edge = here[leaf][root]
            path.append(edge)
            leaf = tree.leaf(messages[edge][0 if here is down else 1])
            here = up if here is down else down
            root = free_down if root == free_up else free_up
        for edge in path:
            del up[tree.leaf(messages[edge][0])][chosen[edge]], down[tree.leaf(messages[edge][1])][chosen[edge]]
        for edge in path:
            chosen[edge] = free_down if chosen[edge] == free_up else free_up
            up[tree.leaf(messages[edge][0])][chosen[edge]] = edge
            down[tree.leaf(messages[edge][1])][chosen[edge]] = edge
    chosen[index] = free_up
    up[a][free_up] = down[b][free_up] = index


class ThreeLevels:
    """Pods of `k` leaves and `k` mids, k*k roots, and `k` hosts a leaf."""

    def __init__(self, k: int, pods: int) -> None:
        self.k, self.pods = k, pods
        self.middle = pods * k * k  # links below: leaf to mid; from here on: mid to root

    def loads(self, messages: Iterable[Message], roots: Iterable[int]) -> Loads:
        loads: Loads = Counter()
        k = self.k
        for (source, target), root in zip(messages, roots, strict=True):
            leaf_a, leaf_b = source // k, target // k
            mid, top = root % k, root // k % k
            if leaf_a != leaf_b:
                loads[leaf_a * k + mid, "ab"] += 1
                loads[leaf_b * k + mid, "ba"] += 1
            if leaf_a // k != leaf_b // k:
                loads[self.middle + (leaf_a // k * k + mid) * k + top, "ab"] += 1
                loads[self.middle + (leaf_b // k * k + mid) * k + top, "ba"] += 1
        return loads

    def fabric(self) -> Study:
        k, count = self.k, self.pods * self.k
        names = (
            [f"leaf-{i}" for i in range(count)],
            [f"mid-{i}" for i in range(count)],
            [f"root-{i}" for i in range(k * k)],
        )
        hosts = [{"name": f"n{i}", "router": names[0][i // k], "port": i % k + 1, "rail": 0} for i in range(count * k)]
        ends = [(names[0][i], k + j, names[1][i // k * k + j], i % k) for i in range(count) for j in range(k)]
        ends += [(names[1][i], k + j, names[2][i % k * k + j], i // k) for i in range(count) for j in range(k)]
        links = [
            {"a": a, "a_port": p + 1, "b": b, "b_port": q + 1, "rate": "4xHDR", "degraded": False}
            for a, p, b, q in ends
        ]
        routers = [{"name": name, "level": level} for level in range(3) for name in names[level]]
        return {
            "summary": f"fat tree, 3 levels, {count} leaves, {count} mids, {k * k} roots, {len(hosts)} hosts",
            "routers": routers,
            "hosts": hosts,
            "links": links,
        }

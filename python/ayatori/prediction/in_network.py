"""Reductions in switches (SHARP; Graham et al., COMHPC 2016; paper 4, section 2.2.3): what they take on a network, and
how that compares with algorithms between hosts.

Each machine sends its vector to its leaf once. A switch combines what arrives and sends one vector up, until the switch
under which all machines of the job are has the result, which goes down to all. Vectors travel in segments, so that a
switch stores one of them and not the vector:

    seconds = send(bytes) + latency + 2 h (link latency + min(bytes, segment) / rate)
              + (bytes - segment, at least 0) / rate + receive(bytes)

with h links from a machine up to that switch. What a switch takes to combine is not in it, so that this is the least
that a reduction in switches can take. The ranks of a machine combine their vectors first, and share the result
afterwards, by our fastest algorithms.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from ayatori._core import Job, Network, contiguous_job
from ayatori.base.errors import Error, UnknownWord
from ayatori.prediction.calls import Call, algorithms_of
from ayatori.prediction.choice import Candidate, Piece, choose
from ayatori.prediction.costs import MessageCosts, seconds_of
from ayatori.prediction.fastest import fastest
from ayatori.prediction.predictor import Model, Predictor

COLLECTIVES = ("allreduce", "reduce", "broadcast", "barrier")
"""Those whose result has as many elements as what each process gives."""
OPERATIONS = ("sum", "min", "max", "and", "or", "xor", "minloc", "maxloc")
SEGMENT_BYTES = 256
"""Largest payload of a packet of the first SHARP switches."""


@dataclass(frozen=True)
class InNetwork:
    """Times in seconds."""

    collective: str
    bytes: int
    seconds: float
    """In switches."""
    algorithm: str
    host_seconds: float
    """Of our fastest algorithm between hosts."""
    links_up: int
    """h of the equation above."""
    inside: float
    """Of `seconds`, what the ranks of a machine take among themselves."""
    processor: float
    """Of `seconds`, what a rank's processor is busy with: the rest can be hidden without a thread."""

    @property
    def saved(self) -> float:
        return self.host_seconds - self.seconds


@dataclass(frozen=True)
class Uneven:
    """After the last process has come, on average over draws of when each does. Seconds."""

    switches: float
    hosts: float
    """By the algorithm that is fastest where all come at the same time."""


def predict_in_network(
    network: Network, job: Job, calls: Sequence[tuple[str, int]], model: Model | None = None
) -> list[InNetwork]:
    """Of each collective and size. Raises Error if switches can't take a collective, or the network is no tree."""
    for name, _ in calls:
        if name not in COLLECTIVES:
            raise UnknownWord("collective in switches", name, COLLECTIVES)
    assumed = (model or Model()).on(network)
    height = links_up(network, job)
    found = fastest(network, job, calls, assumed)
    return [_predicted(network, job, piece, best, height, assumed) for piece, best in found]


def predict_uneven(
    network: Network, job: Job, found: InNetwork, late: float, model: Model | None = None, draws: int = 8
) -> Uneven | None:
    """Simulates both where each process comes later than the first by a time of its own, drawn from an exponential
    distribution with the mean `late`: switches and early hosts do meanwhile what they can. None if switches are not
    simulated for this collective."""
    if not any(algorithm.name == "in-network" for algorithm in algorithms_of(found.collective)):
        return None
    random = Random(1)
    sums = {"in-network": 0.0, found.algorithm: 0.0}
    for _ in range(draws):
        times = [random.expovariate(1 / late) for _ in range(job.rank_count)]
        predictor = Predictor(network, model=replace(model or Model(), late=times))
        for algorithm in sums:
            [predicted] = predictor.predict([job], Call(found.collective, algorithm, found.bytes))
            sums[algorithm] += (predicted.seconds - max(times)) / draws
    return Uneven(sums["in-network"], sums[found.algorithm])


def _predicted(network: Network, job: Job, piece: Piece, best: Candidate, height: int, model: Model) -> InNetwork:
    assert model.costs is not None and model.link_latency is not None
    costs = model.costs.between
    size = piece.bytes
    inside = _inside(network, job, size, model)
    processor = seconds_of(costs.send, size) + seconds_of(costs.receive, size)
    seconds = processor + _travelling(costs, size, height, model.link_latency, _rate(network, job, model)) + inside
    return InNetwork(piece.collective, size, seconds, best.algorithm, best.seconds, height, inside, processor + inside)


def _travelling(costs: MessageCosts, size: int, height: int, link_latency: float, rate: float) -> float:
    stored = min(size, SEGMENT_BYTES) / rate
    return costs.latency + 2 * height * (link_latency + stored) + max(0, size - SEGMENT_BYTES) / rate


def _rate(network: Network, job: Job, model: Model) -> float:
    """Bytes a second of the machines' links."""
    if model.link_bandwidth > 0:
        return model.link_bandwidth
    found = [network.port(endpoint).bytes_per_second for endpoint in _endpoints(network, job)]
    if not found or min(found) <= 0:
        raise Error("the network does not tell how fast its links are", hint="--link-bandwidth RATE")
    return float(min(found))


def _inside(network: Network, job: Job, size: int, model: Model) -> float:
    """Among the ranks of the machine that has most: a reduction, and afterwards a broadcast."""
    ranks = max(Counter(job.machine_of_rank).values())
    if ranks == 1 or size == 0:
        return 0.0
    alone = contiguous_job(network, 1, ranks, False)
    rankings = choose(Predictor(network, model=model), [alone], [("reduce", size), ("broadcast", size)]).rankings
    return sum(ranking.best.seconds for ranking in rankings)


def links_up(network: Network, job: Job) -> int:
    """From a machine up to the lowest switch under which all machines of the job are."""
    levels = network.levels()
    if levels is None:
        raise Error("the network is no tree", hint="reductions in switches take a tree of them")
    neighbours = _neighbours(network)
    above = [_above(router, neighbours, levels) for router in _leaves(network, job)]
    common = set.intersection(*above)
    if not common:
        raise Error("no switch is above all machines of the job")
    lowest = min(_leaves(network, job), key=lambda router: levels[router])
    return 1 + min(levels[router] for router in common) - levels[lowest]


def _leaves(network: Network, job: Job) -> set[int]:
    found = {network.router_of(endpoint) for endpoint in _endpoints(network, job)}
    return {router for router in found if router is not None}


def _endpoints(network: Network, job: Job) -> list[int]:
    """The first of each machine."""
    return [network.machines[machine].endpoints[0] for machine in job.machines]


def _neighbours(network: Network) -> dict[int, set[int]]:
    """Of each switch."""
    found: dict[int, set[int]] = defaultdict(set)
    for link, _ in network.cables():
        near, far = network.port(link).device, network.port(network.port(link).peer).device
        if near < network.router_count and far < network.router_count:
            found[near].add(far)
            found[far].add(near)
    return found


def _above(leaf: int, neighbours: Mapping[int, set[int]], levels: Sequence[int]) -> set[int]:
    """The switches that are reached upwards, and the leaf itself."""
    found, waiting = {leaf}, [leaf]
    while waiting:
        router = waiting.pop()
        higher = {other for other in neighbours.get(router, set()) if levels[other] > levels[router]} - found
        found |= higher
        waiting += higher
    return found

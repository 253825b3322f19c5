"""How long does a communication take during a computation, by what moves its messages meanwhile? A model.

A communication alone takes T. For P of it the ranks' own processors are busy (overheads of messages, copies and
reductions on its longest way), and for X = T − P bytes travel. It has s steps, each of which begins when somebody has
seen that the one before it is over; a message above the eager limit has one more, the answer of its receiver. With a
computation of W between its begin and the call that waits, both take

    nobody      W + T − min(W, X / s), since the first step begins at once; W + T if that is a rendezvous
    polls       every t, each of which takes c. All get W' = W (1 + c / t) instead of W. A step takes X / s + t / 2, so
                that n = min(s, W' / (X / s + t / 2)) of them are over in time: W' + P + X (1 − n / s)
    core        the same polls on a core of their own, where W' = W and P is hidden as well, n of T / s + t / 2:
                W + T (1 − n / s)
    spinning    a thread that polls without a pause on the program's core, which computes half of the time:
                P + max(X, 2 W)
    adapter     NICs or switches do all but begin and end it: W + P + max(0, X − W)

What the memory's bandwidth, caches and locks do to each other is not in it: totals are the least.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from ayatori._core import Job
from ayatori.base.errors import Error
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import Costs
from ayatori.prediction.predictor import Predictor


class Mover(str, Enum):
    nobody = "nobody"
    polls = "polls"
    core = "core"
    spinning = "spinning"
    adapter = "adapter"


@dataclass(frozen=True)
class Progress:
    """What moves messages while a program computes. Seconds."""

    mover: Mover
    interval: float = 0.0
    """Between two polls, of `polls` and `core`."""
    poll: float = 0.0
    """What a poll takes of the program's core."""


@dataclass(frozen=True)
class Communication:
    """Alone. Seconds."""

    seconds: float
    processor: float = 0.0
    """Of `seconds`, those of the ranks' processors on its longest way."""
    steps: int = 1
    """One after the other, the answers of rendezvous among them."""
    begins_at_once: bool = True
    """False: its first messages wait for their receivers' answers."""

    @property
    def travelling(self) -> float:
        return max(0.0, self.seconds - self.processor)


def overlapped(communication: Communication, computation: float, progress: Progress) -> float:
    """Seconds of both, by the equations above. Raises Error if polls have no interval."""
    alone, busy, travels = communication.seconds, communication.processor, communication.travelling
    steps = communication.steps
    match progress.mover:
        case Mover.nobody:
            first = travels / steps if communication.begins_at_once else 0.0
            return computation + alone - min(computation, first)
        case Mover.spinning:
            return busy + max(travels, 2 * computation)
        case Mover.adapter:
            return computation + busy + max(0.0, travels - computation)
    if progress.interval <= 0:
        raise Error("polls have an interval above 0", internal=True)
    if progress.mover == Mover.core:
        over = min(1.0, computation / (alone + steps * progress.interval / 2))
        return computation + alone * (1 - over)
    stretched = computation * (1 + progress.poll / progress.interval)
    over = min(1.0, stretched / (travels + steps * progress.interval / 2))
    return stretched + busy + travels * (1 - over)


def communication_of(predictor: Predictor, job: Job, call: Call) -> Communication:
    """Simulated twice: as it is, and with processors that take no time."""
    costs = predictor.model.costs or Costs()
    between, inside = (replace(messages, send=(), receive=(), gap=0.0) for messages in (costs.between, costs.inside))
    without = replace(costs, between=between, inside=inside, copy=(), reduce=(), cache_refill=(), start=0.0)
    idle = Predictor(predictor.network, predictor.method, replace(predictor.model, costs=without), predictor.routes)
    [found], [travelling] = (one.predict([job], call) for one in (predictor, idle))
    steps = 1 if call.collective == "halo" else predictor.schedule(job, call).steps().step_count
    is_eager = call.bytes <= costs.between.eager_limit
    processor = max(0.0, found.seconds - travelling.seconds)
    return Communication(found.seconds, processor, steps * (1 if is_eager else 2), is_eager)

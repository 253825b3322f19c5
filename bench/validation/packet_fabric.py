"""All-to-alls by packets that queue in switches with finite buffers (packet_fabric.cpp): what rates cannot show."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ayatori import _core
from ayatori._core import Job
from ayatori.base.errors import Error
from ayatori.prediction.calls import Call, make_schedule
from ayatori.prediction.predictor import Predictor

PROGRAM = Path(__file__).parents[2] / "build/release/bench/validation/packet_fabric"
MTU = 2048
"""Bytes in a packet: the largest of paper 1's adapters."""
_ROUTE = re.compile(r'<route src="rank-(\d+)" dst="rank-(\d+)"[^>]*>(.*?)</route>')
_LINK = re.compile(r'<link_ctn id="link-(\d+)"/>')


@dataclass(frozen=True)
class Switches:
    """How they queue."""

    buffer: int = 8
    """Packets that fit into the buffer at the end of a link."""
    seed: int = 1
    """Of the choices among packets that ask for one link."""


def is_there() -> bool:
    return PROGRAM.exists()


def seconds_of(predictor: Predictor, job: Job, call: Call, switches: Switches, rate: float) -> float:
    """Of an all-to-all in which each rank sends one message a step. `rate`: bytes a second of every link."""
    text = "\n".join(_input(predictor, job, call, switches))
    done = subprocess.run([str(PROGRAM)], input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Error("packet_fabric failed", cause=done.stderr.strip(), internal=True)
    return int(done.stdout) * MTU / rate


def _input(predictor: Predictor, job: Job, call: Call, switches: Switches) -> Iterator[str]:
    schedule = make_schedule(call, predictor.placement(job))
    plan = predictor.plan(job, schedule)
    links = predictor.model.links()
    platform = _core.smpi_platform(predictor.network, predictor.routes, plan, job, links, 0).decode()
    paths = {(int(a), int(b)): _LINK.findall(route) for a, b, route in _ROUTE.findall(platform)}
    used = {link: number for number, link in enumerate(sorted({one for path in paths.values() for one in path}))}
    ranks = job.rank_count
    yield f"{ranks} {len(used)} {switches.buffer} {switches.seed} {-(-call.bytes // MTU)}"
    for a in range(ranks):
        for b in range(ranks):
            path = [used[link] for link in paths.get((a, b), [])]
            yield " ".join(map(str, [len(path), *path]))
    for rank in range(ranks):
        steps = list(_steps_of(schedule, rank))
        yield " ".join([str(len(steps)), *(f"{to} {from_}" for to, from_ in steps)])


def _steps_of(schedule: _core.Schedule, rank: int) -> Iterator[tuple[int, int]]:
    """Whom it sends to and receives from, in steps that have messages."""
    for step in range(schedule.step_count(0)):
        actions = schedule.actions(rank, 0, step)
        if not actions.sends and not actions.receives:
            continue
        (sent,), (received,) = actions.sends, actions.receives
        yield sent.peer, received.peer

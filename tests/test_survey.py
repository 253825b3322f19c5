"""How hosts are asked: by replayed answers, in a time that is counted and not measured."""

import asyncio
import random
import selectors
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from ayatori.base.errors import Error
from ayatori.diagnosis import choose_way, find_trouble, notes_of, survey, ways_of
from ayatori.diagnosis.connections import NoAnswer, words_on
from ayatori.diagnosis.facts import Facts
from ayatori.diagnosis.survey import library_ports, survey_by


class _Selector(selectors.SelectSelector):
    """Does not wait: the loop's time goes on by what it would have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.time = 0.0

    def select(self, timeout: float | None = None) -> Any:
        self.time += timeout or 0.0
        return super().select(0)


def counted(what: Coroutine[Any, Any, Facts]) -> tuple[Facts, float]:
    """Its result, and the seconds that it would have waited."""
    selector = _Selector()
    loop = asyncio.SelectorEventLoop(selector)
    loop.time = lambda: selector.time  # type: ignore[method-assign]
    try:
        return loop.run_until_complete(what), selector.time
    finally:
        loop.close()


class Replayed:
    """A host that answers as a good one would, after a while; `cut` are hosts that it does not reach."""

    def __init__(self, number: int, starts: float, answers: float, cut: frozenset[int] = frozenset()) -> None:
        self.host = f"c{number:03}"
        self._number, self._starts, self._answers, self._cut = number, starts, answers, cut

    async def greet(self, seconds: float) -> dict[str, Any]:
        if self._starts > seconds:
            await asyncio.sleep(seconds)
            raise NoAnswer("no answer within the time")
        await asyncio.sleep(self._starts)
        high, low = divmod(self._number, 250)
        eth0 = {"name": "eth0", "up": True, "loopback": False, "mtu": 1500}
        return {
            "interfaces": [eth0 | {"addresses": [[f"10.0.{high}.{low + 1}", 16]]}],
            "own_address": f"10.0.{high}.{low + 1}",
            "adapters": [],
            "locked_bytes": None,
            "open_files": 1 << 20,
            "hostname": self.host,
            "token": self.host,
            "ports": [40000, 1024],
            "port6": None,
            "packets": 40001,
        }

    async def ask(self, question: dict[str, Any], seconds: float) -> Any:
        await asyncio.sleep(self._answers)
        [(kind, given)] = question.items()
        if kind == "clock":
            return 0.0
        if kind == "resolve":
            return [f"10.0.{int(name[1:]) // 250}.{int(name[1:]) % 250 + 1}" for name in given]
        if kind == "reach":
            return ["silent" if int(one[3][1:]) in self._cut else 0.001 for one in given]
        return [[] for _ in given] if kind == "bulk" else 1e8

    async def end(self) -> None:
        pass


def kinds_of(facts: Facts) -> list[tuple[str, tuple[str, ...]]]:
    ways = ways_of(facts)
    found = find_trouble(facts, ways, choose_way(ways))
    return [(one.kind, one.hosts) for one in found if one.kind != "clock"]


def test_500_hosts_take_hardly_longer_than_the_slowest_of_them() -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    draw = random.Random(seed)
    slowest = 20.0
    hosts = [Replayed(number, draw.uniform(0.1, slowest), draw.uniform(0.01, 0.1)) for number in range(499)]
    hosts.append(Replayed(499, slowest, 0.1))
    facts, seconds = counted(survey_by(hosts, 30.0))
    assert len(facts.hosts) == 500 and not facts.silent
    assert seconds <= 1.5 * slowest
    assert kinds_of(facts) == []
    [note] = notes_of(facts)
    assert note.kind == "pairs-not-tried" and "of 249500 ordered pairs" in note.what
    assert facts.tried.pairs < facts.tried.all_pairs


def test_one_bad_ordered_pair_among_200_hosts_is_named() -> None:
    hosts = [Replayed(number, 0.1, 0.1, frozenset([7]) if number == 150 else frozenset()) for number in range(200)]
    facts, _ = counted(survey_by(hosts, 30.0))
    assert kinds_of(facts) == [
        ("no-network", tuple(f"c{n:03}" for n in range(200))),
        ("dead-network", ("c150", "c007")),
    ]
    assert not notes_of(facts), "all pairs were tried"


def test_hosts_that_do_not_answer_cost_the_others_their_time_limit_and_no_report() -> None:
    hosts = [Replayed(number, 100.0 if number in (3, 30) else 0.1, 0.1) for number in range(40)]
    facts, seconds = counted(survey_by(hosts, 30.0))
    assert [one.host for one in facts.silent] == ["c003", "c030"]
    assert len(facts.hosts) == 38 and seconds < 45.0
    assert kinds_of(facts) == [("no-answer", ("c003", "c030"))]
    with pytest.raises(Error, match="host 'c000' does not answer"):
        counted(survey_by([Replayed(0, 100.0, 0.1)], 30.0))


AGENT = """#!/bin/sh
case $1 in
down) echo "ssh: connect to host down port 22: No route to host" >&2; exit 255 ;;
refuses) echo "root@refuses: Permission denied (publickey)." >&2; exit 255 ;;
bare) echo "sh: 1: python3: not found" >&2; exit 127 ;;
hangs) exec sleep 1000 ;;
banner) echo '{ "welcome": '; printf 'without an end' ;;
endless) exec yes '{' ;;
esac
exec sh -c "$2"
"""


def test_what_is_wrong_with_hosts_is_grouped_and_a_banner_is_no_answer(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.write_text(AGENT)
    agent.chmod(0o755)
    names = ["good", "down", "refuses", "bare", "hangs", "banner", "endless"]
    facts = survey(names, [str(agent)], 5.0)
    assert [host.name for host in facts.hosts] == ["good", "banner"]
    assert {one.host: one.state for one in facts.silent} == {
        "down": "down, or not reached",
        "refuses": "the agent is refused",
        "bare": "no Python 3",
        "hangs": "no answer within 5 s",
        "endless": "it prints other lines than the probe's",
    }


def test_srun_is_asked_for_one_task_on_the_host_and_a_shell() -> None:
    words = words_on(["srun", "-p", "debug"], "c1", "echo a b")
    assert words[:4] == ["srun", "-p", "debug", "--nodelist=c1"] and words[-3:] == ["sh", "-c", "echo a b"]
    assert words_on(["ssh", "-p", "2222"], "c1", "echo a b") == ["ssh", "-p", "2222", "c1", "echo a b"]
    assert words_on([], "c1", "echo a b") == ["sh", "-c", "echo a b"]


def test_ports_that_libraries_are_told_to_use_are_tried() -> None:
    assert library_ports({}) == [1024]
    assert library_ports({"OMPI_MCA_btl_tcp_port_min_v4": "20000", "MPIEXEC_PORT_RANGE": "50000:51000"}) == [
        20000,
        50000,
    ]
    assert library_ports({"UCX_TCP_PORT_RANGE": "0"}) == [1024]

"""What `ayatori explain` says of small programs whose answer follows from how they are made.

Each program computes for hundreds of milliseconds, or not at all, so that a busy machine changes no answer.
"""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

import plugin
import pytest

from ayatori.base.compiled import PLUGINS
from ayatori.lab.cluster import Settings, why_impossible
from ayatori.overlap.explanation import Explanation, explain
from ayatori.overlap.sites import launcher
from ayatori.overlap.tracing import Program
from ayatori.traces.files import read_traces
from bench.validation.mpi4py_suite import environment_of

FOLDER = plugin.PROGRAMS / "explained"
SHORT = "of the ranks' time"
LATE = "nothing: ranks are late: "
NOT_COMPUTED = "nothing: nothing is computed: "
NOTHING = "the program has no nonblocking operation"


@dataclass(frozen=True)
class Case:
    """`kinds`: how many operations of each name. `mostly`: per name, where the time went while one was outstanding:
    `computing`, `in_calls`, `waiting` or, waiting for partners that had not begun, `late`."""

    program: str
    advice: str = ""
    kinds: dict[str, int] = field(default_factory=dict)
    mostly: dict[str, str] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()
    ranks: int = 2
    only: str = ""


BOTH = {"send": 2, "receive": 2}
HIDDEN = {"send": "computing", "receive": "computing"}
CASES = [
    Case("computes.c", SHORT, BOTH, HIDDEN),
    Case("receives_meanwhile.c", kinds={"receive": 1}, mostly={"receive": "in_calls"}),
    Case("sends_meanwhile.c", kinds={"receive": 1}, mostly={"receive": "in_calls"}),
    Case("late_sender.c", LATE, {"send": 1, "receive": 1}, {"receive": "late"}),
    Case("late_receiver.c", LATE, {"synchronous send": 1}, {"synchronous send": "late"}),
    Case("late_allreduce.c", LATE, {"allreduce": 3}, {"allreduce": "late"}, ranks=3),
    Case("late_root.c", LATE, {"broadcast": 2}, {"broadcast": "late"}),
    Case("late_leaf.c", SHORT, {"broadcast": 2}),
    Case("nothing_computed.c", NOT_COMPUTED, {"send": 40, "receive": 40}, {"send": "waiting", "receive": "waiting"}),
    Case("polls.c", LATE, {"receive": 1}, {"receive": "late"}),
    Case("polls_and_computes.c", kinds={"receive": 1}, mostly={"receive": "computing"}),
    Case("probes_meanwhile.c", kinds={"receive": 1}, mostly={"receive": "in_calls"}),
    Case("duplicates_meanwhile.c", kinds={"receive": 1}, mostly={"receive": "in_calls"}),
    Case("put_and_fence.c", kinds={"put": 2}, mostly={"put": "computing"}),
    Case("late_fence.c", LATE, {"put": 1}, {"put": "late"}),
    Case("rput_and_wait.c", "", {"put": 2, "accumulate": 2}, {"put": "computing", "accumulate": "computing"}),
    Case("get_and_flush.c", "", {"get": 2}, {"get": "computing"}),
    Case("post_and_start.c", "", {"put": 1}, {"put": "computing"}),
    Case("persistent.c", "", {"send": 10, "receive": 10}, HIDDEN),
    Case(
        "partitioned.c",
        "",
        {"partitioned send": 1, "partitioned receive": 1, "allreduce": 2},
        {"partitioned send": "computing", "partitioned receive": "computing", "allreduce": "computing"},
        only="mpich",
    ),
    Case("neighbours.c", "", {"neighbours": 3}, {"neighbours": "computing"}, ranks=3),
    Case("writes_file.c", "", {"file write": 4}, {"file write": "computing"}),
    Case("blocking_only.c", NOTHING),
    Case("freed.c", NOTHING),
    Case("unknown_request.c", "among those that the trace knows", unseen=("MPI_Comm_idup (2 calls)",)),
    Case("any_source.c", LATE, {"receive": 1}, {"receive": "late"}),
    Case("insignificant.c", "", {"gather": 2}, {"gather": "computing"}),
    Case("two_groups.c", "", BOTH, HIDDEN),
    Case("threads.c", "", {"send": 4, "receive": 4}, HIDDEN, unseen=("2 threads of a rank call it",)),
    Case("computes.py", SHORT, BOTH, HIDDEN),
    *(Case(f"fortran.F90:{interface}", LATE, {"broadcast": 2}, {"broadcast": "late"}) for interface in plugin.FORTRAN),
]


def explained(mpi: plugin.Mpi, case: Case, folder: Path) -> Explanation:
    name, _, interface = case.program.partition(":")
    variables: dict[str, str] = {}
    words: list[str | Path]
    if name.endswith(".py"):
        pytest.importorskip("mpi4py")
        variables = dict(environment_of(mpi.family, folder, {}).items() - os.environ.items())
        words = [sys.executable, FOLDER / name]
    elif interface:
        words = [mpi.compiled(f"explained/{name}", f"-DUSE_{interface}", kind=f".explained.{interface}")]
    else:
        words = [mpi.compiled(f"explained/{name}", "-pthread", kind=".explained")]
    trace = PLUGINS / mpi.family / "libayatori_trace.so"
    variables["AYATORI_TRACE"] = str(folder)
    mpi.run_well(case.ranks, *words, preload=False, before=[trace], **variables)
    return explain(read_traces(folder), has_plugin=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.program)
def test_a_program_that_is_known_is_explained(mpi: plugin.Mpi, case: Case, tmp_path: Path) -> None:
    if case.only not in ("", mpi.family):
        pytest.skip(f"{mpi.family} has no such functions")
    found = explained(mpi, case, tmp_path)
    said = f"{found.unseen} {found.advice} {found.given} {found.kinds}"
    assert case.advice in found.advice[0], said
    assert len(found.unseen) == len(case.unseen), said
    assert all(part in sentence for part, sentence in zip(case.unseen, found.unseen, strict=True)), said
    counts = {name: sum(kind.count for kind in found.kinds if kind.name == name) for name in case.kinds}
    assert counts == case.kinds and {kind.name for kind in found.kinds} == set(case.kinds), said
    for name, where in case.mostly.items():
        own = [kind for kind in found.kinds if kind.name == name]
        whole = sum(kind.computing + kind.in_calls + kind.waiting for kind in own)
        part = sum(getattr(kind, where) or 0.0 for kind in own)
        assert part > whole / 2, said


def test_a_receive_from_anybody_has_the_bytes_that_it_got(mpi: plugin.Mpi, tmp_path: Path) -> None:
    found = explained(mpi, Case("any_source.c"), tmp_path)
    assert [kind.bytes for kind in found.kinds] == [8]


def test_bytes_of_one_sided_operations_count(mpi: plugin.Mpi, tmp_path: Path) -> None:
    found = explained(mpi, Case("put_and_fence.c"), tmp_path)
    assert [(kind.name, kind.bytes) for kind in found.kinds] == [("put", 1 << 20)]
    assert (
        "the hosts' interfaces carried" in found.moved_by or "of the bytes on the hosts' interfaces" in found.moved_by
    )


CLUSTER = """
[planes.net]
rate = "1Gbit/s"
[[switches]]
name = "switch"
plane = "net"
[[hosts]]
name = "host[0-1]"
links = [{ to = "switch" }]
"""


@pytest.mark.skipif(bool(why_impossible(Settings())), reason=why_impossible(Settings()))
def test_bytes_of_puts_cross_the_interfaces_of_two_hosts(mpi: plugin.Mpi, tmp_path: Path) -> None:
    (tmp_path / "lab.toml").write_text(CLUSTER, encoding="utf-8")
    program = mpi.compiled("explained/put_and_fence.c", kind=".explained")
    words = (*launcher(mpi.family, 2, 1), str(program))
    found = explain(Program(words, mpi.family, PLUGINS, tmp_path / "lab.toml").run(tmp_path / "run", False), True)
    assert [(kind.name, kind.bytes, kind.moved_early is None) for kind in found.kinds] == [("put", 1 << 20, False)]
    assert "of the bytes on the hosts' interfaces while nonblocking operations were outstanding" in found.moved_by


def test_lateness_of_neighbours_is_not_known(mpi: plugin.Mpi, tmp_path: Path) -> None:
    [kind] = explained(mpi, Case("neighbours.c", ranks=3), tmp_path).kinds
    assert kind.late is None


def test_late_partners_of_blocking_calls_are_seen(mpi: plugin.Mpi, tmp_path: Path) -> None:
    """Rank 0 waits for most of 0.6 seconds in a blocking receive."""
    found = explained(mpi, Case("blocking_only.c"), tmp_path)
    [late] = [sentence for sentence in found.given if "other calls of MPI" in sentence]
    assert float(late.rpartition("(at least ")[2].partition(" s ")[0]) > 0.3, late

"""--seconds bounds everything that plan, roce and run search for: what was found until then is printed and written."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import ayatori
from ayatori import _core
from ayatori._core import SearchControl
from ayatori.cli.plan_at_start import plan_for
from ayatori.model.jobs import contiguous_jobs
from ayatori.planning.plans import PLAN_METHODS, Messages, assess
from ayatori.planning.routes import make_routes

SOURCE = "fattree:K=6,levels=2,nodes=30"
AT_ONCE = ("--seconds", "1us")


@pytest.fixture
def hosts(tmp_path: Path) -> Callable[[str, int, int], str]:
    """Writes a hostfile of some of the hosts, which are mixed."""
    mixed = Random(1).sample(range(30), 30)

    def write(name: str, first: int, count: int) -> str:
        (tmp_path / name).write_text("".join(f"N{host}\n" for host in mixed[first : first + count]), encoding="utf-8")
        return str(tmp_path / name)

    return write


@pytest.mark.parametrize("method", PLAN_METHODS)
def test_a_plan_that_has_no_time_has_base_lids(method: str, tmp_path: Path, ayatori_command) -> None:
    out = tmp_path / "plan.json"
    command = ("plan", SOURCE, "--contiguous", "30..30", "--ppn", "16", "--method", method, *AT_ONCE)
    data = ayatori_command(*command, "--out", str(out), "--json").json()
    cut = data["cut"]
    assert (cut["by"], cut["done"], cut["of"]) == ("time", 0, 1)
    (job,) = data["per_job"]
    assert job["unmeasured_steps"] > 0 and not job["free"]
    (choice,) = data["choices"]
    assert choice["take"] == "no plan" and choice["equal"]
    assert _core.read_plan_file(str(out)).plan.method.word == "base-lids"
    words = ayatori_command(*command).stdout
    assert "  ended early   0 of 1 jobs in " in words
    assert "  estimated     from some of the steps: the search ended early" in words


def test_of_many_jobs_those_that_were_searched_to_the_end_are_printed(ayatori_command) -> None:
    jobs = ("--random-jobs", "1000", "--job-size", "8")
    data = ayatori_command("plan", SOURCE, *jobs, *AT_ONCE, "--json").json()
    assert 1 <= len(data["per_job"]) < 1000 and data["cut"]["of"] == 1000
    ports = ayatori_command("roce", SOURCE, *jobs, *AT_ONCE, "--json").json()
    assert 1 <= len(ports["per_job"]) < 1000 and ports["cut"]["of"] == 1000


def test_a_plan_needs_whole_tables(ayatori_command) -> None:
    ayatori_command("plan", "torus:3x3x3", *AT_ONCE).refused(
        1, "error: the tables are not made in 0 s", "hint: a larger --seconds, or tables by --lfts"
    )


def test_jobs_among_others_have_plans_however_early_it_ends(hosts, tmp_path: Path, ayatori_command) -> None:
    (tmp_path / "running").mkdir()
    hosts("running/old", 0, 10)
    new = hosts("new", 10, 10)
    state = ("--running", str(tmp_path / "running"), "--state", str(tmp_path / "state"))
    one = ayatori_command("plan", SOURCE, "--job", new, *state, *AT_ONCE, "--json").json()
    assert one["cut"]["by"] == "time" and len(one["traffics"]) == 8
    both = ("--jobs", new, "--jobs", hosts("newer", 20, 10))
    two = ayatori_command("plan", SOURCE, *both, *AT_ONCE, "--json").json()
    assert two["cut"]["by"] == "time" and len(two["jobs"]) == 2


def test_a_plan_at_the_start_of_a_program_does_not_hold_it_up(tmp_path: Path, capsys) -> None:
    network = ayatori.open_source(SOURCE)
    (job,) = contiguous_jobs(network, [30], 4)
    assert not plan_for(network, job, tmp_path / "plan.json", 1e-6)
    assert "no plan helps 120 ranks on 30 hosts" in capsys.readouterr().err
    assert not (tmp_path / "plan.json").exists()


def test_a_limit_without_a_plan_to_make_is_a_mistake(ayatori_command) -> None:
    ayatori_command("run", "--seconds", "2s", "--", "true").refused(2, "--seconds limits the search for a plan")


@pytest.mark.parametrize("method", PLAN_METHODS)
def test_nothing_is_proven_of_what_was_not_looked_at(method: str) -> None:
    network = ayatori.open_source(SOURCE)
    (job,) = contiguous_jobs(network, [30], 16)
    control = SearchControl()
    control.stop()
    planned = assess(network, make_routes(network), job, method, Messages(), control).planned
    assert planned is not None and planned.contention.unmeasured > 0
    assert (planned.optimal, planned.lower_bound, planned.max_relative_bandwidth) == (False, 0, 1)


@pytest.mark.parametrize("among", ["--running", "--jobs"])
def test_among_others_no_traffic_loses_and_a_named_one_comes_first(
    among: str, hosts, tmp_path: Path, ayatori_command
) -> None:
    (tmp_path / "running").mkdir()
    if among == "--running":
        hosts("running/old", 0, 8)
        which = ["--job", hosts("new", 8, 16), "--running", str(tmp_path / "running")]
    else:
        which = ["--jobs", hosts("one", 0, 15), "--jobs", hosts("two", 15, 15)]

    def traffics(*more: str) -> dict[str, tuple[float, float]]:
        state = ["--state", str(tmp_path / f"state{len(more)}")] if among == "--running" else []
        done = ayatori_command("plan", SOURCE, *which, *state, *more, "--json")
        data = json.loads(done.stdout)
        assert data["named"] == list(more[1::2])
        return {each["traffic"]: (each["without"], each["with_plan"]) for each in data["traffics"]}

    alike = traffics()
    assert len(alike) == 8
    assert all(planned >= without * 0.97 for without, planned in alike.values())  # 0.98, and other permutations
    mean = [sum(each) / 8 for each in zip(*alike.values(), strict=True)]
    assert mean[1] >= mean[0]
    first = traffics("--traffic", "xor", "--traffic", "ring")
    assert list(first)[:2] == ["xor", "ring"]
    assert first["xor"][1] + first["ring"][1] >= alike["xor"][1] + alike["ring"][1] - 0.02

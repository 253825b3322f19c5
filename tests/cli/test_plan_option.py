"""`--plan FILE`: check, simulate and choose take the plan's own paths. They and run refuse a plan that is not for this
network, these tables or this job."""

import json
import random
import shutil
from collections import Counter
from pathlib import Path

import pytest

import ayatori
from ayatori import _core
from ayatori.formats.plan_file import read_made, write_plan
from ayatori.planning.fit import Verdict, fit_of
from files_walk import FilesWalk, WrittenPlan
from thoroughness import tries

FABRIC = "fattree:K=6,levels=2,nodes=30"
SHIFT = ("--collective", "alltoall", "--bytes", "1MiB", "--steps", "synchronous", "--calibration", "none")
COMMANDS = {
    "simulate": ("--algorithm", "shift", "--collective", "alltoall"),
    "choose": ("--collective", "alltoall", "--bytes", "1KiB"),
    "check": (),
}
FABRICS = [FABRIC, "xgft:h=2;m=6,4;w=1,3", "xgft:h=3;m=3,2,3;w=1,2,2", "torus:3x3", "dragonfly:g=5,a=4,p=2,h=1"]
METHODS = ["rule", "colour", "pair", "base-lids"]


def write(folder: Path, source: str, hosts: list[str], method: str, routes: ayatori.Routes | None = None) -> Path:
    network = ayatori.open_source(source)
    job = _core.job_of_hosts(network, [(host, 1) for host in hosts], "a test")
    routes = routes or ayatori.make_routes(network)
    write_plan(network, routes, job, ayatori.plan(network, routes, job, method), folder / "p.json")
    (folder / "hosts").write_text("".join(f"{host}\n" for host in hosts))
    return folder / "p.json"


def slowest_links(folder: Path) -> list[int]:
    """By step of the shift, the messages on its busiest link, from files alone."""
    walk, plan = FilesWalk(folder / "fabric.json", folder / "tables/lfts"), WrittenPlan(folder / "p.json")
    nic_of = {host: guid for guid, host in walk.host.items()}
    where, ranks = [nic_of[host] for host in plan.hosts], len(plan.hosts)
    steps = []
    for shift in range(1, ranks):
        pairs = [(a, (a + shift) % ranks) for a in range(ranks)]
        loads = Counter(link for a, b in pairs for link in walk.links(where[a], where[b], plan.lid(a, b)))
        steps.append(max(loads.values()))
    return steps


@pytest.mark.parametrize("case", range(20))
def test_times_and_shares_are_those_of_a_walk_of_the_files(case: int, tmp_path: Path, ayatori_command) -> None:
    source, method = FABRICS[case % len(FABRICS)], METHODS[case % len(METHODS)]
    numbers, network = random.Random(case), ayatori.open_source(source)
    names = [machine.name for machine in network.machines]
    plan = write(tmp_path, source, numbers.sample(names, numbers.randint(3, 9)), method)
    ayatori_command("convert", source, "--to", "json", "--out", "fabric.json", cwd=tmp_path).good()
    lmc = ("--lmc", str(json.loads(plan.read_text())["lmc"]))
    ayatori_command("route", source, *lmc, "--out-dir", "tables", cwd=tmp_path).good()
    steps = slowest_links(tmp_path)
    rate = network.port(network.endpoints[0]).bytes_per_second
    own = ("--plan", "p.json", *(("--lfts", "tables/lfts") if case % 3 == 0 else ()), "--json")
    simulated = ayatori_command("simulate", source, *SHIFT, "--algorithm", "shift", *own, cwd=tmp_path).json()
    assert simulated["time_s"] == pytest.approx(sum(steps) * 2**20 / rate, rel=1e-9)
    assert (simulated["method"], simulated["plans"]) == (method, ["p.json"])
    chosen = ayatori_command("choose", source, *SHIFT, *own, cwd=tmp_path).json()
    [shift] = [each for each in chosen["calls"][0]["ranking"] if each["algorithm"] == "shift"]
    assert shift["time_s"] == pytest.approx(sum(steps) * 2**20 / rate, rel=1e-9)
    assert (chosen["method"], chosen["plans"]) == (method, ["p.json"])
    checked = ayatori_command("check", source, *own, cwd=tmp_path)
    assert checked.status in (0, 3), checked.stderr  # a torus has no tables without a cycle
    share = json.loads(checked.stdout)["relative_bandwidth"]["mean"]
    assert share == pytest.approx(len(steps) / sum(steps), rel=1e-9)


HOSTS = ["N0", "N11", "N15", "N17", "N2", "N20", "N27"]
OTHER_FABRICS = [
    ("fattree:K=7,levels=2,nodes=30", "was made on "),
    ("xgft:h=2;m=5,6;w=1,6", "was made on "),
    ("fattree:K=6,levels=2,nodes=20", "N20"),
    ("xgft:h=3;m=3,2,5;w=1,2,2", "was made on "),
    (
        "json:other.json",
        "was made on another fabric: N0 has port 0x0010000000000001 there, and 0x0077000000000001 here",
    ),
]
OTHER_JOBS = [
    ([*HOSTS[1:], "N0"], "p.json is not for this job: rank 0 is on N11, and in the plan on N0"),
    (HOSTS[:-1], "p.json is for 7 ranks, and the job has 6"),
    ([*HOSTS, "N29"], "p.json is for 7 ranks, and the job has 8"),
    ([*HOSTS[:-1], "N29"], "p.json is not for this job: rank 6 is on N29, and in the plan on N27"),
    ([*HOSTS[:-2], "N27", "N20"], "p.json is not for this job: rank 5 is on N27, and in the plan on N20"),
]
OTHER_TABLES = [
    ["--lmc", "0"],
    ["--lmc", "2"],
    ["--lmc", "4"],
    ["--for", "hosts"],
    ["--for", "reverse"],
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a plan, saved under a second name, and the hosts of its job."""
    write(tmp_path, FABRIC, HOSTS, "pair")
    (tmp_path / "reverse").write_text("".join(f"{host}\n" for host in reversed(HOSTS)))
    return tmp_path


def other_adapter(folder: Path) -> str:
    """The fabric after N0 got another adapter."""
    network = ayatori.open_source(FABRIC)
    text = _core.export_network(network, "json").decode()
    (folder / "other.json").write_text(text.replace("0x0010000000000001", "0x0077000000000001"))
    return f"json:{folder}/other.json"


def refuse_everywhere(folder: Path, ayatori_command, source: str, options: list[str], *said: str) -> None:
    for verb, more in COMMANDS.items():
        ayatori_command(verb, source, *more, *options, cwd=folder).refused(1, *said)


def refuse_to_run(folder: Path, ayatori_command, source: str, options: list[str], *said: str) -> None:
    run = ("run", "--network", source, *options, "--", "touch", "started")
    ayatori_command(*run, cwd=folder).refused(1, *said)
    assert not (folder / "started").exists()


@pytest.mark.parametrize("case", range(tries(3, 5)))
def test_a_plan_of_another_fabric_is_refused(case: int, folder: Path, ayatori_command) -> None:
    source, said = OTHER_FABRICS[-1 - case]
    other_adapter(folder)
    refuse_everywhere(folder, ayatori_command, source, ["--plan", "p.json"], "error: p.json", said)
    ayatori_command("route", source, "--out-dir", "tables", cwd=folder).good()
    options = ["--plan", "p.json", "--lfts", "tables/lfts"]
    refuse_to_run(folder, ayatori_command, source, options, "error: p.json", said)


@pytest.mark.parametrize("case", range(5))
def test_a_plan_of_other_hosts_is_refused(case: int, folder: Path, ayatori_command) -> None:
    hosts, said = OTHER_JOBS[case]
    (folder / "other").write_text("".join(f"{host}\n" for host in hosts))
    refuse_everywhere(folder, ayatori_command, FABRIC, ["--plan", "p.json", "--job", "other"], f"error: {said}\n")


@pytest.mark.parametrize("case", range(tries(3, 5)))
def test_a_plan_of_other_tables_is_refused(case: int, folder: Path, ayatori_command) -> None:
    ayatori_command("route", FABRIC, *OTHER_TABLES[case], "--out-dir", "tables", cwd=folder).good()
    options = ["--plan", "p.json", "--lfts", "tables/lfts"]
    said = ("error: p.json was made on other tables: ", "hint: --lfts FILE with the tables that it was made on")
    refuse_everywhere(folder, ayatori_command, FABRIC, options, *said)
    refuse_to_run(folder, ayatori_command, FABRIC, options, *said)
    own = ["--jobs", "p.json", "--lfts", "tables/lfts"]
    for verb in ("simulate", "check"):
        ayatori_command(verb, FABRIC, *COMMANDS[verb], *own, cwd=folder).refused(1, *said)


@pytest.mark.parametrize("case", range(tries(2, 5)))
def test_a_copied_plan_never_takes_the_pairs_of_another_one(case: int, folder: Path, ayatori_command) -> None:
    shutil.copy(folder / "p.json", folder / "saved.json")
    write(folder, FABRIC, random.Random(case).sample(HOSTS, len(HOSTS)), "pair")
    said = ("error: saved.json: 'p.json.pairs' is now the companion of another plan", "hint: copy both files")
    refuse_everywhere(folder, ayatori_command, FABRIC, ["--plan", "saved.json"], *said)
    for network in (FABRIC, "torus:2"):
        refuse_to_run(folder, ayatori_command, network, ["--plan", "saved.json"], *said)
    shutil.copy(folder / "p.json", folder / "again.json")
    ayatori_command("check", FABRIC, "--plan", "again.json", cwd=folder).good()


def test_a_plan_of_source_ports_has_no_lids(folder: Path, ayatori_command) -> None:
    (folder / "addresses").write_text("".join(f"{host} 10.0.0.{i}\n" for i, host in enumerate(HOSTS)))
    roce = ("roce", FABRIC, "--job", "hosts", "--addresses", "addresses", "--out", "roce.json")
    ayatori_command(*roce, cwd=folder).good()
    said = "error: roce.json is a plan of source ports, not of LIDs\n"
    refuse_everywhere(folder, ayatori_command, FABRIC, ["--plan", "roce.json"], said)
    smaller = "fattree:K=6,levels=2,nodes=20"
    refuse_to_run(folder, ayatori_command, smaller, ["--plan", "roce.json"], "error: roce.json", "N20")


def test_a_plan_of_this_network_runs(folder: Path, ayatori_command) -> None:
    ayatori_command("route", FABRIC, "--out-dir", "tables", cwd=folder).good()
    for tables in ([], ["--lfts", "tables/lfts"]):
        run = ("run", "--network", FABRIC, "--plan", "p.json", *tables, "--", "touch", "started")
        ayatori_command(*run, cwd=folder).good()
        (folder / "started").unlink()
    done = ayatori_command("run", "--network", "ib:gone", "--plan", "p.json", "--", "true", cwd=folder)
    assert done.status == 0 and "warning: p.json is not compared with ib:gone, which can't be opened" in done.stderr
    for words in (["--plan", "p.json"], ["--network", FABRIC]):
        ayatori_command("run", "--lfts", "tables/lfts", *words, "--", "true", cwd=folder).refused(2, "--lfts")


def test_what_differs_is_a_value(folder: Path) -> None:
    network = ayatori.open_source(FABRIC)
    routes, job = ayatori.make_routes(network), ayatori.contiguous_jobs(network, [7])[0]
    made, _ = read_made(folder / "p.json")
    fit = fit_of(network, made, routes)
    assert fit.verdict is Verdict.SAME and fit.demand().rank_count == 7
    assert fit_of(network, made, routes, job).verdict is Verdict.OTHER_JOB
    assert fit_of(network, made, ayatori.make_routes(network, 1)).verdict is Verdict.OTHER_TABLES
    smaller = ayatori.open_source("fattree:K=6,levels=2,nodes=20")
    assert fit_of(smaller, made).verdict is Verdict.HOSTS_MISSING
    other = ayatori.open_source(other_adapter(folder))
    fit = fit_of(other, made, ayatori.make_routes(other))
    assert fit.verdict is Verdict.OTHER_FABRIC and fit.job is not None
    shutil.copy(folder / "p.json", folder / "saved.json")
    write(folder, FABRIC, HOSTS[::-1], "pair")
    assert fit_of(network, read_made(folder / "saved.json")[0]).verdict is Verdict.FOREIGN_PAIRS


def test_pages_say_where_paths_come_from(folder: Path, ayatori_command) -> None:
    call = ("simulate", FABRIC, *COMMANDS["simulate"])

    def paths(*more: str) -> str:
        said = ayatori_command(*call, *more, cwd=folder).good().stdout
        return next(line for line in said.splitlines() if line.startswith("  paths  ")).split(maxsplit=1)[1]

    assert paths("--plan", "p.json") == "pair, as p.json says, steps drift"
    assert paths("--jobs", "p.json", "--rounds", "1") == "pair, as p.json says, steps drift"
    (folder / "more").write_text("N3\nN4\n")
    mixed = ("--jobs", "p.json", "--jobs", "more", "--rounds", "1")
    assert paths(*mixed) == "base-lids; of jobs with plans as these say, steps drift"
    assert paths("--job", "hosts", "--method", "pair") == "pair, planned for these messages, steps drift"
    assert paths("--job", "hosts") == "base-lids, steps drift"
    assert "  plan          p.json\n" in ayatori_command("check", FABRIC, "--plan", "p.json", cwd=folder).good().stdout


def test_a_choice_for_a_plan_starts_with_that_plan(folder: Path, ayatori_command) -> None:
    call = ("choose", FABRIC, *COMMANDS["choose"], "--plan", "p.json", "--out", "choice.json", "--json")
    data = ayatori_command(*call, cwd=folder).json()
    assert data["plan_line"] == ""
    assert data["start"]["MPICH"] == (
        f"AYATORI_CHOICE={folder}/choice.json ayatori run --plan {folder}/p.json "
        f"mpiexec -n 7 -f {folder}/choice.json.hosts"
    )


@pytest.mark.parametrize("verb", ["simulate", "choose", "check"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--method", "pair"], "--method excludes --plan"),
        (["--random-jobs", "2", "--job-size", "3"], "--plan has a job of its own"),
        (["--contiguous", "3..4"], "--plan has a job of its own"),
    ],
)
def test_a_plan_contradicts_other_paths_and_jobs(
    verb: str, options: list[str], said: str, folder: Path, ayatori_command
) -> None:
    ayatori_command(verb, FABRIC, *COMMANDS[verb], "--plan", "p.json", *options, cwd=folder).refused(2, said)


def test_applied_paths_of_a_plan_are_those_that_are_timed(folder: Path, ayatori_command) -> None:
    (folder / "none").mkdir()
    call = ("simulate", FABRIC, *COMMANDS["simulate"], "--plan", "p.json", "--applied", "none")
    ayatori_command(*call, cwd=folder).refused(1, "none has no records of paths")

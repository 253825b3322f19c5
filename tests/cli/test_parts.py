"""Networks in several parts: what `route`, `check` and `plan` do with an island, and with a job across it."""

import json
from pathlib import Path

import pytest

RAILS = "xgft:h=2;m=6,4;w=2,3"  # two planes, without a cable between them


def write_islands(path: Path) -> str:
    """A switch with three hosts, one with two, and one that nothing is cabled to."""
    records = []
    for island, hosts in ((1, 3), (2, 2), (3, 0)):
        lids = [10 * island + port for port in range(1, hosts + 1)]
        records.append(
            f'switchguid=0x{island}({island})\nSwitch 8 "S-{island}" # "leaf{island}" base port 0 lid {island}'
        )
        records[-1] += " lmc 0"
        for port, lid in enumerate(lids, start=1):
            records[-1] += f'\n[{port}] "H-{lid}0"[1]({lid}1) # "h{lid} HCA-1" lid {lid} 4xHDR'
        for port, lid in enumerate(lids, start=1):
            records.append(
                f'caguid=0x{lid}0\nCa 1 "H-{lid}0" # "h{lid} HCA-1"\n'
                f'[1]({lid}1) "S-{island}"[{port}] # lid {lid} lmc 0 "leaf{island}" lid {island} 4xHDR'
            )
    path.write_text("\n\n".join(records) + "\n", encoding="utf-8")
    return f"ib:{path}"


def test_tables_of_islands_are_good_and_the_parts_are_named(tmp_path: Path, ayatori_command) -> None:
    source = write_islands(tmp_path / "fabric.txt")
    made = ayatori_command("route", source, "--out-dir", str(tmp_path / "tables")).good()
    said = " ".join(made.stderr.split())
    assert "warning: the network is in 3 parts, which no cables join: 3 hosts on 'leaf1'; 2 hosts on 'leaf2'" in said
    assert "no hosts on 'leaf3'" in said
    data = ayatori_command("check", source, "--lfts", str(tmp_path / "tables" / "lfts"), "--json").json()
    assert data["tables_ok"] and data["unreachable"] == 0 and len(data["parts"]) == 3


def test_a_job_within_one_part_is_checked_and_planned_and_one_across_parts_refused(
    tmp_path: Path, ayatori_command
) -> None:
    source = write_islands(tmp_path / "fabric.txt")
    within, across = tmp_path / "within", tmp_path / "across"
    within.write_text("h11\nh12\nh13\n", encoding="utf-8")
    across.write_text("h11\nh21\n", encoding="utf-8")
    for verb in ("check", "plan"):
        ayatori_command(verb, source, "--job", str(within)).good()
        refused = ayatori_command(verb, source, "--job", str(across))
        assert refused.status == 1
        assert "the job lies in several parts of the network: no cables lead from" in " ".join(refused.stderr.split())


def test_each_plane_of_several_is_routed(ayatori_command) -> None:
    data = ayatori_command("route", RAILS, "--json").json()
    assert data["engine"] == "fat_tree" and len(data["parts"]) == 2 and data["tables_ok"]
    assert data["distinct_paths"]["max"] == 3


@pytest.mark.parametrize("method", ["rule", "colour", "pair"])
@pytest.mark.parametrize("rails", ["aligned", "striped"])
def test_rails_that_no_cable_joins_are_planned_and_measured_alike(method: str, rails: str, ayatori_command) -> None:
    jobs = ["--random-jobs", "3", "--job-size", "9", "--rails", rails, "--json"]
    planned = ayatori_command("plan", RAILS, "--method", method, "--traffic", "shift", *jobs).good()
    checked = ayatori_command("check", RAILS, "--method", method, *jobs).good()
    with_plan = [choice["with_plan"] for choice in json.loads(planned.stdout)["choices"]]
    assert with_plan == [job["relative_bandwidth"] for job in json.loads(checked.stdout)["per_job"]]
    for found in json.loads(planned.stdout)["per_job"]:
        assert found["relative_bandwidth"] <= found["max_relative_bandwidth"] + 1e-9


def test_rails_that_no_cable_joins_have_plans_of_their_nics(tmp_path: Path, ayatori_command) -> None:
    file = tmp_path / "plan.json"
    ayatori_command("plan", RAILS, "--contiguous", "4..4", "--rails", "aligned", "--out", str(file)).good()
    assert (
        ayatori_command("check", RAILS, "--plan", str(file), "--rails", "aligned", "--json").json()[
            "relative_bandwidth"
        ]["mean"]
        == 1
    )
    ayatori_command("plan", RAILS, "--contiguous", "4..4", "--rails", "aligned", "--steps-out", str(file)).refused(
        2, "between the ranks' own NICs"
    )
    ayatori_command("plan", RAILS, "--contiguous", "4..4").refused(1, "several parts")


@pytest.mark.parametrize("verb", ["simulate", "choose", "plan", "check", "order"])
def test_errors_about_rails_that_no_cable_joins_say_what_would_do(verb: str, tmp_path: Path, ayatori_command) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("N0 slots=2\nN1 slots=2\nN2 slots=2\n", encoding="utf-8")
    calls = {
        "simulate": "--collective alltoall --algorithm shift",
        "choose": "--collective alltoall --bytes 1KiB",
        "order": "--collective alltoall --algorithm shift --bytes 1KiB --trials 2",
    }
    call = [verb, RAILS, "--job", str(hosts), *calls.get(verb, "").split()]
    refused = ayatori_command(*call)
    assert refused.status == 1, refused
    hint = refused.stderr.splitlines()[-1]
    assert hint.startswith("hint: ") and "--ppn 1" in hint
    ayatori_command(*call, "--ppn", "1").good()
    assert ("--rails aligned" in hint) == (verb in ("simulate", "plan", "check"))
    if "--rails" in hint:
        for rails in ("aligned", "striped"):
            assert f"--rails {rails}" in hint and ayatori_command(*call, "--rails", rails).status == 0


def test_jobs_across_islands_get_no_hint_at_rails(tmp_path: Path, ayatori_command) -> None:
    source, hosts = write_islands(tmp_path / "fabric.txt"), tmp_path / "hosts"
    hosts.write_text("h11\nh21\n", encoding="utf-8")
    refused = ayatori_command("plan", source, "--job", str(hosts))
    assert refused.status == 1 and "hint" not in refused.stderr


def test_tables_have_few_comments_unless_they_are_asked_for(tmp_path: Path, ayatori_command) -> None:
    source = "fattree:K=3,levels=2"
    sizes = {}
    for extra in ((), ("--comments",)):
        out = tmp_path / f"tables{''.join(extra)}"
        ayatori_command("route", source, "--out-dir", str(out), *extra).good()
        sizes[extra] = (out / "lfts").stat().st_size
        few = "Most entries have no comment" in (out / "README").read_text(encoding="utf-8")
        assert few == (extra != ("--comments",))
        ayatori_command("check", source, "--lfts", str(out / "lfts")).good()
    assert sizes[()] < 0.5 * sizes[("--comments",)]
    out = tmp_path / "changed"
    old = tmp_path / "tables--comments" / "lfts"
    assert (
        ayatori_command("route", source, "--changed-from", str(old), "--out-dir", str(out), "--json").json()[
            "differing_entries"
        ]
        == 0
    )
    assert (out / "changed-lfts").read_text(encoding="utf-8") == ""
    lines = old.read_text(encoding="utf-8").splitlines(keepends=True)
    entry = next(i for i, line in enumerate(lines) if i > 60 and line.startswith("0x"))
    del lines[entry]
    old.write_text("".join(lines), encoding="utf-8")
    again = tmp_path / "cache_refill"
    made = ayatori_command("route", source, "--changed-from", str(old), "--out-dir", str(again), "--json")
    assert json.loads(made.stdout)["differing_entries"] == 1
    assert (again / "changed-lfts").read_text(encoding="utf-8").count("Unicast lids") == 1
    assert "OpenSM's file engine can't load it" in (again / "README").read_text(encoding="utf-8").replace("\n", " ")

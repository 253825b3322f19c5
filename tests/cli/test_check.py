"""`ayatori check`: the picture of several jobs."""

import json
import re
from pathlib import Path

import pytest

SOURCE = "fattree:K=6,levels=2,nodes=30"


def write_jobs(folder: Path, **hosts: range) -> list[str]:
    """A hostfile for each job; the options that name them."""
    options = []
    for name, numbers in hosts.items():
        (folder / name).write_text("".join(f"N{number}\n" for number in numbers))
        options += ["--jobs", str(folder / name)]
    return options


def test_jobs_are_drawn_in_colours_and_their_shared_links_named(tmp_path: Path, ayatori_command) -> None:
    jobs = write_jobs(tmp_path, left=range(0, 30, 4), middle=range(1, 30, 4), right=range(2, 30, 4))
    picture = tmp_path / "jobs.svg"
    ayatori_command("check", SOURCE, *jobs, "--svg", str(picture)).good()
    drawn = picture.read_text()
    assert "<title>N4, left</title>" in drawn
    assert drawn.count('class="g0 k"') == 8 + 1, "the NICs of the job, and the legend"
    assert re.search(r"LS0 port 7 -&gt; RS0 port 1: left and right, [0-9.]+% of the time</text>", drawn)


def test_isolated_jobs_share_no_link_in_the_picture(tmp_path: Path, ayatori_command) -> None:
    jobs = write_jobs(tmp_path, left=range(0, 6), right=range(6, 12))
    picture = tmp_path / "jobs.svg"
    outcome = ayatori_command("check", SOURCE, *jobs, "--svg", str(picture)).good()
    assert "isolated" in outcome.stdout
    assert 'class="s"' not in picture.read_text()


@pytest.mark.parametrize("method", ["pair", "multipath"])
def test_a_method_is_measured_on_tables_with_the_lids_that_it_needs(method: str, ayatori_command) -> None:
    outcome = ayatori_command("check", SOURCE, "--random-jobs", "3", "--job-size", "16", "--method", method).good()
    assert f"3 of 3 free of hot spots (shift, {method})" in outcome.stdout


def test_jobs_together_without_a_plan_are_planned_by_the_method(tmp_path: Path, ayatori_command) -> None:
    jobs = write_jobs(tmp_path, left=range(0, 30, 4), right=range(2, 30, 4))
    outcome = ayatori_command("check", SOURCE, *jobs, "--method", "pair", "--rounds", "5", "--json")
    assert [job["method"] for job in json.loads(outcome.stdout)["together"]["jobs"]] == ["pair", "pair"]


def test_sizes_of_a_pattern_that_do_not_count_are_named(ayatori_command, tmp_path: Path) -> None:
    sends = tmp_path / "sends.txt"
    for lines, differ in (("0 1 8\n1 2 4096\n", True), ("0 1 8\n\n1 2\n", True), ("0 1 8\n1 2 8\n", False)):
        sends.write_text(lines)
        for verb in ("check", "plan"):
            outcome = ayatori_command(
                verb, "fattree:K=2,levels=2", "--contiguous", "3..3", "--pattern", str(sends)
            ).good()
            assert ("messages differ in size" in outcome.stderr.replace("\n", " ")) == differ

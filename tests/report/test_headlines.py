"""The result in words: counted from the study's own data, for each kind of study; and a method's one look."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import sample_study as sample
from test_report import Reader, without_plotly, written
from test_study_data import jobs_together

from ayatori.planning.plans import METHODS
from ayatori.report.headlines import FULL
from ayatori.report.methods import OTHERS, STYLES
from ayatori.study.pictures import IN_USE

Study = dict[str, Any]


@pytest.fixture(scope="module")
def paper() -> Study:
    return sample.paper_study()


def headline_of(folder: Path, study: Study) -> str:
    page = without_plotly(written(folder, study))
    found = re.findall(r'<div class="headline"><strong>(.*?)</strong>', page)
    assert len(found) == 1, "one headline a study"
    return found[0].replace("\u00a0", " ")


def test_headline_counts_random_jobs(tmp_path: Path, paper: Study) -> None:
    bandwidths = paper["random"]["relative_bandwidth"]
    free = {method: sum(value >= FULL for value in values) for method, values in bandwidths.items()}
    assert free == paper["random"]["free"]
    assert headline_of(tmp_path, paper) == f"Jobs without congestion: {free['base-lids']} → 60 of 60, predicted"


def test_headline_counts_contiguous_jobs(tmp_path: Path, paper: Study) -> None:
    curves = paper["contiguous"]["relative_bandwidth"]
    before = sum(value >= FULL for value in curves["base-lids"])
    study = {"title": "contiguous", "methods": METHODS, "contiguous": paper["contiguous"]}
    assert headline_of(tmp_path, study) == f"Jobs without congestion: {before} → 28 of 28, predicted"


def test_headline_tells_the_bandwidth_where_no_more_jobs_are_without_congestion(tmp_path: Path) -> None:
    random = {"jobs": 2, "size": 4, "free": {"base-lids": 0, "pair": 0}}
    random["relative_bandwidth"] = {"base-lids": [0.4, 0.5], "pair": [0.5, 0.6]}
    assert headline_of(tmp_path, {"title": "slow", "random": random}) == (
        "Mean bandwidth: 0.450 → 0.550 of peak (+22%), predicted"
    )
    random["free"]["base-lids"] = 1
    assert headline_of(tmp_path, {"title": "slow", "random": random}) == "Jobs without congestion: 1 of 2, predicted"


def test_headline_of_a_job(tmp_path: Path) -> None:
    study = sample.multi_rail_study()
    assert headline_of(tmp_path, study) == "Bandwidth of a job: 0.500 → 1.000 of peak, predicted"
    assert headline_of(tmp_path, study | {"peak_MBps": 1000}) == "Bandwidth of a job: 500 → 1,000 MB/s, predicted"
    assert headline_of(tmp_path, sample.ring_study()) == "Most loaded cable: 4 messages, predicted"


def test_headline_of_jobs_at_the_same_time(tmp_path: Path) -> None:
    study = jobs_together("fattree:K=4,levels=2", [6, 5, 7])
    lost = 1 - study["together"]["mean"] / study["together"]["alone"]
    assert lost > 0.01
    assert headline_of(tmp_path, study) == f"Bandwidth lost to other jobs: {lost:.0%}, predicted"


def test_headline_of_parts_alone(tmp_path: Path, paper: Study) -> None:
    assert headline_of(tmp_path, {"title": "checks", "checks": sample.CHECKS}) == "Checks passed: 3 of 3"
    assert headline_of(tmp_path, {"title": "engines", "engines": sample.ENGINES}) == (
        "Routing tables without deadlock: 2 of 3"
    )
    assert headline_of(tmp_path, {"title": "fabric", "fabric": paper["fabric"]}) == "Faults of the fabric: none"


def tones_of(page: str) -> dict[str, set[int]]:
    """By method every colour that a chart or a listing of the page gives it."""
    tones: dict[str, set[int]] = {}
    figures = re.search(r'id="figures">(.*?)</script>', page, re.DOTALL)
    assert figures
    for figure in json.loads(figures[1]):
        for trace in figure["traces"]:
            if trace["tone"] != "ink":  # the bound, which is of no method
                tones.setdefault(trace["name"].removeprefix("paper: "), set()).add(trace["tone"])
    keys = re.findall(r'class="key tone(\d)".*?</svg>(?:<b>)?(?:ayatori, )?([\w -]+)<', page)
    assert len(keys) > 4
    for tone, method in keys:
        tones.setdefault(method, set()).add(int(tone))
    return tones


def test_a_method_has_one_colour_in_all_charts_and_listings(tmp_path: Path, paper: Study) -> None:
    random = {
        "jobs": 2,
        "size": 4,
        "free": {},
        "relative_bandwidth": {m: [0.4, 1] for m in (IN_USE, "base-lids", "pair")},
    }
    plan = sample.job_study("fattree:K=4,levels=2", 8) | {"random": random}
    engines = [{"name": f"ayatori, {method}"} for method in METHODS]
    pages = [written(tmp_path / str(i), study) for i, study in enumerate((paper | {"engines": engines}, plan))]
    for page in pages:
        for method, tones in tones_of(page).items():
            assert tones == {STYLES[method].tone}, method
    assert set(tones_of(pages[0])) == set(METHODS) and set(tones_of(pages[1])) == {IN_USE, "base-lids", "pair"}


def test_curves_that_coincide_are_told_apart_and_named(tmp_path: Path, paper: Study) -> None:
    looks = [STYLES[method] for method in (*METHODS, IN_USE)]
    for part in ("tone", "width", "symbol"):
        assert len({getattr(look, part) for look in looks}) == len(looks), part
    assert {*METHODS, IN_USE} <= set(STYLES) and not {look.width for look in OTHERS} & {look.width for look in looks}
    page = written(tmp_path, paper)
    assert "The curves of colour and pair coincide." in "".join(Reader(page).texts)
    figures = re.search(r'id="figures">(.*?)</script>', page, re.DOTALL)
    assert figures
    for figure in json.loads(figures[1]):
        widths = [trace["line"]["width"] for trace in figure["traces"] if trace["tone"] != "ink" and "line" in trace]
        assert widths == sorted(widths, reverse=True), "the widest lies below"

"""The report: errors that name file and key, escaping, and a page that is whole and needs no network."""

import base64
import copy
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import sample_study as sample

from ayatori.planning.plans import METHODS
from ayatori.report import ReportError, write_report
from ayatori.report.listings import engines_listing
from ayatori.report.loads import load_class
from ayatori.report.model import Engine
from ayatori.report.reading import read
from ayatori.report.values import Value

EVIL = """</script><script>alert(1)</script><img src=x onerror="alert(2)">'&\u202e\x00\x1b[31m"""
VOID = {"meta", "br", "input"}


@pytest.fixture(scope="module")
def paper() -> dict[str, Any]:
    return sample.paper_study()


def written(folder: Path, *studies: dict[str, Any]) -> str:
    return write_report(sample.write_studies(folder, *studies)).read_text(encoding="utf-8")


def undrawn(study: dict[str, Any]) -> dict[str, Any]:
    del study["fabric"]["drawing"]
    return study


def without_plotly(page: str) -> str:
    return re.sub(r'<script type="application/gzip".*?</script>', "", page, flags=re.DOTALL)


class Reader(HTMLParser):
    """Collects tags and attributes, and checks that every element is closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def count(self, tag: str, style: str = "") -> int:
        return sum(t == tag and style in (a.get("class") or "").split() or t == tag and not style for t, a in self.tags)


def explorer_data(page: str) -> dict[str, Any]:
    """What the first picture's script reads."""
    found = re.search(r'<script type="application/json" id="study0-data">(.*?)</script>', page)
    assert found
    return json.loads(found[1])


def test_figures_agree_with_the_paper(paper: dict[str, Any]) -> None:
    """16 of 30 hosts: mod K is nearly never free, the rule in two thirds, colouring and pairs always."""
    free = paper["random"]["free"]
    assert free["base-lids"] < 3 and 30 < free["rule"] < 50 and free["colour"] == free["pair"] == 60


def test_headline_and_figures_beside_the_papers(tmp_path: Path, paper: dict[str, Any]) -> None:
    page = written(tmp_path, paper)
    text = " ".join(Reader(without_plotly(page)).texts)
    free = paper["random"]["free"]
    assert f"Jobs without congestion: {free['base-lids']}\u00a0→\u00a060 of 60, predicted" in text
    for figure in ("1,198", "1,607", "888", "1,265", "1,690", "1,716", "jobs ≥ 1,500 MB/s", "of 28"):
        assert figure in text


def test_page_is_well_formed_and_draws_every_part(tmp_path: Path, paper: dict[str, Any]) -> None:
    page = written(tmp_path, paper)
    reader = Reader(page)
    assert reader.count("svg", "fabric") == 2
    assert reader.count("circle", "host") == 30 + 2 and reader.count("circle", "mine") == 16 + 1  # and the key
    assert reader.count("use") == 2  # the second picture takes the first one's parts
    assert reader.count("div", "plot") == 2
    data = explorer_data(page)
    job = paper["worst_job"]
    assert data["steps"][data["shown"]][0] == job["step"]
    assert [len(flat) // 2 for flat in data["steps"][data["shown"]][1:]] == [
        len(job[side]["loads"]) for side in ("before", "after")
    ]
    drawn = {cable for _, _, cables in data["bundles"] for cable in cables}
    assert {cable // 2 for cable in drawn} == set(range(len(paper["fabric"]["links"])))
    assert "Checks: 3 of 3 passed" in reader.texts


def test_no_network_reference(tmp_path: Path, paper: dict[str, Any]) -> None:
    page = written(tmp_path, paper, sample.ring_study())
    own = without_plotly(page)
    assert not re.search(r"https?:|//[a-z]|@import|url\(|fetch\(|XMLHttpRequest|import\(", own.replace("// ", ""))
    for tag, attributes in Reader(page).tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")


def test_policy_allows_only_the_scripts_of_the_page(tmp_path: Path) -> None:
    page = written(tmp_path, sample.ring_study())
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 2
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert "default-src 'none'; script-src " + " ".join(f"'sha256-{digest}'" for digest in digests) + ";" in page


def test_plotly_only_where_there_is_a_plot(tmp_path: Path, paper: dict[str, Any]) -> None:
    assert len(written(tmp_path / "plain", undrawn(sample.ring_study()))) < 40_000
    twice = written(tmp_path / "two", paper, paper)
    assert twice.count('id="plotly"') == 1 and len(twice) < 3_500_000


def test_same_studies_same_bytes(tmp_path: Path, paper: dict[str, Any]) -> None:
    assert written(tmp_path, paper) == written(tmp_path, paper)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["report.html", "study-0.json"]


REFERENCES = {"ab", "ba", "line", "curve", "ends", "start", "middle", "end", *METHODS}


def spoil(value: Any, evil: str) -> Any:
    """The value with every text that is no reference made hostile."""
    if isinstance(value, dict):
        return {key: spoil(item, evil) for key, item in value.items()}
    if isinstance(value, list):
        return [spoil(item, evil) for item in value]
    return value + evil if isinstance(value, str) and value not in REFERENCES else value


def test_hostile_texts_stay_texts(tmp_path: Path, paper: dict[str, Any]) -> None:
    paper = copy.deepcopy(paper)
    paper["fabric"]["drawing"]["remark"] = "how to read it"
    clean = Reader(written(tmp_path / "clean", paper))
    page = written(tmp_path / "evil", spoil(paper, EVIL))
    read = Reader(page)
    assert read.tags and [tag for tag, _ in read.tags] == [tag for tag, _ in clean.tags]
    assert "<script>alert" not in page and "\x00" not in page and "\x1b" not in page and "\u202e" not in page
    assert all(not key.startswith("on") for _, attributes in read.tags for key in attributes)


def test_hostile_method_keys_and_names_in_figures(tmp_path: Path, paper: dict[str, Any]) -> None:
    text = json.dumps(paper).replace('"base-lids"', json.dumps(EVIL))
    page = written(tmp_path, json.loads(text))
    figures = re.search(r'id="figures">(.*?)</script>', page, re.DOTALL)
    assert figures and "<" not in figures[1]
    assert len(json.loads(figures[1])) == 2


def test_lone_surrogate_is_written(tmp_path: Path) -> None:
    study = sample.ring_study() | {"title": "broken \ud800 name"}
    assert "broken \ufffd name" in written(tmp_path, study)


SPOILED = [
    ("title", None, "title: this key is missing"),
    ("title", 7, "title: expected a text"),
    ("fabric.routers", {}, "fabric.routers: expected a list"),
    ("fabric.routers.0.level", -1, "fabric.routers[0].level: expected a whole number from 0 to 15"),
    ("fabric.routers.1.name", "LS0", "fabric.routers[1].name: expected a name that no other router has"),
    ("fabric.hosts.2.router", "LS9", "fabric.hosts[2].router: expected the name of a router of fabric.routers"),
    ("fabric.links.4.b_port", "x", "fabric.links[4].b_port: expected a whole number"),
    ("fabric.drawing.boxes", [], "fabric.drawing.boxes: expected one for each of fabric.routers"),
    ("fabric.drawing.dots.0", [30, 1, 1], "fabric.drawing.dots[0][0]: expected a whole number from 0 to 29"),
    ("fabric.drawing.bundles.2.form", "knot", "fabric.drawing.bundles[2].form: expected line, curve or ends"),
    ("fabric.drawing.bundles.2.points", [1, 2], "fabric.drawing.bundles[2].points: expected 4 numbers"),
    ("fabric.drawing.bundles.0.cables.0", 60, "drawing.bundles[0].cables[0]: expected a whole number from 0 to 59"),
    ("fabric.drawing.width", 1e9, "fabric.drawing.width: expected a number up to 1e+06"),
    ("peak_MBps", 0, "peak_MBps: expected a number"),
    ("random.jobs", 61, "random.relative_bandwidth.base-lids: expected 61 numbers, one for each job"),
    ("random.free.pair", 61, "random.free.pair: expected a whole number from 0 to 60"),
    ("random.relative_bandwidth.rule.3", True, "random.relative_bandwidth.rule[3]: expected a number"),
    ("contiguous.sizes.0", 0, "contiguous.sizes[0]: expected a whole number from 1"),
    (
        "contiguous.paper_MBps.base-lids",
        {"x": 3},
        "contiguous.paper_MBps.base-lids: expected numbers of hosts as keys",
    ),
    ("worst_job.hosts.0", "N77", "worst_job.hosts[0]: expected the name of a host of fabric.hosts"),
    ("worst_job.before.loads.0", [99, "ab", 1], "worst_job.before.loads[0][0]: expected a whole number from 0 to 29"),
    ("worst_job.after.loads.1", [0, "up", 1], "worst_job.after.loads[1]: expected [link index,"),
    ("fabric", None, "worst_job: expected a fabric next to it"),
    ("engines.0.accepted", "yes", "engines[0].accepted: expected true or false"),
    ("checks.0.passed", 1, "checks[0].passed: expected true or false"),
    ("methods", [], "methods: expected an object"),
]


@pytest.mark.parametrize(("key", "value", "message"), SPOILED)
def test_an_error_names_file_and_key(tmp_path: Path, paper: dict[str, Any], key: str, value: Any, message: str) -> None:
    study = copy.deepcopy(paper)
    *path, last = key.split(".")
    place: Any = study
    for part in path:
        place = place[int(part)] if isinstance(place, list) else place[part]
    if value is None:
        del place[last]
    else:
        place[int(last) if isinstance(place, list) else last] = value
    with pytest.raises(ReportError) as caught:
        written(tmp_path, study)
    assert message in caught.value.message and str(tmp_path / "study-0.json") in caught.value.message
    assert "\n" not in caught.value.message + caught.value.cause + caught.value.hint
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", b'{"title": NaN}', b"[" * 100_000, b"1" * 5000, b"[]", b"null", b'{"title": 1e999}'],
)
def test_files_that_are_no_study(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "study-a.json").write_bytes(content)
    with pytest.raises(ReportError, match="study-a.json"):
        write_report(tmp_path)
    assert not (tmp_path / "report.html").exists()


def test_a_folder_without_studies(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="no study in this folder"):
        write_report(tmp_path)
    with pytest.raises(ReportError, match="no such folder"):
        write_report(tmp_path / "nowhere")


def test_a_wrong_study_leaves_the_old_report(tmp_path: Path) -> None:
    before = written(tmp_path, sample.ring_study())
    (tmp_path / "study-9.json").write_text("{}")
    with pytest.raises(ReportError):
        write_report(tmp_path)
    assert (tmp_path / "report.html").read_text() == before


@pytest.mark.parametrize("part", ["fabric", "peak_MBps", "random", "contiguous", "worst_job", "engines", "methods"])
def test_every_part_may_be_missing(tmp_path: Path, paper: dict[str, Any], part: str) -> None:
    study = {key: value for key, value in paper.items() if key != part}
    if part == "fabric":
        del study["worst_job"]
    Reader(without_plotly(written(tmp_path, study)))


@pytest.mark.parametrize("part", ["fabric", "random", "contiguous", "checks", "engines"])
def test_every_part_may_stand_alone(tmp_path: Path, paper: dict[str, Any], part: str) -> None:
    Reader(without_plotly(written(tmp_path, {"title": "one part", part: paper[part]})))


def test_empty_parts(tmp_path: Path) -> None:
    nothing = {"routers": [], "hosts": [], "links": []}
    random = {"jobs": 1, "size": 1, "relative_bandwidth": {}}
    contiguous = {"sizes": [], "relative_bandwidth": {}}
    Reader(written(tmp_path, {"title": "", "fabric": nothing, "random": random, "contiguous": contiguous}))


def test_a_fabric_that_is_not_a_tree_has_a_picture(tmp_path: Path) -> None:
    reader = Reader(written(tmp_path, sample.ring_study()))
    assert reader.count("svg", "fabric") == 1


def test_many_routers_are_drawn_as_boxes_of_several_and_those_of_the_job_are_marked(tmp_path: Path) -> None:
    page = written(tmp_path, sample.ring_study(4200))
    assert "4200 routers are too many to show one by one" in page
    reader = Reader(page)
    tips = [attributes["data-tip"] or "" for _, attributes in reader.tags if "data-tip" in attributes]
    several = [tip for tip in tips if re.fullmatch(r"R\d+ … R\d+, \d+ routers, \d+ hosts", tip)]
    assert 10 < len(several) <= 64
    marked = [attributes for name, attributes in reader.tags if name == "circle" and attributes.get("class") == "mine"]
    assert len(marked) == 2 and "box with a host of the job" in page


def test_a_study_whose_boxes_and_routers_do_not_fit_is_refused(tmp_path: Path) -> None:
    whole = sample.ring_study(4200)
    for key, wrong, said in (
        ("box_of", [0], "one for each of fabric.routers"),
        ("box_names", [], "one for each of boxes"),
        ("box_of", [9999] * 4200, "a whole number from 0 to"),
    ):
        drawing = whole["fabric"]["drawing"] | {key: wrong}
        study = whole | {"fabric": whole["fabric"] | {"drawing": drawing}}
        with pytest.raises(ReportError, match=said):
            written(tmp_path, study)


def test_a_study_without_a_drawing_says_so(tmp_path: Path) -> None:
    study = undrawn(sample.ring_study())
    page = written(tmp_path, study)
    assert Reader(page).count("svg", "fabric") == 0 and "The study has no drawing of the fabric" in page
    study["fabric"]["not_drawn"] = "9999 routers are too many to draw"
    assert "9999 routers are too many to draw" in written(tmp_path, study)


def test_degraded_and_missing_cables_are_drawn_and_told(tmp_path: Path) -> None:
    reader = Reader(written(tmp_path, sample.wide_study(), sample.multi_rail_study()))
    tips = [attributes["data-tip"] or "" for _, attributes in reader.tags if "data-tip" in attributes]
    assert any("(4xNDR, degraded)" in tip for tip in tips)
    assert any(tip.count("port ") == 4 for tip in tips)  # both cables of a pair in one tip
    assert "leaf-2 – spine-1\n0 of 1 cable" in tips


def test_every_nic_of_a_job_with_several_rails_is_marked(tmp_path: Path) -> None:
    page = written(tmp_path, sample.multi_rail_study())
    assert Reader(page).count("circle", "mine") == 4 * 4 + 1  # four NICs of each of four hosts, and the key
    data = explorer_data(page)
    assert data["ranks"] == {str(8 * (rank // 4) + rank % 4): rank for rank in range(8)}
    assert data["mine"] == [8 * rail + host for rail in range(4) for host in range(4)]


def test_every_step_of_the_study_can_be_looked_at(tmp_path: Path) -> None:
    page = written(tmp_path, sample.multi_rail_study())
    data = explorer_data(page)
    assert [step[0] for step in data["steps"]] == list(range(7)) and data["shown"] == 1
    assert data["steps"][5] == [5, [10, 6], [11, 1]]
    slider = next(attributes for tag, attributes in Reader(page).tags if attributes.get("type") == "range")
    assert (slider["max"], slider["value"]) == ("6", "1")


def test_faults_come_first_and_red(tmp_path: Path) -> None:
    page = written(tmp_path, sample.multi_rail_study())
    assert "3 faults of the fabric" in page and Reader(page).count("div", "faulty") == 1
    places = [
        page.index(part) for part in ("leaf-2 &lt;-&gt; spine-1: 0 of 1 cable", 'class="headline"', 'class="fabric')
    ]
    assert places == sorted(places)


def test_the_page_says_when_and_how_it_was_made(tmp_path: Path) -> None:
    text = "".join(Reader(written(tmp_path, sample.multi_rail_study())).texts)
    assert "2026-11-22 04:00 UTC, Ayatori 0.1.0, seed 7: ayatori demo ib:x" in text


def test_hosts_of_one_name_are_told_apart(tmp_path: Path) -> None:
    study = sample.job_study("xgft:h=3;m=2,2,2;w=1,2,2", 2)
    for host in study["fabric"]["hosts"]:
        host["name"] = "MT4129 ConnectX7"
    study["worst_job"]["hosts"] = ["MT4129 ConnectX7"] * 3
    del study["worst_job"]["endpoints"]
    assert Reader(written(tmp_path, study)).count("circle", "mine") == 3 + 1  # and the key


def test_loads_have_four_classes() -> None:
    assert [load_class(load) for load in (0, 0.5, 1, 1.5, 2, 3, 4, 50)] == [0, 1, 1, 2, 2, 3, 4, 4]


def test_tables_that_can_deadlock_are_not_shown_as_a_success() -> None:
    engine = {"name": "OpenSM minhop", "lmc": 0, "accepted": True, "deadlock_free": False, "note": "credit loops"}
    engines = [engine, engine | {"deadlock_free": True}, engine | {"accepted": False}]
    listing = engines_listing([read(Engine, Value(data, "study", ""), {}) for data in engines])
    verdicts = re.findall(r'<span class="(\w+)">. ([^<]*)</span>', str(listing))
    assert verdicts == [("failed", "accepted, can deadlock"), ("passed", "accepted"), ("failed", "refused")]

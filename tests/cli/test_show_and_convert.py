"""What `show` and `convert` give beyond the snapshots: differences, pictures, caches."""

import json
from pathlib import Path

import pytest

from ayatori import _core, open_source
from ayatori.model.formula import formula_as_data
from ayatori.model.network import network_as_data

WHOLE, PART = "fattree:K=2,levels=2", "fattree:K=2,levels=2,nodes=6"


def test_a_picture_goes_beside_json(tmp_path: Path, ayatori_command) -> None:
    picture = tmp_path / "picture.svg"
    shown = ayatori_command("show", "torus:3", "--json", "--svg", str(picture))
    assert shown.status == 0 and json.loads(shown.stdout)["machines"] == 3
    assert picture.read_text().startswith("<")
    assert ayatori_command("show", "torus:3", "--svg", str(picture)).stdout == ""


def test_a_dash_is_stdout(tmp_path: Path, ayatori_command) -> None:
    printed = ayatori_command("convert", "torus:3", "--to", "json", cwd=tmp_path)
    dashed = ayatori_command("convert", "torus:3", "--to", "json", "--out", "-", cwd=tmp_path)
    assert dashed.status == 0 and dashed.stdout == printed.stdout
    assert list(tmp_path.iterdir()) == []


def test_differences_as_json_agree_with_the_text(ayatori_command) -> None:
    lines = ayatori_command("show", PART, "--diff", WHOLE).stdout.splitlines()
    data = ayatori_command("show", PART, "--diff", WHOLE, "--json").json(3)
    assert (data["before"], data["after"]) == (PART, WHOLE)
    assert [f"+ {difference['name']}" for difference in data["differences"]] == lines[:-1]
    assert {difference["kind"] for difference in data["differences"]} == {"object", "link"}
    assert (data["added"], data["removed"], data["changed"]) == (len(lines) - 1, 0, 0)


def test_a_picture_goes_into_a_file(tmp_path: Path, ayatori_command) -> None:
    picture = tmp_path / "fabric.svg"
    outcome = ayatori_command("show", WHOLE, "--svg", str(picture))
    assert (outcome.status, outcome.stdout, outcome.stderr) == (0, "", f"wrote {picture}\n")
    assert picture.read_text() == ayatori_command("convert", WHOLE, "--to", "svg").stdout


def test_a_cache_is_the_same_network(tmp_path: Path, ayatori_command) -> None:
    for source in (WHOLE, "torus:3x4", "full:4,hosts=2"):
        cache = tmp_path / "cache"
        ayatori_command("convert", source, "--to", "cache", "--out", str(cache)).good()
        outcome = ayatori_command("show", source, "--diff", f"cache:{cache}")
        assert (outcome.status, outcome.stdout) == (0, "no difference\n"), outcome.stderr


@pytest.mark.parametrize("source", ["torus:4x6x16", "mesh:5x3", "torus:9", "mesh:2x7,rate=4xNDR"])
def test_a_formula_is_described_as_its_network(source: str) -> None:
    assert formula_as_data(_core.open_formula(source)) == network_as_data(open_source(source))


@pytest.mark.parametrize(
    "verb", ["plan", "choose --collective broadcast --bytes 1KiB", "simulate --collective alltoall --algorithm shift"]
)
def test_without_a_job_the_whole_network_is_the_job(verb: str, ayatori_command) -> None:
    command = (*verb.split(), WHOLE, "--json")
    named, unnamed = ayatori_command(*command, "--contiguous", "8..8"), ayatori_command(*command)
    assert "no job is named: one on all 8 machines" in unnamed.stderr
    one, other = json.loads(named.stdout), json.loads(unnamed.stdout)
    assert one | {"wall_s": 0} == other | {"wall_s": 0}


@pytest.mark.parametrize(
    "source", ["hyperx:3x4x4,hosts=2", "dragonfly:g=9,a=4,p=2,h=2", "dragonfly+:g=5,l=3,s=2,p=2,h=2"]
)
@pytest.mark.parametrize(("kind", "form"), [("json", "json"), ("ib", "ibsim")])
def test_a_file_has_the_shape_of_the_formula_it_came_from(
    source: str, kind: str, form: str, tmp_path: Path, ayatori_command
) -> None:
    file = tmp_path / "fabric"
    ayatori_command("convert", source, "--to", form, "--out", str(file)).good()
    shapes = [network_as_data(open_source(each))["shape"] for each in (source, f"{kind}:{file}")]
    assert shapes[0]["kind"] in ("hyperx", "dragonfly", "dragonfly_plus")
    assert shapes[0] == shapes[1]

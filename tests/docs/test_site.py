"""The site is built strictly; its links lead somewhere, and nothing of it is loaded from elsewhere."""

from __future__ import annotations

import html
import importlib.util
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parent.parent.parent
TAG = re.compile(
    r"<(?P<tag>a|script|img|link|iframe|source)\b[^>]*?\s(?:href|src)=(?P<quote>[\"']?)(?P<address>[^\"'\s>]+)"
)
PLACE = re.compile(r"\s(?:id|name)=[\"']?([^\"'\s>]+)")
USERS = ("mpi-programs", "clusters", "libraries", "measuring")


class Addresses:
    """All ids of a page, its links, and what a browser loads with it."""

    def __init__(self, page: Path) -> None:
        text = page.read_text(encoding="utf-8")
        self.ids = set(PLACE.findall(text))
        found = [(tag["tag"], html.unescape(tag["address"])) for tag in TAG.finditer(text)]
        self.links = {address for tag, address in found if tag == "a"}
        self.loads = {address for tag, address in found if tag != "a"}


def built(into: Path) -> Path:
    ran = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(into)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return into


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("site"))


def test_links_lead_to_what_is_there_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    parsed = cache(Addresses)
    dead = []
    for page in sorted(site.rglob("*.html")):
        if page.name == "404.html":
            continue
        for link in parsed(page).links | parsed(page).loads:
            parts = urlsplit(link)
            if parts.scheme in ("data", "http", "https", "mailto"):
                if link in parsed(page).loads and parts.scheme != "data" and "canonical" not in link:
                    dead.append(f"{page.relative_to(site)} loads {link}")
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if not target.is_file():
                dead.append(f"{page.relative_to(site)}: {link}")
            elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in parsed(target).ids:
                if parts.fragment != "__skip":
                    dead.append(f"{page.relative_to(site)}: no such place: {link}")
    assert dead == []
    for style in site.rglob("*.css"):
        assert not re.findall(r"url\(['\"]?https?:|@import", style.read_text(encoding="utf-8")), style


def test_each_user_has_a_tutorial_and_the_reference_has_all_of_the_code(site: Path) -> None:
    text = {page.relative_to(site).as_posix(): page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    assert all(f"tutorials/{user}.html" in text for user in USERS)
    functions = re.findall(r"^(?:\w[\w* ]*?[ *])(nwtopo_\w+|acp_\w+)\(", headers(), re.MULTILINE)
    reference = "".join(page for name, page in text.items() if name.startswith("reference/c/"))
    assert len(functions) > 90
    assert [name for name in functions if name not in reference] == []
    assert "--random-jobs" in text["reference/commands/plan.html"]
    assert "open_source" in text["reference/python/ayatori.html"]


def headers() -> str:
    found = [*(ROOT / "src/nwtopo/include").rglob("*.h"), ROOT / "src/acp/include/acp.h"]
    return "".join(header.read_text(encoding="utf-8") for header in found)


def test_pictures_are_what_the_program_draws(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("pictures", ROOT / "scripts/site/pictures.py")
    assert spec is not None and spec.loader is not None
    pictures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pictures)
    into = pictures.PICTURES if os.environ.get("UPDATE_SNAPSHOTS") else tmp_path
    pictures.draw(into)
    for drawn in into.glob("*.svg"):
        assert (pictures.PICTURES / drawn.name).read_text() == drawn.read_text(), drawn.name

"""What MkDocs calls: adds the pages that are made from code, and those outside of docs/, and makes their links fit."""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent.parent.parent))
from scripts.site.command_line import command_pages  # noqa: E402
from scripts.site.headers import HEADERS, header_pages, place_of  # noqa: E402
from scripts.site.python_api import python_pages  # noqa: E402
from scripts.site.schemas import schema_pages  # noqa: E402

ROOT = Path(__file__).parent.parent.parent
OUTSIDE = {
    "README.md": "index.md",
    "README.ja.md": "index.ja.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "python/README.md": "products/python.md",
    "bench/README.md": "products/bench.md",
    **{f"src/{name}/README.md": f"products/{name}.md" for name in ("nwtopo", "planner", "mpi", "acp")},
}
"""Pages of the repository that are outside of docs/, and their places in the site."""
PLACES = {**OUTSIDE, **{header: place_of(header) for header in HEADERS}}
"""Where links to them lead."""
ORIGIN = {site: origin for origin, site in OUTSIDE.items()}
CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")
made: dict[str, str] = {}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The parts of the navigation that follow from the code and the folders."""
    made.clear()
    parts = {
        "REFERENCE_COMMANDS": command_pages(),
        "REFERENCE_C": header_pages(ROOT),
        "REFERENCE_PYTHON": python_pages(),
        "REFERENCE_FORMATS": schema_pages(ROOT),
    }
    for pages in parts.values():
        made.update(pages)
    places = {part: list(pages) for part, pages in parts.items()}
    docs = Path(config.docs_dir)
    formats = [page.name for page in sorted(docs.glob("*-format.md")) if page.name != "schedule-format.md"]
    places["REFERENCE_FORMATS"] = [*formats, *parts["REFERENCE_FORMATS"]]
    places["PRODUCTS"] = [site for site in ORIGIN if site.startswith("products/")]
    places["DECISIONS"] = [f"decisions/{page.name}" for page in sorted((docs / "decisions").glob("*.md"))]
    config.nav = _filled(config.nav, places)
    return config


def _filled(nav: Any, places: dict[str, list[str]]) -> Any:
    if isinstance(nav, dict):
        return {title: _filled(inner, places) for title, inner in nav.items()}
    if isinstance(nav, list):
        filled: list[Any] = []
        for item in nav:
            filled += places[item] if isinstance(item, str) and item in places else [_filled(item, places)]
        return filled
    return nav


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for origin, site in OUTSIDE.items():
        files.append(File.generated(config, site, content=(ROOT / origin).read_text(encoding="utf-8")))
    for site, text in made.items():
        files.append(File.generated(config, site, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links lead to pages of the site. A link to other files of the repository becomes the name of the file."""
    place = page.file.src_uri
    if place in made:
        return markdown
    origin = ORIGIN.get(place, f"docs/{place}")
    pieces = CODE.split(markdown)
    text = "".join(f"\0{number}\0" if number % 2 else piece for number, piece in enumerate(pieces))
    text = LINK.sub(lambda link: _fitting(link, origin, place), text)
    return re.sub(r"\0(\d+)\0", lambda number: pieces[int(number[1])], text)


def _fitting(link: re.Match[str], origin: str, place: str) -> str:
    target, _, anchor = link["target"].partition("#")
    if not target or re.match(r"[a-z]+:", target):
        return link[0]
    file = posixpath.normpath(posixpath.join(posixpath.dirname(origin), target))
    if not (ROOT / file).exists():
        return link[0]  # MkDocs reports it
    inside = file.startswith("docs/") and (ROOT / file).is_file()
    site = file.removeprefix("docs/") if inside else PLACES.get(file)
    if site is None:
        return link["text"] if file in link["text"] or "\0" in link["text"] else f"{link['text']} (`{file}`)"
    relative = posixpath.relpath(site, posixpath.dirname(place) or ".")
    return f"{link['image']}[{link['text']}]({relative}{'#' + anchor if anchor else ''})"


def on_post_build(config: MkDocsConfig) -> None:
    """The map of addresses needs a server, and its compressed form differs from build to build."""
    for name in ("sitemap.xml", "sitemap.xml.gz"):
        (Path(config.site_dir) / name).unlink(missing_ok=True)

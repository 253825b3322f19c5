"""Pages of the C headers: comments, each followed by what it documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

HEADERS = (
    "src/nwtopo/include/nwtopo.h",
    "src/nwtopo/include/nwtopo/grid.h",
    "src/nwtopo/include/nwtopo/links.h",
    "src/nwtopo/include/nwtopo/queries.h",
    "src/nwtopo/include/nwtopo/export.h",
    "src/nwtopo/include/nwtopo/hwloc.h",
    "src/acp/include/acp.h",
    "src/planner/include/ayatori_algorithm.h",
    "src/planner/include/ayatori_hash.h",
)
TOKEN = re.compile(r"/\*(?P<comment>.*?)\*/\n|(?P<line>[^\n]*)\n", re.DOTALL)
SECTION = re.compile(r"^ -{5,} (?P<title>.+?) $")
NOISE = re.compile(r"#ifdef __cplusplus\nextern \"C\" \{\n#endif\n|#ifdef __cplusplus\n\}\n#endif\n")
PARAGRAPH = re.compile(r"(Returns|Errors|Threads)\b")
NAMES = (
    re.compile(r"^(?:struct|enum|union) (\w+) \{"),
    re.compile(r"^typedef .*?(\w+);\s*$", re.DOTALL),
    re.compile(r"^#define (\w+)"),
    re.compile(r"\b(\w+)\s*\((?!\*|\()"),
)
"""Of a struct, a type, a macro, a function."""


def name_of(header: str) -> str:
    """As programs include it."""
    return header.partition("/include/")[2]


def place_of(header: str) -> str:
    return f"reference/c/{name_of(header).replace('/', '-')}.md"


def header_pages(root: Path) -> dict[str, str]:
    texts = {header: (root / header).read_text(encoding="utf-8") for header in HEADERS}
    return {
        place_of(header): "\n".join([f"# {name_of(header)}", "", *_page(text)]) + "\n" for header, text in texts.items()
    }


def declared(text: str) -> list[tuple[str, str]]:
    """Comments at the start of a line, and what stands below each up to an empty line or the next comment."""
    pairs: list[tuple[str, str]] = []
    comment = ""
    below: list[str] = []
    for token in TOKEN.finditer(NOISE.sub("", text)):
        line = token["line"]
        if token["comment"] is not None or (not line and not _open(below)):
            if comment or below:
                pairs.append((comment, "\n".join(below)))
            comment, below = token["comment"] or "", []
        else:
            below.append(line)
    return [*pairs, (comment, "\n".join(below))] if comment or below else pairs


def _open(lines: list[str]) -> bool:
    return "\n".join(lines).count("{") > "\n".join(lines).count("}")


def _page(text: str) -> Iterator[str]:
    start = True
    for comment, code in declared(text):
        section = SECTION.match(comment)
        if section:
            yield from (f"## {section['title'].capitalize()}", "")
            comment = ""
        elif start and comment:
            yield from _prose(comment)
            start, comment = False, ""
        if not code.strip() or code.startswith(("#ifndef", "#include", "#endif")):
            yield from _prose(comment)
            continue
        name = _name(code)
        if name and (comment or code.startswith("typedef")):
            yield from (f"### {name}", "")
        yield from ("```c", code, "```", "")
        yield from _prose(comment)


def _name(code: str) -> str:
    noise = r"/\*.*?\*/|__attribute__\(.*?\)\)\n?|^#(?!define).*?\n"
    plain = re.sub(noise, "", code, flags=re.DOTALL | re.MULTILINE).strip()
    return next((found[1] for pattern in NAMES if (found := pattern.search(plain))), "")


def _prose(comment: str) -> Iterator[str]:
    """Paragraphs; what is indented stays as it is: examples, tables, parameters."""
    lines = [re.sub(r"^ \* ?", "", line) for line in comment.strip("\n").splitlines()]
    lines[:1] = [line.lstrip() for line in lines[:1]]
    indented = False
    for line in lines:
        if line.startswith("  ") and line.strip():
            if not indented:
                yield ""
            yield "    " + line
            indented = True
        else:
            if indented or PARAGRAPH.match(line):
                yield ""
            yield re.sub(r"([<*_])", r"\\\1", line.rstrip())
            indented = False
    yield ""

"""Pages of file formats, from their JSON schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = "src/planner/artefacts/schemas"
PAGES = {"choice-table": "choice-format.md"}
LIMITS = ("minimum", "exclusiveMinimum", "maximum", "minItems", "maxItems", "minLength", "pattern")


def schema_pages(root: Path) -> dict[str, str]:
    pages = {}
    for file in sorted((root / FOLDER).glob("*.schema.json")):
        name = file.name.removesuffix(".schema.json")
        schema = json.loads(file.read_text(encoding="utf-8"))
        page = PAGES.get(name, f"{name}-format.md")
        lines = [f"# Schema: {name}", "", f"{schema['title']}. [What the members mean]({'../../' + page}).", ""]
        lines += ["| member | type | required | limits |", "|---|---|---|---|", *_rows(schema, schema, "")]
        pages[f"reference/formats/{name}.md"] = "\n".join(lines) + f"\n\nThe schema is `{FOLDER}/{file.name}`.\n"
    return pages


def _rows(schema: dict[str, Any], whole: dict[str, Any], path: str) -> Iterator[str]:
    required = schema.get("required", [])
    for name, inner in schema.get("properties", {}).items():
        inner = _resolved(inner, whole)
        place = f"{path}.{name}" if path else name
        limits = "; ".join(f"`{limit} {inner[limit]}`" for limit in LIMITS if limit in inner)
        yield f"| `{place}` | {_kind(inner, whole)} | {'yes' if name in required else 'no'} | {limits} |"
        if place.count(".") + place.count("[]") < 6:
            yield from _rows(inner, whole, place)
            items = _resolved(inner.get("items", {}), whole)
            yield from _rows(items, whole, f"{place}[]")


def _resolved(schema: Any, whole: dict[str, Any]) -> dict[str, Any]:
    while isinstance(schema, dict) and "$ref" in schema:
        found: Any = whole
        for key in schema["$ref"].removeprefix("#/").split("/"):
            found = found[key]
        schema = found
    return schema if isinstance(schema, dict) else {}


def _kind(schema: dict[str, Any], whole: dict[str, Any]) -> str:
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    for several in ("oneOf", "anyOf"):
        if several in schema:
            return " or ".join(_kind(_resolved(one, whole), whole) for one in schema[several])
    kind = schema.get("type", "any")
    if kind == "array":
        items = schema.get("items")
        return f"array of {_kind(_resolved(items, whole), whole)}" if items else "array"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)

"""Pages of the Python API, from what is exported and its docstrings."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

MODULES = ("ayatori", "ayatori.nwtopo")
MOST_COLUMNS = 90


def python_pages() -> dict[str, str]:
    pages = {}
    for name in MODULES:
        module = importlib.import_module(name)
        pages[f"reference/python/{name}.md"] = "\n".join([f"# {name}", "", *_page(module)]) + "\n"
    return pages


def _page(module: ModuleType) -> Iterator[str]:
    yield from _documented(module)
    for name in sorted(module.__all__, key=str.lower):
        yield from (f"## {name}", "")
        yield from _member(name, getattr(module, name))


def _member(name: str, value: Any) -> Iterator[str]:
    if inspect.isclass(value):
        if dataclasses.is_dataclass(value):
            yield from ("```python", _broken(f"class {name}{inspect.signature(value)}"), "```", "")
        yield from _documented(value)
        for inner_name, inner in sorted(vars(value).items()):
            if inner_name.startswith("_") or not (inspect.isroutine(inner) or isinstance(inner, property)):
                continue
            yield from (f"### {name}.{inner_name}", "")
            yield from _called(inner_name, inner)
    elif callable(value):
        yield from _called(name, value)
    else:
        yield from (f"`{name} = {str(value)[:100]}`", "")


def _called(name: str, value: Any) -> Iterator[str]:
    bare = getattr(value, "__func__", value)
    signature = _signature(name, bare)
    if signature:
        yield from ("```python", signature, "```", "")
    yield from _documented(bare)


def _signature(name: str, value: Any) -> str:
    if isinstance(value, property):
        returned = getattr(value.fget, "__annotations__", {}).get("return", "")
        native = getattr(value.fget, "__nb_signature__", ())
        found = re.search(r"-> (.*)", native[0][0]) if native else None
        kind = found[1] if found else returned
        return f"{name}: {kind}" if kind else ""
    native = getattr(value, "__nb_signature__", None)
    if native:
        return "\n".join(str(one[0]) for one in native)
    try:
        return _broken(f"def {name}{inspect.signature(value)}")
    except (TypeError, ValueError):
        return ""


def _broken(signature: str) -> str:
    """Without quotes around types; over several lines if it is long."""
    plain = re.sub(r"(: |-> )'([^']*)'", r"\1\2", re.sub(r"<function .*? at 0x\w+>", "…", signature))
    if len(plain) <= MOST_COLUMNS:
        return plain
    start, _, rest = plain.partition("(")
    inner, closing, result = rest.rpartition(")")
    parameters = re.split(r", (?=\*|\w+:)", inner)
    return f"{start}(\n" + "".join(f"    {parameter},\n" for parameter in parameters) + closing + result


def _documented(value: Any) -> Iterator[str]:
    """Paragraphs; lines of code, which begin like Python's, and what is indented become code."""
    text = value.__doc__ or "" if not isinstance(value, type) or "__doc__" in vars(value) else ""
    if text.startswith("(self"):
        return  # the signature, which is shown already
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        lines = paragraph.splitlines()
        if lines and re.match(r"(import|from) \w+", lines[0]):
            yield from ("```python", *lines, "```", "")
        else:
            yield from (*(re.sub(r"([<*])", r"\\\1", line) for line in lines), "")

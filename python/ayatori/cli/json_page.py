"""`python -m ayatori.cli.json_page` writes docs/json-output.md from the types of what commands print."""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from typing_extensions import NotRequired, get_type_hints, is_typeddict

from ayatori.base import spreads
from ayatori.base.files import write_bytes
from ayatori.cli.json_kinds import KINDS, SHARED

PAGE = Path(__file__).parents[3] / "docs" / "json-output.md"
HEAD = """<!-- Made by `python -m ayatori.cli.json_page` from the types of what is printed. -->

# What `--json` prints

Every command that reports something accepts `--json` and then prints one JSON object to standard output. Its first
key, `format`, is `ayatori-KIND-output`. The kinds are below. Its second key, `version`, is a number, now 1. The version
changes when a key goes away or gets another meaning. Keys may be added without that: ignore those that you don't know.

Times are in seconds (`_s`), memory in 10^6 bytes (`_MB`), bandwidths in 10^6 bytes per second (`_MBps`), sizes in
bytes. A relative bandwidth is a share of what the NICs could carry: 1 is free of contention. `null` stands for a figure
that does not exist. `NAME.*` stands for a key per rate, method or size, and `NAME[].KEY` for a key of the elements of a
list. Files have formats of their own: [plans and choice tables](choice-format.md), [networks](json-format.md).
"""
WIDTH = 130


def page() -> str:
    shared = [_section(title, kind, _intro("", kind)) for kind, title in SHARED.items()]
    return "\n".join([HEAD, *shared, *map(_section_of_kind, KINDS)])


def _section_of_kind(name: str) -> str:
    kind = KINDS[name]
    head = f"`ayatori {kind.command} --json`: `ayatori-{name}-output`."
    first = next(other for other, each in KINDS.items() if each.type is kind.type)
    if first != name:
        return f"## {name}\n\n{head} The keys are those of [{first}](#{first}).\n"
    return _section(name, kind.type, _intro(head, kind.type))


def _intro(head: str, kind: type) -> str:
    text = kind.__doc__ or ""
    if text == dict.__doc__ or text.startswith(f"{kind.__name__}("):  # what Python gives classes without a docstring
        text = ""
    added_to = [_reference(base) for base in dict.fromkeys(_shared_bases(kind))]
    more = f"Its keys are added to those of {' and '.join(added_to)}." if added_to else ""
    return textwrap.fill(" ".join(f"{head} {text} {more}".split()), WIDTH, break_on_hyphens=False)


def _section(title: str, kind: type, intro: str) -> str:
    rows = [f"| {', '.join(f'`{key}`' for key in keys)} | {meaning} |" for keys, meaning in rows_of(kind)]
    return "\n".join([f"## {title}", "", intro, "", "| key | meaning |", "|---|---|", *rows, ""])


def _reference(kind: type) -> str:
    return f"[{SHARED[kind]}](#{SHARED[kind].lower().replace(' ', '-')})"


def _statement_of(kind: type) -> ast.ClassDef | None:
    """The class as it is written; None for TypedDict("Name", {…}), for keys that are words of Python."""
    try:
        statement = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    except (OSError, TypeError):
        return None
    return statement if isinstance(statement, ast.ClassDef) else None


def _bases(kind: type) -> list[type]:
    """Of a TypedDict, which does not tell them itself."""
    statement = _statement_of(kind)
    names = [base.id for base in statement.bases if isinstance(base, ast.Name)] if statement else []
    found = [getattr(sys.modules[kind.__module__], name) for name in names]
    return [base for base in found if is_typeddict(base)]


def _shared_bases(kind: type) -> Iterator[type]:
    for base in _bases(kind):
        if base in SHARED:
            yield base
        else:
            yield from _shared_bases(base)


def rows_of(kind: type, prefix: str = "") -> Iterator[tuple[list[str], str]]:
    """Keys with their meaning, below each what is inside of it. What the page has a section for is named instead."""
    hints = get_type_hints(kind, include_extras=True)
    for names, meaning in _own_fields(kind):
        inner = [(name, *inside(hints[name])) for name in names]
        keys = [f"{prefix}{name}{end}" for name, path, of in inner for end in _ends(path, of)]
        yield keys, meaning.rstrip(".") + _with_keys([of for _, _, of in inner if of is not None])
        for name, path, of in inner:
            if of is not None and of not in SHARED and not _is_spread(of):
                yield from rows_of(of, f"{prefix}{name}{path}.")
    for base in _bases(kind):
        if base not in SHARED and not _is_spread(base):
            yield from rows_of(base, prefix)


def _ends(path: str, of: type | None) -> list[str]:
    return ["", path] if path.endswith(".*") and of is None else [""]


def _with_keys(kinds: list[type]) -> str:
    """What to say of keys that have no rows."""
    shared = [each for kind in kinds for each in ([kind] if kind in SHARED else _shared_bases(kind))]
    links = " and ".join(dict.fromkeys(map(_reference, shared)))
    spread = next((each for kind in kinds for each in (kind, *_bases(kind)) if _is_spread(each)), None)
    figures = ", ".join(f"`{name}`" for name in get_type_hints(spread)) if spread else ""
    return (f"; with the keys of {links}" if links else "") + (f": {figures}" if figures else "")


def _is_spread(kind: type) -> bool:
    return kind.__module__ == spreads.__name__


def inside(hint: Any) -> tuple[str, type | None]:
    """What stands behind a key for what is in it (`[]`, `.*`), and the type of that, if it has keys."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated and (made_from := [each for each in arguments[1:] if isinstance(each, type)]):
        return "", made_from[0]
    if origin in (Annotated, NotRequired):
        return inside(arguments[0])
    if origin in (Union, UnionType):
        return next((found for each in arguments if (found := inside(each))[0] or found[1]), ("", None))
    if origin is dict:
        path, kind = inside(arguments[1])
        return f".*{path}", kind
    if origin is not None and arguments:  # a list, a tuple, a Sequence
        path, kind = inside(arguments[0])
        return (f"[]{path}", kind) if kind or path else ("", None)
    return "", hint if is_typeddict(hint) or is_dataclass(hint) else None


def _own_fields(kind: type) -> Iterator[tuple[list[str], str]]:
    """Those that the class itself has; fields without a docstring share that of the next one that has."""
    statement = _statement_of(kind)
    names: list[str] = []
    if statement is None:
        for name, hint in get_type_hints(kind, include_extras=True).items():
            names.append(name)
            if meaning := _meaning_of(hint):
                yield names, meaning
                names = []
        return
    for line in statement.body:
        match line:
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.append(name)
            case ast.Expr(value=ast.Constant(value=str(text))) if names:
                yield names, re.sub(r"\s+", " ", text)
                names = []
    if names:
        raise ValueError(f"{kind.__name__}: nothing says what {', '.join(names)} are")


def _meaning_of(hint: Any) -> str:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return next((text for text in arguments[1:] if isinstance(text, str)), "")
    return _meaning_of(arguments[0]) if origin is NotRequired else ""


if __name__ == "__main__":
    write_bytes(PAGE, page().encode("utf-8"))

"""Reads objects of JSON as dataclasses, by the annotations of these.

A field is read from the key of its name; with a text in its `Annotated`, from that key. A field with a default may be
missing or null. A rule in its `Annotated` says what the value must be beyond its type. Rules see the scope: by name the
fields of the object, and of those around it, that were read before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from ayatori.report.values import ReportError, Value

Scope = Mapping[str, Any]
Rule = Callable[[Value, Scope, Any], Any]
"""Reads a value of a type, which may only be read in that scope."""

LARGEST = 1e6  # pixels


def read(kind: Any, value: Value, scope: Scope) -> Any:
    """The value as this type, or with the rule of an annotated one; ReportError if it is none."""
    inside = get_args(kind)
    if get_origin(kind) is Annotated:
        rule = next((word for word in kind.__metadata__ if not isinstance(word, str)), None)
        return read(inside[0], value, scope) if rule is None else rule(value, scope, inside[0])
    if get_origin(kind) is list:
        return [read(inside[0], item, scope) for item in value.items()]
    if get_origin(kind) is dict:
        return {key: read(inside[1], item, scope) for key, item in value.entries()}
    if inside:  # X | None, of which null was left out
        return read(inside[0], value, scope)
    if is_dataclass(kind):
        return _object(kind, value, scope)
    plain: dict[Any, Callable[[], Any]] = {str: value.text, int: value.whole, float: value.number, bool: value.truth}
    return plain[kind]()


def _object(kind: Any, value: Value, scope: Scope) -> Any:
    inner, found = dict(scope), {}
    for name, key, hint, may_be_missing in _fields_of(kind):
        if may_be_missing and not value.has(key):
            continue
        found[name] = inner[name] = read(hint, value.at(key), inner)
    return kind(**found)


@cache
def _fields_of(kind: Any) -> list[tuple[str, str, Any, bool]]:
    """Of each field its name, its key, its type and whether it has a default."""
    hints = get_type_hints(kind, include_extras=True)
    found = []
    for field in fields(kind):
        keys = [word for word in getattr(hints[field.name], "__metadata__", ()) if isinstance(word, str)]
        has_default = field.default is not MISSING or field.default_factory is not MISSING
        found.append((field.name, *(keys or [field.name]), hints[field.name], has_default))
    return found


def _named(scope: Scope, name: str) -> Any:
    """What a rule names: a field, or "fabric.hosts", a field of it."""
    first, *inner = name.split(".")
    found = scope[first]
    for part in inner:
        found = getattr(found, part)
    return found


def whole(least: int = 0, most: int | None = None) -> Rule:
    return lambda value, _scope, _kind: value.whole(least, most)


def number(least: float) -> Rule:
    return lambda value, _scope, _kind: value.number(least)


def up_to(count: str) -> Rule:
    """A whole number that is not more than the field of this name."""
    return lambda value, scope, _kind: value.whole(most=_named(scope, count))


def index_of(items: str, each: int = 1) -> Rule:
    """The index of one of the items of this name, of which each has so many indices."""
    return lambda value, scope, _kind: value.whole(most=each * len(_named(scope, items)) - 1)


def one_for_each(items: str, called: str) -> Rule:
    """A list as long as that of this name, which errors call so."""

    def rule(value: Value, scope: Scope, kind: Any) -> Any:
        found = read(kind, value, scope)
        return found if len(found) == len(_named(scope, items)) else value.fail(f"one for each of {called}")

    return rule


def one_for_each_job(jobs: str) -> Rule:
    """A number for each of `jobs`, a count or a list."""

    def rule(value: Value, scope: Scope, _kind: Any) -> list[float]:
        numbers, count = value.numbers(), _named(scope, jobs)
        count = count if isinstance(count, int) else len(count)
        if len(numbers) != count:
            expected = f"expected {count} numbers, one for each job"
            raise ReportError(f"{value.file}: {value.path}: {expected}", f"found {len(numbers)} numbers")
        return numbers

    return rule


def one_of(*words: str) -> Rule:
    """A text among these."""
    listed = f"{', '.join(words[:-1])} or {words[-1]}"
    return lambda value, _scope, _kind: text if (text := value.text()) in words else value.fail(listed)


def coordinate(least: float = -LARGEST) -> Rule:
    def rule(value: Value, _scope: Scope, _kind: Any) -> float:
        found = value.number(least)
        return found if found <= LARGEST else value.fail(f"a number up to {LARGEST:g}")

    return rule


def coordinates(value: Value, count: int) -> list[float]:
    found = [coordinate()(item, {}, float) for item in value.items()]
    return found if len(found) == count else value.fail(f"{count} numbers")

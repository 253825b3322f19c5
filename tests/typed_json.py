"""Whether data is as the types say from which docs/json-output.md is made."""

from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from typing_extensions import NotRequired, get_type_hints, is_typeddict


def unlike(value: Any, kind: Any, path: str = "") -> Iterator[str]:
    """Where a value is not as its type says: keys that it has not or should not have, other types."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Annotated, NotRequired):
        made_from = [each for each in arguments[1:] if isinstance(each, type)]
        yield from unlike(value, made_from[0] if made_from else arguments[0], path)
    elif origin in (Union, UnionType):
        found = [list(unlike(value, each, path)) for each in arguments]
        yield from min(found, key=len)
    elif is_typeddict(kind) or is_dataclass(kind):
        yield from unlike_keys(value, kind, path) if isinstance(value, dict) else [f"{path}: {value!r}"]
    elif origin is not None and issubclass(origin, Mapping):
        for key, inner in value.items() if isinstance(value, dict) else ():
            yield from unlike(inner, arguments[1], f"{path}.{key}")
    elif origin is not None:  # a list, a tuple, a Sequence
        if not isinstance(value, list):
            yield f"{path}: {value!r}"
            return
        for inner in value:
            yield from unlike(inner, arguments[0], f"{path}[]")
    elif kind is not Any and not isinstance(value, {float: (float, int)}.get(kind, kind)):
        yield f"{path}: {value!r} is no {kind}"


def unlike_keys(value: dict[str, Any], kind: Any, path: str) -> Iterator[str]:
    hints = get_type_hints(kind, include_extras=True)
    optional = {name for name, hint in hints.items() if get_origin(hint) is NotRequired}
    optional |= getattr(kind, "__optional_keys__", set())
    yield from (f"{path}.{name} is not there" for name in hints.keys() - optional - value.keys())
    yield from (f"{path}.{name} has no type" for name in value.keys() - hints.keys())
    for name in value.keys() & hints.keys():
        yield from unlike(value[name], hints[name], f"{path}.{name}")

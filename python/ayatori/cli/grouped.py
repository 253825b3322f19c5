"""Options that belong together as one object: a verb takes a dataclass of them, and Typer sees each by itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, TypeVar, get_type_hints

Result = TypeVar("Result")


def grouped(verb: Callable[..., Result]) -> Callable[..., Result]:
    """The verb for Typer: in place of each parameter that is a dataclass stand the fields of it, as options.

    The fields are annotated as options are, and have defaults. No two may have one name.
    """
    hints = get_type_hints(verb, include_extras=True)
    flat: list[inspect.Parameter] = []
    groups: dict[str, tuple[type, list[str]]] = {}
    for parameter in inspect.signature(verb).parameters.values():
        kind = hints[parameter.name]
        if isinstance(kind, type) and is_dataclass(kind):
            options = _options_of(kind)
            groups[parameter.name] = kind, [option.name for option in options]
            flat += options
        else:
            flat.append(parameter.replace(annotation=hints[parameter.name], kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(verb)
    def called(**values: Any) -> Result:
        made = {
            name: kind(**{option: values.pop(option) for option in options})
            for name, (kind, options) in groups.items()
        }  # fmt: skip
        return verb(**values, **made)

    called.__annotations__ = {option.name: option.annotation for option in flat} | {"return": hints["return"]}
    called.__signature__ = inspect.Signature(flat, return_annotation=hints["return"])  # type: ignore[attr-defined]
    return called


def _options_of(kind: type) -> list[inspect.Parameter]:
    """The fields of a dataclass as keyword parameters."""
    hints = get_type_hints(kind, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(kind)
    ]

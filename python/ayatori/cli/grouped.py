"""Options that belong together as one object: a command takes a dataclass of them, and Typer sees each by itself.

A group may have groups among its fields. PANEL names the panel of its options in help, except for those in USUAL,
which stand in the first panel, with the options that most people need.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from typer.models import OptionInfo

Result = TypeVar("Result")


def grouped(command: Callable[..., Result]) -> Callable[..., Result]:
    """The command for Typer: in place of each parameter that is a dataclass stand the fields of it, as options.

    The fields are annotated as options are. No two may have one name.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters = inspect.signature(command).parameters
    flat = [
        option
        for name, parameter in parameters.items()
        for option in _options_of(name, hints[name], parameter.default)
    ]  # fmt: skip

    @wraps(command)
    def called(**values: Any) -> Result:
        return command(**{name: _value_of(name, hints[name], values) for name in parameters})

    called.__annotations__ = {option.name: option.annotation for option in flat} | {"return": hints["return"]}
    called.__signature__ = inspect.Signature(flat, return_annotation=hints["return"])  # type: ignore[attr-defined]
    return called


def _is_group(kind: Any) -> bool:
    return isinstance(kind, type) and is_dataclass(kind)


def _fields_of(kind: Any) -> list[tuple[Field[Any], Any]]:
    hints = get_type_hints(kind, include_extras=True)
    return [(field, hints[field.name]) for field in fields(kind)]


def _options_of(name: str, kind: Any, default: Any) -> list[inspect.Parameter]:
    """A parameter by itself, or those that a group stands for."""
    if _is_group(kind):
        panel, usual = getattr(kind, "PANEL", None), getattr(kind, "USUAL", ())
        return [
            option if field.name in usual or _is_group(inner) else _in_panel(option, panel)
            for field, inner in _fields_of(kind)
            for option in _options_of(field.name, inner, field.default)
        ]
    default = inspect.Parameter.empty if default is MISSING else default
    return [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)]


def _in_panel(option: inspect.Parameter, panel: str | None) -> inspect.Parameter:
    """The option in this panel of help, unless it names its own."""
    if get_origin(option.annotation) is not Annotated:
        return option
    kind, *remarks = get_args(option.annotation)
    placed = [_with_panel(one, panel) if isinstance(one, OptionInfo) else one for one in remarks]
    return option.replace(annotation=Annotated[(kind, *placed)])


def _with_panel(option: OptionInfo, panel: str | None) -> OptionInfo:
    placed = copy(option)  # the same option may stand in other groups
    placed.rich_help_panel = option.rich_help_panel or panel
    return placed


def _value_of(name: str, kind: Any, values: dict[str, Any]) -> Any:
    """What Typer gives for a parameter, or the group made of it."""
    if not _is_group(kind):
        return values[name]
    return kind(**{field.name: _value_of(field.name, inner, values) for field, inner in _fields_of(kind)})

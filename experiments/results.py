"""Figures that outlive an interruption: saved as they come, taken up where they stopped."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ayatori.errors import Error
from ayatori.files import make_folder, read_text, write_json

Item = TypeVar("Item")


class Results:
    """Lists of figures by name, in a file that is whole at any moment.

    `parameters` are all that the figures depend on. With `resume` the figures of an earlier run are taken over; Error
    if that one had other parameters.
    """

    def __init__(self, file: Path, parameters: dict[str, Any], resume: bool = False) -> None:
        self.file = file
        self.parameters = json.loads(json.dumps(parameters))  # as they come back from the file
        self.figures: dict[str, list[Any]] = {}
        make_folder(file.parent)
        if resume and file.exists():
            self.figures = self._earlier_figures()

    def _earlier_figures(self) -> dict[str, list[Any]]:
        start_anew = "without --resume it starts anew"
        try:
            earlier = json.loads(read_text(self.file))
            parameters, figures = dict(earlier["parameters"]), {k: list(v) for k, v in earlier["figures"].items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Error(f"{self.file} holds no results", cause=str(error), hint=start_anew) from error
        keys = (*self.parameters, *parameters)
        if other := [key for key in dict.fromkeys(keys) if self.parameters.get(key) != parameters.get(key)]:
            raise Error(f"{self.file} has results for other parameters: {', '.join(other)}", hint=start_anew)
        return figures

    def compute(
        self,
        name: str,
        items: Sequence[Item],
        figures_of: Callable[[Sequence[Item]], list[Any]],
        chunk: int,
        advance: Callable[[], None] = lambda: None,
    ) -> list[Any]:
        """One figure an item, `chunk` items at a time, each chunk saved; those of an earlier run are not made again."""
        known = self.figures.setdefault(name, [])
        for _ in known:
            advance()
        for start in range(len(known), len(items), chunk):
            new = figures_of(items[start : start + chunk])
            known += new
            self.save()
            for _ in new:
                advance()
        return known

    def save(self, **more: Any) -> None:
        """Writes all figures, and `more` beside them."""
        write_json(self.file, {"parameters": self.parameters, "figures": self.figures} | more)

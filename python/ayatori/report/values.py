"""JSON values that know their file and key, so that every error is one line that names both.

Texts come from a fabric and are not trusted: control characters and broken Unicode are replaced here, and
everything is escaped again where it is written.
"""

from __future__ import annotations

import json
import math
import unicodedata
from pathlib import Path
from typing import Any, NoReturn

from ayatori.base.errors import Error

LIMIT = 1e15  # a number beyond this is a mistake, not a measurement
BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


class ReportError(Error):
    """A folder or study that cannot become a report: message, cause, hint, one line each."""


def clean(text: str) -> str:
    """The text with what could hide or reorder others replaced: control characters, lone surrogates, bidi overrides."""
    return "".join("\ufffd" if unicodedata.category(c) in ("Cc", "Cs") or c in BIDI else c for c in text)


class Value:
    """A JSON value that knows its file and key, for the error message."""

    def __init__(self, data: Any, file: str, path: str) -> None:
        self.data, self.file, self.path = data, file, path

    def fail(self, expected: str, hint: str = "") -> NoReturn:
        """Raises the one-line error for this key."""
        where = f"{self.file}: {self.path}" if self.path else self.file
        found = json.dumps(self.data)
        shown = found if len(found) <= 40 else found[:37] + "..."
        raise ReportError(f"{where}: expected {expected}", f"found {shown}", hint)

    def has(self, key: str) -> bool:
        """Whether this object holds the key with something in it."""
        return self.members().get(key) is not None

    def members(self) -> dict[str, Any]:
        """The object itself."""
        return self.data if isinstance(self.data, dict) else self.fail("an object")

    def at(self, key: str) -> Value:
        """The value of a key that must be there."""
        path = f"{self.path}.{clean(key)}" if self.path else clean(key)
        if key not in self.members():
            raise ReportError(f"{self.file}: {path}: this key is missing", "", "the study may come from an older run")
        return Value(self.data[key], self.file, path)

    def items(self) -> list[Value]:
        """The values of a list."""
        if not isinstance(self.data, list):
            self.fail("a list")
        return [Value(item, self.file, f"{self.path}[{i}]") for i, item in enumerate(self.data)]

    def entries(self) -> list[tuple[str, Value]]:
        """The keys and values of an object."""
        return [(clean(key), self.at(key)) for key in self.members()]

    def text(self) -> str:
        """A text, cleaned."""
        return clean(self.data) if isinstance(self.data, str) else self.fail("a text")

    def number(self, least: float = 0) -> float:
        """A finite number that is not less than `least`."""
        good = isinstance(self.data, int | float) and not isinstance(self.data, bool)
        if not good or not math.isfinite(self.data) or not least <= self.data <= LIMIT:
            self.fail(f"a number from {least:g}")
        return float(self.data)

    def whole(self, least: int = 0, most: int | None = None) -> int:
        """A whole number in least..most."""
        number = isinstance(self.data, int) and not isinstance(self.data, bool)
        if not number or not least <= self.data <= (LIMIT if most is None else most):
            self.fail(f"a whole number from {least}" + ("" if most is None else f" to {most}"))
        return int(self.data)

    def truth(self) -> bool:
        """true or false."""
        return self.data if isinstance(self.data, bool) else self.fail("true or false")

    def numbers(self) -> list[float]:
        """A list of numbers."""
        return [item.number() for item in self.items()]


def load_json(file: Path) -> Any:
    """The parsed file; NaN and Infinity are not valid JSON."""

    def reject(word: str) -> NoReturn:
        raise ValueError(f"{word} is not a number")

    try:
        return json.loads(file.read_text(encoding="utf-8-sig"), parse_constant=reject)
    except OSError as error:
        raise ReportError(f"{file}: cannot be read", error.strerror or str(error)) from error
    except json.JSONDecodeError as error:
        raise ReportError(f"{file}:{error.lineno}:{error.colno}: this is not valid JSON", error.msg) from error
    except (ValueError, RecursionError) as error:
        raise ReportError(f"{file}: this is not valid JSON", str(error).splitlines()[0]) from error

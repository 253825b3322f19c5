"""Results of a long run in a file that is whole at any moment."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from ayatori.base.errors import Error
from ayatori.base.files import make_folder, read_text, write_json

FORMAT = "ayatori-results"
VERSION = 1


class SavedResults:
    """Lists of results by name, and the parameters that they depend on.

    `parameters` are plain data. `save_every` is the least time between two savings in seconds; 0 saves whenever
    results are added. Without a path the results are in memory only.
    """

    def __init__(self, path: Path | None, parameters: dict[str, Any], save_every: float = 0) -> None:
        self.path = path
        self.parameters = json.loads(json.dumps(parameters))  # as they are read from the file
        self.results: dict[str, list[Any]] = {}
        self._save_every = save_every
        self._saved_at = time.monotonic()
        if path is not None:
            make_folder(path.parent)

    def load(self) -> bool:
        """Takes over what an earlier run has saved. Returns whether there was such a file.

        Raises Error if the file can't be read as saved results, or is of a run with other parameters.
        """
        if self.path is None or not self.path.exists():
            return False
        try:
            saved = json.loads(read_text(self.path))
            if (saved["format"], saved["version"]) != (FORMAT, VERSION):
                raise ValueError(f"it is not version {VERSION} of the format {FORMAT}")
            parameters = dict(saved["parameters"])
            results = {name: list(values) for name, values in saved["results"].items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Error(f"can't resume from {self.path}", str(error), "without --resume the run starts anew") from error
        names = dict.fromkeys((*self.parameters, *parameters))
        if differing := [name for name in names if self.parameters.get(name) != parameters.get(name)]:
            cause = f"it has the results of other parameters: {', '.join(differing)}"
            raise Error(f"can't resume from {self.path}", cause, "without --resume the run starts anew")
        self.results = results
        return True

    def of(self, name: str) -> list[Any]:
        """The list of results of this name. Results that are added later are appended to the same list."""
        return self.results.setdefault(name, [])

    def add(self, name: str, results: list[Any]) -> None:
        """Adds results, and saves all if the last saving was long enough ago."""
        self.of(name).extend(results)
        if time.monotonic() - self._saved_at >= self._save_every:
            self.save()

    def save(self, **more: Any) -> None:
        """Writes the file, with `more` in addition to the results."""
        if self.path is None:
            return
        head = {"format": FORMAT, "version": VERSION}
        write_json(self.path, head | {"parameters": self.parameters, "results": self.results} | more)
        self._saved_at = time.monotonic()

    def remove(self) -> None:
        """Removes the file, if it is there."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def partial_file(parameters: dict[str, Any], folder: Path = Path(".")) -> Path:
    """The name of a file for the results of a run with these parameters; other parameters give another name."""
    from hashlib import sha256

    digest = sha256(json.dumps(parameters, sort_keys=True).encode()).hexdigest()
    return folder / f"ayatori-{digest[:12]}.partial"

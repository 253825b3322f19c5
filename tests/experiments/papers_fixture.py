"""Makes papers.json anew, of the quick runs' results:

    PYTHONPATH=. .venv/bin/python tests/experiments/papers_fixture.py [NAME …]

Experiments that are not named, or have not run, keep what is there: name none that ran on a busy machine."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from experiments.__main__ import EXPERIMENTS, QUICK_RESULTS
from experiments.papers.answers import VALUES
from experiments.papers.values import Results, Saved, read_results

FILE = Path(__file__).parent / "papers.json"
LEFT_OUT = {"places", "causes", "oversubscribed", "residuals", "latency_s", "tables", "scenario"}
"""What results have besides, and no value needs."""


class Watched(dict[str, list[Any]]):
    """Results that know which of them were asked for."""

    def __init__(self, results: dict[str, list[Any]]) -> None:
        super().__init__(results)
        self.asked: set[str] = set()

    def __getitem__(self, name: str) -> list[Any]:
        self.asked.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.asked.add(name)
        return super().get(name, default)


def shorter(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: shorter(one) for name, one in value.items() if name not in LEFT_OUT}
    if isinstance(value, list):
        return [shorter(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def main(names: list[str]) -> None:
    found = read_results(QUICK_RESULTS, names or list(EXPERIMENTS))
    watched = {name: Watched(dict(saved.results)) for name, saved in found.saved.items()}
    results = Results({name: Saved(found.saved[name].parameters, own) for name, own in watched.items()})
    for values in VALUES.values():
        for name, source in values.items():
            if source.experiment in found.saved and results.value(source) is None:
                print(f"{name}: {source.experiment} has not saved it")
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    made = kept | {
        name: {
            "parameters": shorter(dict(saved.parameters)),
            "results": {key: shorter(saved.results[key]) for key in saved.results if key in watched[name].asked},
            "machine": "the fixture's machine",
        }
        for name, saved in found.saved.items()
    }
    FILE.write_text(json.dumps(made, indent=None, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

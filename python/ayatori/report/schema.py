"""Reads the study files of a report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ayatori.report.model import Study
from ayatori.report.reading import read
from ayatori.report.values import ReportError, Value, load_json


def read_studies(folder: Path) -> list[Study]:
    """All studies of a folder, sorted by file name; ReportError if there is none or one is wrong."""
    if not folder.is_dir():
        raise ReportError(f"{folder}: no such folder", "", "give the folder that holds study-*.json")
    files = sorted(folder.glob("study-*.json"))
    if not files:
        raise ReportError(
            f"{folder}: no study in this folder", "no file matches study-*.json", "run ayatori demo first"
        )
    return [read_study(file) for file in files]


def read_study(file: Path) -> Study:
    """Reads one study file."""
    study: Study = read(Study, Value(load_json(file), str(file), ""), {})
    methods = study.methods | {key: key for key in _methods_used(study) if key not in study.methods}
    return replace(study, file=file.name, methods=methods)


def _methods_used(study: Study) -> list[str]:
    """Every method that a part of the study names."""
    used: list[str] = []
    if study.random:
        used += [*study.random.bandwidth, *study.random.free, *study.random.paper]
    if study.contiguous:
        used += [*study.contiguous.bandwidth, *study.contiguous.paper]
    if study.worst:
        used += [side.method for side in (study.worst.before, study.worst.after) if side]
    return used

"""The report: `write_report(folder)` turns saved studies into one HTML page that needs no network.

Reads `folder/study-*.json` (model.py says what a study holds) and nothing else: no fabric, no routing, no clock.
The same studies yield the same bytes.
"""

from pathlib import Path

from ayatori.base.files import write_bytes
from ayatori.report.page import page_of
from ayatori.report.schema import read_studies
from ayatori.report.values import ReportError

__all__ = ["ReportError", "write_report"]


def write_report(folder: Path) -> Path:
    """Writes folder/report.html, whole or not at all, and returns its path; ReportError if a study is wrong."""
    page = page_of(read_studies(folder))
    target = folder / "report.html"
    write_bytes(target, page.encode("utf-8"))
    return target

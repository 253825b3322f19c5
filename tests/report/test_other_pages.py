"""The pages of `bench hpl` and `explain`: their result in words, counted from the page's own data."""

from typing import Any

import pytest

from ayatori.report.hpl_page import hpl_page
from ayatori.report.markup import key_line
from ayatori.report.overlap_page import overlap_page

POINT = {
    "plane": "lab",
    "p": 1,
    "q": 2,
    "order": 1000,
    "passed": True,
    "too_noisy": False,
    "causes": [],
    "residual": 0.01,
    "mixed": None,
}
HPL: dict[str, Any] = {
    "program": "xhpl",
    "broadcast": "1ring",
    "depth": 0,
    "repeats": 1,
    "results": [
        POINT | {"nb": nb, "gflops": {"median": rate, "min": rate, "max": rate}}
        for nb, rate in ((64, 12.0), (128, 15.5), (256, 14.0))
    ],
}
OVERLAP: dict[str, Any] = {
    "command": "mpirun -np 2 ./program",
    "unseen": [],
    "given": ["thread level: single"],
    "kinds": [],
    "moved_by": "nobody",
    "advice": ["a thread"],
    "seconds": 2.0,
    "with_progress": 1.5,
    "hidden": 0.5,
    "measured": None,
    "timeline": {
        "ranks": [{"rank": 0, "calls": [[0.0, 0.5]], "under_way": [[0.0, 1.5]]}],
        "traffic": [{"host": "h0", "times": [0.0, 1.0], "bytes": [0, 1 << 20]}],
    },
}


def test_hpl_page_names_the_fastest_point() -> None:
    assert "<strong>Fastest: 15.5 GFlop/s on lab, 1 × 2 processes, NB 128, measured</strong>" in hpl_page(HPL)


def test_overlap_page_says_what_a_thread_changes_and_whether_that_was_measured() -> None:
    predicted = overlap_page(OVERLAP).replace("\u00a0", " ")
    assert "<strong>Run time with the plug-in&#x27;s thread: 2 → 1.5 s, predicted</strong>" in predicted
    measured = {"before": 2.1, "after": 1.8, "hidden": 0.3, "verdict": "as predicted"}
    page = overlap_page(OVERLAP | {"measured": measured}).replace("\u00a0", " ")
    assert "<strong>Run time with the plug-in&#x27;s thread: 2.1 → 1.8 s, measured</strong>" in page


@pytest.mark.parametrize(
    ("dash", "drawn"), [("solid", ""), ("dot", 'stroke-dasharray="2 2"'), ("8px 4px", 'stroke-dasharray="8 4"')]
)
def test_keys_of_curves_have_their_dashes(dash: str, drawn: str) -> None:
    line = key_line(2, dash)
    assert drawn in line
    assert drawn or "dasharray" not in line

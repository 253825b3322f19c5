"""Paper 3's experiment on made-up measurements: what follows from them, and that the page has every figure."""

from pathlib import Path
from typing import Any

import pytest

from experiments import mixed_cluster
from experiments.mixed_cluster.presentation import Measured, tables_of

BLOCKS = (32, 64, 128)


def stretch(plane: str, rate: float) -> dict[str, Any]:
    """Ten microseconds, and bytes at so many a second."""
    sizes = [
        {"bytes": size, "half_round_trip_s": 1e-5 + size / rate, "throughput_MBps": rate / 1e6}
        for size in (1, 64, 1024, 1 << 20)
    ]
    return {"name": f"{plane} near", "place": "near", "sizes": sizes}


def point(plane: str, processes: int, block: int, gflops: float) -> dict[str, Any]:
    rates = {"median": gflops, "min": gflops * 0.99, "max": gflops * 1.01}
    return {"plane": plane, "order": 6400, "nb": block, "p": 1, "q": processes, "mixed": None, "gflops": rates} | {
        "residual": 0.002,
        "passed": True,
        "too_noisy": False,
    }


def hpl(processes: int, gain: float, by_block: float) -> list[dict[str, Any]]:
    """`gain`: of Ethernet; `by_block`: of each NB over the one before it."""
    planes = (("10gbe", 1 + gain), ("infiniband", 1.0))
    return [point(p, processes, b, 10 * f * (1 + by_block) ** i) for p, f in planes for i, b in enumerate(BLOCKS)]


def verdicts(measured: Measured) -> list[str]:
    return [row[-1] for row in tables_of(measured)[-1].rows]


def measured_like_the_paper() -> Measured:
    measured = Measured(10, 6400, 3, [stretch("10gbe", 1e8), stretch("infiniband", 8e7)])
    measured.hpl = [*hpl(8, 0.04, 0.1), *hpl(4, 0.03, 0.1), *hpl(1, 0.001, 0.1)]
    return measured


def test_what_is_as_in_the_paper_is_reproduced() -> None:
    untestable = "not testable"
    assert verdicts(measured_like_the_paper()) == [untestable, *["reproduced"] * 5, untestable]


def test_what_is_not_as_in_the_paper_is_not_reproduced() -> None:
    measured = Measured(10, 6400, 3, [stretch("10gbe", 7e7), stretch("infiniband", 8e7)])
    measured.hpl = [*hpl(8, 0.3, -0.01), *hpl(1, 0.1, 0.1)]
    untestable = "not testable"
    assert verdicts(measured) == [untestable, *["not reproduced"] * 5, untestable]


def test_without_a_lab_nothing_is_claimed() -> None:
    assert set(verdicts(Measured(10, 6400, 3))) == {"not testable"}


def test_the_page_has_the_papers_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_up = measured_like_the_paper()
    by_grid = {(1, 8): made_up.hpl[:6], (1, 4): made_up.hpl[6:12], (1, 1): made_up.hpl[12:]}

    def hpl_of(_slower: float, _order: int, block: int, grid: tuple[int, int], *_: object) -> list[dict[str, Any]]:
        return [one for one in by_grid[grid] if one["nb"] == block]

    module = "experiments.mixed_cluster.experiment"
    monkeypatch.setattr(f"{module}.why_impossible", lambda _: "")
    monkeypatch.setattr(f"{module}.measure_ping_pongs", lambda *_: made_up.ping_pongs)
    monkeypatch.setattr(f"{module}.measure_hpl", hpl_of)
    page = mixed_cluster.run(tmp_path, mixed_cluster.Settings(verbs=False)).read_text()
    assert all(f'id="figure{number}"' in page for number in (6, 7, 8, 9))
    monkeypatch.setattr(f"{module}.measure_hpl", lambda *_: pytest.fail("measured again"))
    assert mixed_cluster.run(tmp_path, mixed_cluster.Settings(verbs=False), resume=True).read_text() == page

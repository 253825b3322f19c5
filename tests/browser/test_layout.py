"""Pages fit wide and narrow windows: nothing is clipped, tables say that they scroll, axes begin at 0."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sample_study as sample
from devtools import CHROMIUM, Browser
from test_other_pages import HPL, OVERLAP
from test_study_data import jobs_together

from ayatori.report import write_report
from ayatori.report.hpl_page import hpl_page
from ayatori.report.overlap_page import overlap_page

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

CLIPPED = """(() => {
  const outside = (box, room) => box.width > 0 && (box.left < room.left - 1 || box.right > room.right + 1
    || box.top < room.top - 1 || box.bottom > room.bottom + 1);
  return [...document.querySelectorAll('svg.fabric, .plot')].flatMap((place) =>
    [...place.querySelectorAll('text')]
      .filter((text) => outside(text.getBoundingClientRect(), place.getBoundingClientRect()))
      .map((text) => text.textContent));
})()"""
NARROW_TABLES = """[...document.querySelectorAll('.scroll')].map((place) =>
  [place.scrollWidth > place.clientWidth + 1, getComputedStyle(place, '::before').content])"""
AXES = """[...document.querySelectorAll('.plot')].flatMap((plot) =>
  [plot._fullLayout.xaxis, plot._fullLayout.yaxis].map((axis) => [axis.range[0], axis.title.text]))"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("pages")
    studies = [sample.paper_study(), sample.wide_study(), sample.ring_study(), sample.multi_rail_study()]
    written = [write_report(sample.write_studies(folder / "small", *studies))]
    written.append(write_report(sample.write_studies(folder / "large", sample.large_study())))
    written.append(
        write_report(sample.write_studies(folder / "jobs", jobs_together("fattree:K=4,levels=2", [6, 5, 7])))
    )
    for name, text in (("hpl", hpl_page(HPL)), ("overlap", overlap_page(OVERLAP))):
        written.append(folder / f"{name}.html")
        written[-1].write_text(text, encoding="utf-8")
    return written


@contextmanager
def window(browser: Browser, width: int) -> Iterator[None]:
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    try:
        yield
    finally:
        browser.call("Emulation.clearDeviceMetricsOverride")


@pytest.mark.parametrize("width", [1200, 420, 360])
def test_pages_need_no_scrolling_sideways_and_clip_nothing(browser: Browser, pages: list[Path], width: int) -> None:
    with window(browser, width):
        for page in pages:
            browser.open(page)
            browser.settle()
            assert browser.value("document.documentElement.scrollWidth") <= width
            assert browser.value(CLIPPED) == []


def test_tables_that_do_not_fit_say_that_they_scroll(browser: Browser, pages: list[Path]) -> None:
    with window(browser, 390):
        browser.open(pages[0])
        browser.settle()
        places = browser.value(NARROW_TABLES)
    assert any(wider for wider, _ in places) and not all(wider for wider, _ in places)
    for wider, said in places:
        assert said == ('"scroll →"' if wider else "none")


def test_axes_begin_at_zero_and_have_units(browser: Browser, pages: list[Path]) -> None:
    browser.open(pages[0])
    axes = browser.value(AXES)
    assert len(axes) == 4
    assert [begin for begin, _ in axes] == [0] * 4
    assert [title for _, title in axes] == [
        "jobs, sorted by bandwidth",
        "bandwidth per host, MB/s",
        "hosts of the job",
        "bandwidth per host, MB/s",
    ]

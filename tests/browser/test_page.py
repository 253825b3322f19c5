"""The page in a real browser: it draws everything, without a script error, in light and in dark."""

import base64
import re
from pathlib import Path

import pytest
import sample_study as sample
from devtools import CHROMIUM, Browser

from ayatori.report import write_report

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

DOM = "document.documentElement.outerHTML"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    three_levels = sample.job_study("fattree:K=8,levels=3", 128)
    studies = sample.paper_study(), sample.wide_study(), three_levels, sample.ring_study()
    return write_report(sample.write_studies(tmp_path_factory.mktemp("studies"), *studies))


@pytest.fixture(scope="module")
def dom(page: Path, browser: Browser) -> str:
    browser.open(page)
    return browser.value(DOM)


def count(pattern: str, text: str) -> int:
    return len(re.findall(pattern, text))


def test_all_is_drawn_without_a_script_error(dom: str) -> None:
    opening = dom[: dom.index(">", dom.index("<html"))]
    assert 'data-drawn="yes"' in opening
    assert "data-errors" not in opening


def test_curves_are_there(dom: str) -> None:
    """Four methods and their bound; in figure 9 two of the paper's, in figure 10 one point of the paper's."""
    assert count('<path class="js-line"', dom) == 5 + 5
    assert count('<g class="trace scatter', dom) == 5 + 2 + 5 + 1
    assert "jobs, sorted by bandwidth" in dom and "hosts of the job" in dom


def test_fabrics_are_there(dom: str) -> None:
    """Three trees before and after, and a ring. The second picture of a pair takes the hosts of the first one."""
    assert count('<svg class="fabric', dom) == 3 * 2 + 1
    assert count('<use href="#study', dom) == 2 * 3
    assert count('data-bundle="', dom) > 100
    assert count('class="host mine"', dom) >= 16 + 96 + 128


def test_an_error_is_told(page: Path, tmp_path: Path, browser: Browser) -> None:
    """A page whose plots are spoiled says so, where the test and the reader see it."""
    spoiled = tmp_path / "spoiled.html"
    spoiled.write_text(re.sub(r'(id="plotly">)[^<]{9}', r"\1!!!", page.read_text(encoding="utf-8")), encoding="utf-8")
    browser.call("Page.navigate", url=spoiled.resolve().as_uri())
    browser.wait_for("document.readyState === 'complete' && document.documentElement.dataset.errors")
    browser.settle()
    dom = browser.value(DOM)
    opening = dom[: dom.index(">", dom.index("<html"))]
    assert "data-errors" in opening and "data-drawn" not in opening
    assert "This plot could not be drawn" in dom


def brightness(picture: Path) -> int:
    """The first pixel of a PNG, from its own bytes: the background of the page."""
    import struct
    import zlib

    data, packed, place = picture.read_bytes(), b"", 8
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place : place + 8])
        packed += data[place + 8 : place + 8 + size] if kind == b"IDAT" else b""
        place += size + 12
    first_row = zlib.decompressobj().decompress(packed, 5)  # a filter byte, then red, green, blue
    return sum(first_row[1:4]) // 3


@pytest.mark.parametrize(("scheme", "low", "high"), [("light", 200, 255), ("dark", 0, 60)])
def test_light_and_dark(page: Path, tmp_path: Path, browser: Browser, scheme: str, low: int, high: int) -> None:
    picture = tmp_path / "page.png"
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.call("Emulation.setDeviceMetricsOverride", width=1400, height=3000, deviceScaleFactor=1, mobile=False)
    try:
        browser.open(page)
        picture.write_bytes(base64.b64decode(browser.call("Page.captureScreenshot")["data"]))
    finally:
        browser.call("Emulation.clearDeviceMetricsOverride")
        browser.call("Emulation.setEmulatedMedia", features=[])
    assert picture.stat().st_size > 100_000
    assert low <= brightness(picture) <= high

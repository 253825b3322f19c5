"""Drawings of `ayatori show --svg` in a browser: they fit any window, clip no text, and follow the reader's colours."""

from __future__ import annotations

from pathlib import Path

import pytest
from devtools import CHROMIUM, Browser

from ayatori import _core, open_source

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

GOLDEN = Path(__file__).parent.parent / "golden"
SOURCES = (
    "fattree:K=6,levels=2,nodes=30",
    "fattree:K=8,levels=3",
    "xgft:h=2;m=6,4;w=2,3",
    "torus:4x4",
    "torus:4x4x4",
    "torus:70x70",
    "hyperx:3x3,hosts=2",
    "full:4",
    "dragonfly:g=9,a=4,p=2,h=2",
    "dragonfly+:g=5,l=2,s=2,p=2,h=2",
    f"ib:{GOLDEN / 'infiniband/ndr.txt'}",
)
CLIPPED = """(() => {
  const root = document.documentElement, { a, e, f } = root.getScreenCTM(), view = root.viewBox.baseVal;
  const outside = ({ left, right, top, bottom }) =>
    left < e || right > e + a * view.width || top < f || bottom > f + a * view.height;
  return [...document.querySelectorAll('text')].filter((text) => outside(text.getBoundingClientRect()))
    .map((text) => text.textContent);
})()"""
LOOK = "(({ width, height }) => [width, height])(document.documentElement.getBoundingClientRect())"
CONTRASTS = """(() => {
  const lightness = (colour) => {
    const [r, g, b] = colour.match(/\\d+/g).map((part) => part / 255)
      .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const style = (element, what) => lightness(getComputedStyle(element)[what]);
  const paper = style(document.documentElement, 'backgroundColor'), box = style(document.querySelector('.b'), 'fill');
  const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  return [...document.querySelectorAll('text')]
    .map((text) => contrast(style(text, 'fill'), text.classList.contains('i') ? box : paper));
})()"""


def drawn(browser: Browser, source: str, folder: Path) -> None:
    picture = folder / "picture.svg"
    picture.write_bytes(_core.export_network(open_source(source), "svg"))
    browser.call("Page.navigate", url=picture.as_uri())
    browser.wait_for("document.readyState === 'complete' && document.documentElement.tagName === 'svg'")
    browser.settle()


@pytest.mark.parametrize("source", SOURCES)
def test_a_drawing_fits_its_window_and_clips_no_text(browser: Browser, tmp_path: Path, source: str) -> None:
    try:
        for width in (1200, 360):
            browser.call(
                "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
            )
            drawn(browser, source, tmp_path)
            assert browser.value(LOOK) == [width, 900]
            assert browser.value(CLIPPED) == []
    finally:
        browser.call("Emulation.clearDeviceMetricsOverride")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_of_a_drawing_can_be_read_in_light_and_dark(browser: Browser, tmp_path: Path, scheme: str) -> None:
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    try:
        drawn(browser, f"ib:{GOLDEN / 'infiniband/ndr.txt'}", tmp_path)
        contrasts = browser.value(CONTRASTS)
        paper = browser.value("getComputedStyle(document.documentElement).backgroundColor")
    finally:
        browser.call("Emulation.setEmulatedMedia", features=[])
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(26, 31, 41)"}[scheme]
    assert len(contrasts) > 5 and min(contrasts) >= 4.5

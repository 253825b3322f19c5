"""docs/pictures/report.png, which the README links. It names the page that it shows, so any browser's is good.

UPDATE_SNAPSHOTS=1 makes it anew.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import struct
import zlib
from pathlib import Path

import pytest
import sample_study as sample
from devtools import CHROMIUM, Browser

from ayatori.report import write_report
from ayatori.study import paper1

PICTURE = Path(__file__).parent.parent.parent / "docs/pictures/report.png"
WIDTH, HEIGHT = 1200, 2170
SIGNATURE = b"\x89PNG\r\n\x1a\n"
HEADER = len(SIGNATURE) + 12 + 13  # and the first chunk, of 13 bytes


def chunk_that_names(page: Path) -> bytes:
    """A chunk of a PNG with the digest of a page, but not of Plotly, whose version is not ours."""
    own = re.sub(r'<script type="application/gzip".*?</script>', "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    own = re.sub(r"script-src [^;]*", "", own)  # digests of scripts
    kind, content = b"tEXt", b"Source\0" + hashlib.sha256(own.encode()).hexdigest().encode()
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def picture_of(browser: Browser, page: Path) -> bytes:
    browser.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
    try:
        browser.open(page)
        browser.settle()
        return base64.b64decode(browser.call("Page.captureScreenshot")["data"])
    finally:
        browser.call("Emulation.clearDeviceMetricsOverride")
        browser.call("Emulation.setEmulatedMedia", features=[])


def test_the_picture_of_a_report_shows_what_is_drawn(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    study = sample.paper_study(200) | {"title": paper1.TITLE, "engines": [], "checks": []}
    study["random"]["paper_MBps"] = {  # what does not depend on how many jobs there are
        method: {key: figures[key] for key in ("mean", "min", "max")} for method, figures in paper1.RANDOM.items()
    }
    page = write_report(sample.write_studies(tmp_path, study))
    named = chunk_that_names(page)
    if os.environ.get("UPDATE_SNAPSHOTS") and CHROMIUM is not None:
        picture = picture_of(request.getfixturevalue("browser"), page)
        PICTURE.write_bytes(picture[:HEADER] + named + picture[HEADER:])
    assert PICTURE.read_bytes()[HEADER:].startswith(named)

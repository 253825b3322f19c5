"""The page as a picture, by a browser without a window."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --virtual-time-budget=20000 "
    "--blink-settings=preferredColorScheme=1"
).split()
WIDTH = 1400
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
TELL_HEIGHT = "<script>document.title = 'height ' + document.documentElement.scrollHeight</script>"


def take_screenshot(page: Path) -> Path | None:
    """Writes page.png beside page.html, all of it; None where there is no Chromium, or where it fails."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        return None
    picture = page.with_suffix(".png")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = [program, *FLAGS, f"--user-data-dir={folder}/profile"]
        height = height_of(page, browser, Path(folder))
        if height is None:
            return None
        size = f"--window-size={WIDTH},{height}"
        done = ran([*browser, size, f"--screenshot={picture.resolve()}", page.resolve().as_uri()])
    return picture if done.returncode == 0 else None


def height_of(page: Path, browser: list[str], folder: Path) -> int | None:
    """Of the whole page, as the browser lays it out: told by a copy of it that allows one more script."""
    copy = folder / "page.html"
    copy.write_text(POLICY.sub("", page.read_text(encoding="utf-8")) + TELL_HEIGHT, encoding="utf-8")
    told = ran([*browser, f"--window-size={WIDTH},800", "--dump-dom", copy.as_uri()]).stdout
    found = re.search(r"<title>height (\d+)</title>", told)
    return int(found[1]) if found else None


def ran(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

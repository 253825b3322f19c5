"""The page as a picture, by a browser without a window."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --window-size=1400,1900 --virtual-time-budget=20000 "
    "--blink-settings=preferredColorScheme=1"
).split()


def photograph(page: Path) -> Path | None:
    """Writes page.png beside page.html; None where there is no Chromium, or where it fails."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        return None
    picture = page.with_suffix(".png")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [browser, *FLAGS, f"--user-data-dir={profile}", f"--screenshot={picture.resolve()}"]
        done = subprocess.run([*command, page.resolve().as_uri()], capture_output=True, timeout=120, check=False)
    return picture if done.returncode == 0 else None

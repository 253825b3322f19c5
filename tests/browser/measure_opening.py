"""How long a report takes to open: `python measure_opening.py [REPORT.html]`; by default one of 10,368 hosts.

Three times: until the fabric is there with its loads, until all is drawn, and until the window has been painted, in
fresh headless browsers that are already running. They are wall time: nothing else should run on the machine, and its
load is printed beside them.
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "report")]

ROUNDS = 5


def main(folder: Path) -> None:
    from devtools import Browser

    page = Path(sys.argv[1]) if len(sys.argv) > 1 else large_report(folder)
    fabric, all_drawn, painted = [], [], []
    for i in range(ROUNDS):
        with Browser(folder / f"profile-{i}") as browser:
            begun = time.monotonic()
            browser.call("Page.navigate", url=page.resolve().as_uri())
            browser.wait_for("document.querySelector('[data-explore]')?.dataset.step")
            fabric.append(time.monotonic() - begun)
            browser.wait_for("document.documentElement.dataset.drawn")
            all_drawn.append(time.monotonic() - begun)
            browser.call("Page.captureScreenshot")
            painted.append(time.monotonic() - begun)
    machine = f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}"
    print(f"{page.name}: {page.stat().st_size / 1e6:.1f} MB, {ROUNDS} fresh browsers, {machine}")
    for what, seconds in (("fabric and loads", fabric), ("all drawn", all_drawn), ("painted", painted)):
        print(f"  {what:16}  {median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})")


def large_report(folder: Path) -> Path:
    import sample_study as sample

    from ayatori.report import write_report

    return write_report(sample.write_studies(folder / "large", sample.large_study()))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(Path(scratch))

"""`python quick_measurements.py WORDS…`: ayatori's command line, whose measurements are over soon, and know little.

They have nine rounds of all sizes where these take less than a few seconds. Beside other tests, whose processes take
the cores of ranks that wait for each other, a round takes many seconds.
"""

import shutil
import tempfile
from pathlib import Path

from ayatori.calibration import measuring
from ayatori.cli import main
from ayatori.pingpong import measuring as pingpong

SIZES = (1, 3, 48, 1024, 3072, 4096, 1 << 16, 1 << 17, 1 << 20, 3 << 20, 4 << 20)
"""Of those that fits are made of and of those that check them."""


HURRIED = {
    "min_rounds = 9,": "min_rounds = 1,",
    "largest_with_jumps = 1 << 16 }": "largest_with_jumps = 1 << 7 }",  # beside other tests, all times jump
}


def program_without_patience(folder: Path) -> Path:
    source = Path(shutil.copytree(measuring.SOURCE.parent, folder / "programs")) / measuring.SOURCE.name
    text = source.read_text(encoding="utf-8")
    for patient, hurried in HURRIED.items():
        assert text.count(patient) == 1, patient
        text = text.replace(patient, hurried)
    source.write_text(text, encoding="utf-8")
    return source


if __name__ == "__main__":
    assert set(SIZES) <= set(measuring.ALL_SIZES)
    measuring.MORE_SECONDS = 60.0
    measuring.measure.__kwdefaults__["sizes"] = SIZES
    measuring.measure_oversubscribed.__defaults__ = (tuple(size for size in SIZES if size in measuring.FITTED_SIZES),)
    pingpong.LAUNCHES = 2
    with tempfile.TemporaryDirectory(prefix="ayatori-") as name:
        measuring.SOURCE = program_without_patience(Path(name))
        main()

"""Makes the samples of tests/report, and the browser here, importable; and one browser for all tests."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "report")]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from devtools import Browser

    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser

"""Pages do not depend on what else runs on this machine."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def nobody_else_is_busy() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("experiments.page.share_of_others", lambda: 0.0)
        yield

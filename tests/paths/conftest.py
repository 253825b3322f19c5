import pytest
import verbs


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> verbs.Programs:
    if verbs.is_missing:
        pytest.skip("no compiler, or libibverbs-dev is not installed")
    return verbs.Programs(tmp_path_factory.mktemp("verbs"))

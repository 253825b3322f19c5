"""How much of what a property or a sweep could try is tried: a part by default, and with `pytest --all` all."""

from hypothesis import settings

USUAL = 100
THOROUGH = 500


def tries(usual: int, thorough: int | None = None) -> int:
    """How many examples, cases or seeds: `usual`, with --all `thorough`, by default five times as many."""
    if settings().max_examples < THOROUGH:
        return usual
    return usual * THOROUGH // USUAL if thorough is None else thorough

"""Calibrations whose time was over early are made of the sizes that were reached."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from test_calibration import measurement_of, message_costs

from ayatori.calibration.fitting import fit
from ayatori.calibration.measuring import Samples
from ayatori.prediction.costs import Line, MessageCosts
from thoroughness import tries


@settings(max_examples=tries(25))
@given(message_costs(), st.integers(1, 30), st.booleans())
def test_a_measurement_that_ended_early_is_fitted(costs: MessageCosts, reached: int, inside: bool) -> None:
    """The smallest sizes are reached first."""
    local = (Line(0, 1e-8, 1e-10),)
    whole = measurement_of(costs, local, local, inside)
    sizes = set(sorted(whole.medians("copy"))[:reached])
    patterns = {}
    for name, samples in whole.patterns.items():
        known = {size: seconds for size, seconds in samples.median.items() if size in sizes}
        patterns[name] = Samples(known, dict(known), dict(known))
    cut = replace(whole, patterns=patterns, unreached=sorted(set(whole.medians("copy")) - sizes))
    found = fit(cut, "inside" if inside else "between")
    assert all(error.points <= reached for error in found.errors)

"""bench.validation.applications: what it reads of programs' output, and what it says of times."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ayatori.base.errors import Error
from bench.validation.applications.comparison import gain, verdict
from bench.validation.applications.hydrogen import upf
from bench.validation.applications.programs import APPLICATIONS, INPUTS, Application

OUTPUTS = {
    "LAMMPS": (
        "       0   1.50000000000000e+00  -1.74e+00\n      20   1.4e+00  -1.2e+00\n"
        "Loop time of 4.25 on 2 procs for 60 steps with 1728 atoms\n",
        4.25,
        ["1.50000000000000e+00  -1.74e+00", "1.4e+00  -1.2e+00"],
    ),
    "Quantum": (
        "     total energy              =      -4.51339329 Ry\n!    total energy              =      -4.51853526 Ry\n"
        "     PWSCF        :   2m 2.48s CPU     3m18.40s WALL\n",
        198.4,
        ["      -4.51339329 Ry", "      -4.51853526 Ry"],
    ),
    "PETSc": ('{"residuals": [1.6, 0.5], "samples": {"total": [0.25], "communication": [0.1]}}', 0.25, ["1.6, 0.5"]),
    "waves": ("result step 20: 314.1\nseconds 1.5\n", 1.5, ["step 20: 314.1"]),
    "k-means": ("result step 20: 10 3\nseconds 0.5\n", 0.5, ["step 20: 10 3"]),
}


@pytest.mark.parametrize("application", APPLICATIONS, ids=lambda application: application.name)
def test_time_and_result_are_read_from_the_output(application: Application) -> None:
    [(output, seconds, result)] = [known for part, known in OUTPUTS.items() if part in application.name]
    assert application.seconds_in(output) == pytest.approx(seconds)
    assert application.result_in(output) == result
    with pytest.raises(Error, match="reports no time"):
        application.seconds_in("")


def test_inputs_are_here_and_the_pseudopotential_is_whole() -> None:
    assert {path.suffix for path in INPUTS.iterdir() if path.is_file()} == {".lammps", ".pw", ".py"}
    text = upf()
    assert text.count("<PP_") == text.count("</PP_") + 1, "the header has no end of its own"


def test_a_difference_needs_enough_rounds() -> None:
    slow, fast = [2.0] * 7, [1.0] * 7
    assert (verdict(slow, fast), verdict(fast, slow), verdict(fast, fast)) == ("faster", "slower", "no difference")
    assert verdict(slow[:6], fast[:6]) == "no difference"
    assert verdict(slow, [*fast[:6], 3.0]) == "no difference"
    assert gain(slow, fast) == 0.5


@given(st.lists(st.tuples(st.floats(1, 2), st.floats(1, 2)), min_size=1, max_size=40))
def test_a_verdict_is_as_likely_both_ways(pairs: list[tuple[float, float]]) -> None:
    plain, other = zip(*pairs, strict=True)
    opposite = {"faster": "slower", "slower": "faster", "no difference": "no difference"}
    assert verdict(plain, other) == opposite[verdict(other, plain)]

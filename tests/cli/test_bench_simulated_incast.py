"""The command and the function simulate the same."""

from __future__ import annotations

import json
from pathlib import Path

from ayatori.prediction.incast import OURS, SimulatedIncast, result_as_data, simulate_incast


def test_the_command_prints_what_the_function_returns(tmp_path: Path, ayatori_command) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text('drop = 0.01\nlatency = "5us"\n')
    load = SimulatedIncast(bytes=64, buffers=1, seed=3, clients=4, messages=20, scenario=scenario)
    expected = result_as_data(OURS, load, simulate_incast(OURS, load))
    words = "--senders 4 --messages 20 --bytes 64B --buffers 1 --seed 3 --json".split()
    outcome = ayatori_command("bench", "simulated-incast", *words, "--scenario", str(scenario))
    assert outcome.status == 0 and outcome.stderr == ""
    assert json.loads(outcome.stdout).items() >= json.loads(json.dumps(expected)).items()

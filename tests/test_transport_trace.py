"""simulate_incast() with a trace: the same result, and a qlog that any JSON parser reads."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ayatori.base.errors import Error
from ayatori.prediction.incast import OURS, Protocol, SimulatedIncast, simulate_incast

LOAD = SimulatedIncast(bytes=64, buffers=1, seed=3, clients=4, messages=20, queued=2)


def records(path: Path) -> list[dict[str, Any]]:
    text = path.read_text()
    assert text.startswith("\x1e")
    return [json.loads(record) for record in text[1:].split("\x1e")]


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return tmp_path / "incast.sqlog"


@pytest.mark.parametrize("protocol", [OURS, Protocol("fixed", 1e-4)], ids=lambda protocol: protocol.name)
def test_simulate_incast_has_the_same_result_with_a_trace(protocol: Protocol, trace: Path) -> None:
    assert simulate_incast(protocol, LOAD, trace) == simulate_incast(protocol, LOAD)


def test_trace_has_a_header_and_every_packet(trace: Path) -> None:
    result = simulate_incast(OURS, LOAD, trace)
    header, *events = records(trace)
    assert (header["qlog_format"], header["qlog_version"]) == ("JSON-SEQ", "0.3")
    assert header["title"] == "4 clients send 20 messages of 64 bytes each to rank 0; receive buffers: 1, seed: 3"
    assert [event["time"] for event in events] == sorted(event["time"] for event in events)
    sent = Counter(
        event["data"]["is_retransmission"]
        for event in events
        if event["name"] == "transport:packet_sent" and event["data"]["header"]["packet_type"] == "data"
    )
    assert sent == {False: result["data_packets"], True: result["retransmissions"]}
    assert sum(event["name"] == "transport:packet_dropped" for event in events) == result["overflowed"]


def test_trace_is_the_same_for_the_same_seed(trace: Path) -> None:
    simulate_incast(OURS, LOAD, trace)
    first = trace.read_bytes()
    simulate_incast(OURS, LOAD, trace)
    assert trace.read_bytes() == first


def test_trace_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Error, match="nowhere"):
        simulate_incast(OURS, LOAD, tmp_path / "nowhere" / "incast.sqlog")


def test_trace_of_reliable_connections_is_refused(trace: Path) -> None:
    with pytest.raises(Error, match="reliable connections"):
        simulate_incast(Protocol("RC", not_ready_delay=1e-5), LOAD, trace)
    assert not trace.exists()


def test_the_command_writes_the_trace_that_the_function_writes(trace: Path, tmp_path: Path, ayatori_command) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text('drop = 0.01\nlatency = "5us"\n')
    load = replace(LOAD, queued=1, scenario=scenario)
    result = simulate_incast(OURS, load, trace)
    of_command = tmp_path / "command.sqlog"
    words = "--senders 4 --messages 20 --bytes 64B --buffers 1 --seed 3 --json".split()
    files = "--scenario", str(scenario), "--trace", str(of_command)
    outcome = ayatori_command("bench", "simulated-incast", *words, *files)
    assert outcome.status == 0 and outcome.stderr == f"wrote {of_command}\n"
    assert json.loads(outcome.stdout)["retransmissions"] == result["retransmissions"]
    assert of_command.read_bytes() == trace.read_bytes()

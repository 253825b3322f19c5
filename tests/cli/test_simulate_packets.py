"""`ayatori simulate --packets`, and what flows over several paths say that they leave out."""

import pytest

CALL = "simulate fattree:K=6,levels=2,nodes=30 --random-jobs 2 --job-size 8 --collective alltoall --algorithm shift"
SMALL = [*CALL.split(), "--bytes", "16KiB"]


def test_packets_are_in_the_text_and_in_the_json(ayatori_command) -> None:
    text = ayatori_command(*SMALL, "--packets", "--link-buffer", "4", "--seed", "9").good().stdout
    assert "\n  packets       2048 B, 4 in a buffer, seed 9\n" in text
    assert "links that packets waited for" in text
    data = ayatori_command(*SMALL, "--packets", "--seed", "9", "--json").json()
    assert data["model"]["packets"] == {"buffer": 8, "seed": 9}
    assert ayatori_command(*SMALL, "--json").json()["model"]["packets"] is None


@pytest.mark.parametrize("more", ["", "--head-of-line", "--steps synchronous"])
def test_flows_over_several_paths_say_what_they_leave_out(more: str, ayatori_command) -> None:
    line = "  left out      head-of-line blocking between packets (paper 1, section 6): --packets simulates it\n"
    assert line in ayatori_command(*SMALL, "--method", "multipath", *more.split()).good().stdout
    assert line not in ayatori_command(*SMALL, "--method", "rule", *more.split()).good().stdout


def test_several_paths_by_packets_are_slower_than_by_flows(ayatori_command) -> None:
    outcomes = [ayatori_command(*SMALL, "--ppn", "4", "--method", "multipath", *more) for more in ([], ["--packets"])]
    assert "left out" not in outcomes[1].good().stdout
    flows, packets = [
        ayatori_command(*SMALL, "--ppn", "4", "--method", "multipath", "--json", *more).json()["time_s"]
        for more in ([], ["--packets"])
    ]
    assert flows < packets


@pytest.mark.parametrize(
    ("more", "status", "line"),
    [
        ("--link-buffer 4", 2, "--link-buffer is of packets"),
        ("--packets --link-buffer 0", 2, "--link-buffer 0 is out of range"),
        ("--packets --link-buffer 65", 2, "--link-buffer 65 is out of range"),
        ("--packets --steps synchronous", 1, "packets are simulated in steps that drift only"),
        ("--packets --head-of-line", 1, "head-of-line blocking is of rates"),
    ],
)
def test_what_does_not_go_together_is_said_in_a_line(more: str, status: int, line: str, ayatori_command) -> None:
    ayatori_command(*SMALL, *more.split()).refused(status, line)

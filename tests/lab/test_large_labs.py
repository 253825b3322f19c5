"""Labs of many hosts, healthy ones at random, and labs that are ended at any time."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ayatori.lab.cluster import Settings, lay_out, why_impossible, why_too_large
from ayatori.lab.cluster.neighbours import permanent_neighbours
from ayatori.model.network import open_source
from subprocesses import AYATORI, processes, ran, said_by, wait_until

IMPOSSIBLE = why_impossible(Settings(loss_percent=1))
needs_lab = pytest.mark.skipif(bool(IMPOSSIBLE), reason=IMPOSSIBLE)
SECONDS = 1200.0
LABS_TO_END = 100
HEALTHY = 100


def cluster(folder: Path, hosts: int, planes: dict[str, str]) -> Path:
    file = folder / "cluster.toml"
    text = "".join(f'[planes.{name}]\nrate = "{rate}"\n' for name, rate in planes.items())
    text += "".join(f'[[switches]]\nname = "{name}-switch"\nplane = "{name}"\n' for name in planes)
    links = ", ".join(f'{{ to = "{name}-switch" }}' for name in planes)
    file.write_text(text + f'[[hosts]]\nname = "n[001-{hosts:03}]"\nlinks = [{links}]\n')
    return file


def diagnosis(file: Path, *options: str | Path, doctor: str = "", slower: str = "10") -> dict[str, Any]:
    call = f'{sys.executable} -m ayatori.cli doctor --hosts "$AYATORI_LAB_HOSTFILE" --json {doctor}'
    words = [*AYATORI, "lab", "cluster", file, "--slower", slower, *options, "--", "sh", "-c", call]
    done = ran(words, seconds=SECONDS)
    assert done.stdout, done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    return data


def test_neighbours_are_set_for_good_where_the_kernels_table_would_overflow(tmp_path: Path) -> None:
    def layout(hosts: int) -> Any:
        return lay_out(open_source(f"cluster:{cluster(tmp_path, hosts, {'eth': '1Gbit/s'})}"))

    assert permanent_neighbours(layout(8)) == [[]] * 8, "they ask for hardware addresses, as real hosts do"
    lines = permanent_neighbours(layout(40))
    assert [len(own) for own in lines] == [39] * 40
    assert lines[0][0] == "neighbour replace 10.64.0.2 lladdr 02:a1:00:01:00:00 dev eth0 nud permanent"


def test_labs_that_the_kernel_does_not_hold_are_refused(tmp_path: Path) -> None:
    file = cluster(tmp_path, 600, {"eth": "1Gbit/s"})
    link = '{ to = "eth-switch" }'
    file.write_text(file.read_text().replace(f"[{link}]", f"[{link}, {link}]"))
    assert why_too_large(lay_out(open_source(f"cluster:{file}"))) == (
        "switch 'eth-switch' has 1200 cables, and a bridge 1023 at most"
    )


BAD_HOSTS = """
[[break]]
hosts = ["n007"]
inside = "echo 'ssh: connect to host n007 port 22: No route to host' >&2; exit 255"

[[break]]
hosts = ["n013"]
inside = "sleep 10000"

[[break]]
hosts = ["n021"]
inside = "python3() { echo 'sh: 1: python3: not found' >&2; return 127; }"

[[break]]
hosts = ["n040"]
inside = "while echo '{ welcome'; do :; done"
"""


@needs_lab
@pytest.mark.sweep
def test_four_bad_hosts_among_40_cost_the_others_nothing(tmp_path: Path) -> None:
    fault = tmp_path / "fault.toml"
    fault.write_text(BAD_HOSTS)
    file = cluster(tmp_path, 40, {"eth": "1Gbit/s", "ib": "2Gbit/s"})
    found = diagnosis(file, "--fault", fault, doctor="--timeout 60s")
    assert len(found["hosts"]) == 36
    assert sorted(one["host"] for one in found["silent"]) == ["n007", "n013", "n021", "n040"]
    assert {one["kind"] for one in found["trouble"]} == {"no-answer"}
    assert [one["interfaces"][0] for one in found["networks"] if one["chosen"]] == ["ib0"]


ONE_PAIR = """
[[break]]
hosts = ["n150"]
run = '''
nft -f - <<END
add table inet f
add chain inet f c { type filter hook input priority 0; }
add rule inet f c ip saddr 10.64.0.17 tcp flags & (syn|ack) == syn drop
END
'''
"""


@needs_lab
@pytest.mark.sweep
def test_one_bad_ordered_pair_among_200_hosts_of_a_lab_is_named(tmp_path: Path) -> None:
    fault = tmp_path / "fault.toml"
    fault.write_text(ONE_PAIR)
    found = diagnosis(cluster(tmp_path, 200, {"eth": "1Gbit/s"}), "--fault", fault, doctor="--timeout 300s")
    assert len(found["hosts"]) == 200 and found["tried"]["pairs"] == 200 * 199
    trouble = [(one["kind"], one["hosts"]) for one in found["trouble"]]
    assert trouble[1:] == [("dead-network", ["n017", "n150"])] and trouble[0][0] == "no-network", trouble


def healthy(folder: Path, draw: random.Random) -> Path:
    """A cluster without a fault: one to three networks, of some rates, and hosts that are on all or on one of them."""
    rates = ["500Mbit/s", "1Gbit/s", "2Gbit/s", "4Gbit/s"]
    planes = {name: draw.choice(rates) for name in ["eth", "ib", "ens"][: draw.randint(1, 3)]}
    planes = dict(sorted(planes.items(), key=lambda one: -rates.index(one[1])))  # names lead to the fastest
    return cluster(folder, draw.randint(2, 12), planes)


@needs_lab
@pytest.mark.sweep
@pytest.mark.parametrize("number", range(HEALTHY))
def test_healthy_clusters_have_no_trouble(number: int, tmp_path: Path) -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    file = healthy(tmp_path, random.Random(seed))
    found = diagnosis(file)
    assert found["trouble"] == [], file.read_text()


@needs_lab
@pytest.mark.sweep
def test_labs_end_with_all_that_is_in_them_at_whatever_point_they_are_interrupted_or_killed(tmp_path: Path) -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    end_labs(tmp_path, random.Random(seed), LABS_TO_END, longest=3.0)


@needs_lab
def test_a_lab_that_is_interrupted_while_it_is_made_does_not_go_on(tmp_path: Path) -> None:
    """A few points of what the sweep tries a hundred of."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    end_labs(tmp_path, random.Random(seed), 4, longest=1.5)


def end_labs(folder: Path, draw: random.Random, count: int, longest: float) -> None:
    before = said_by(["ip", "-brief", "link"])
    file = cluster(folder, 12, {"eth": "1Gbit/s", "ib": "2Gbit/s"})
    mark = f"1000.{os.getpid()}"
    for _ in range(count):
        words = [*AYATORI, "lab", "cluster", file, "--", "sleep", mark]
        lab = subprocess.Popen(
            words,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            # A shell starts what is in the background with SIGINT ignored, and terminals do not.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        seconds, number = draw.uniform(0, longest), draw.choice([signal.SIGINT, signal.SIGINT, signal.SIGKILL])
        time.sleep(seconds)
        if number == signal.SIGKILL:
            lab.kill()
        else:
            os.killpg(lab.pid, number)  # as a terminal does
        try:
            lab.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(lab.pid, signal.SIGKILL)
            pytest.fail(f"{number.name} after {seconds:.3f} s: the lab goes on")
    # The lab's own process has the command in its words.
    wait_until(lambda: not processes("cmdline", lambda command: mark.encode() in command), 60)
    assert said_by(["ip", "-brief", "link"]) == before

"""A program that runs on each host of a survey: it says what the host's operating system knows of its networks, then
tries which addresses of the others it reaches. It needs Python 3.6 and iproute2, and nothing of this project.

It talks in lines of JSON. First it prints its facts, with the TCP port on which it answers the others with its token.
Then it reads lines, and prints one for each:
    {"reach": [[source or null, address, port, token], …]}  -> {"reach": [seconds or null, …]}
    {"rate": [source or null, address, port, token]}        -> {"rate": bytes a second, or null}
It ends when its input does.
"""

import json
import os
import re
import resource
import selectors
import socket
import subprocess
import sys
import threading
import time
from typing import Any, Dict, Iterable, List, Optional, Tuple

Target = Tuple[Optional[str], str, int, str]  # source address, address, port, token

TOKEN_BYTES = 16
REACH_SECONDS = 2.0
RATE_SECONDS = 0.5
RATE_BYTES = 1 << 23
AT_ONCE = 64


def limit(number: int) -> Optional[int]:
    """A soft limit; None is no limit."""
    soft = resource.getrlimit(number)[0]
    return None if soft == resource.RLIM_INFINITY else soft


def interfaces() -> List[Dict[str, Any]]:
    try:
        text = subprocess.check_output(["ip", "-j", "address", "show"], universal_newlines=True)
    except FileNotFoundError:
        sys.exit("ip is not installed (apt-get install iproute2)")
    found = []
    for one in json.loads(text):
        if not one.get("ifname"):
            continue
        ours = [[a["local"], a["prefixlen"]] for a in one.get("addr_info", []) if a["family"] == "inet"]
        found.append(
            {
                "name": one["ifname"],
                "up": "UP" in one["flags"],
                "loopback": "LOOPBACK" in one["flags"],
                "mtu": one["mtu"],
                "hardware": one.get("address"),
                "addresses": ours,
            }
        )
    return found


def own_address() -> Optional[str]:
    """The address that this host's own name leads to; None if it leads nowhere."""
    try:
        return socket.gethostbyname(socket.gethostname())
    except OSError:
        return None


def mpich() -> Optional[Dict[str, str]]:
    """Which MPICH is here, and by what it sends ("ch4:ucx"); None: there is none."""
    for words in (["mpichversion"], ["mpiexec.hydra", "--version"]):
        try:
            text = subprocess.check_output(words, stderr=subprocess.DEVNULL, universal_newlines=True, timeout=5)
        except (OSError, subprocess.SubprocessError):
            continue
        version = re.search(r"Version:\s+(\d[\w.]*)", text)
        device = re.search(r"(?:Device:\s+|with-device=)([\w:]+)", text)
        if version:
            return {"version": version.group(1), "device": device.group(1) if device else ""}
    return None


def facts(port: int, token: str) -> Dict[str, Any]:
    adapters = "/sys/class/infiniband"
    return {
        "hostname": socket.gethostname(),
        "own_address": own_address(),
        "interfaces": interfaces(),
        "adapters": sorted(os.listdir(adapters)) if os.path.isdir(adapters) else [],
        "locked_bytes": limit(resource.RLIMIT_MEMLOCK),
        "open_files": limit(resource.RLIMIT_NOFILE),
        "cores": len(os.sched_getaffinity(0)),
        "mpich": mpich(),
        "port": port,
        "token": token,
    }


def answer(connection: socket.socket, token: str) -> None:
    """The token; then as many bytes as the other end wants, until it goes away."""
    try:
        connection.settimeout(RATE_SECONDS * 4)
        connection.sendall(token.encode())
        block = bytes(1 << 16)
        if connection.recv(1):
            for _ in range(RATE_BYTES // len(block)):
                connection.sendall(block)
    except OSError:
        pass
    finally:
        connection.close()


def serve(listening: socket.socket, token: str) -> None:
    while True:
        connection = listening.accept()[0]
        threading.Thread(target=answer, args=(connection, token), daemon=True).start()


def connecting(source: Optional[str], address: str, port: int) -> Optional[socket.socket]:
    """A socket on its way; None if the kernel refuses at once."""
    one = socket.socket()
    one.setblocking(False)
    try:
        if source is not None:
            one.bind((source, 0))
        one.connect_ex((address, port))
    except OSError:
        one.close()
        return None
    return one


def reach(targets: List[Target]) -> List[Optional[float]]:
    """For each target the seconds until its token came; None if it did not."""
    times: List[Optional[float]] = [None] * len(targets)
    for first in range(0, len(targets), AT_ONCE):
        reach_some(targets, range(first, min(first + AT_ONCE, len(targets))), times)
    return times


def reach_some(targets: List[Target], numbers: Iterable[int], times: List[Optional[float]]) -> None:
    begin = time.monotonic()
    sockets: Dict[int, socket.socket] = {}
    with selectors.DefaultSelector() as waiting:
        for number in numbers:
            source, address, port, _ = targets[number]
            one = connecting(source, address, port)
            if one is not None:
                sockets[number] = one
                waiting.register(one, selectors.EVENT_READ, number)
        while waiting.get_map() and time.monotonic() - begin < REACH_SECONDS:
            for key, _ in waiting.select(REACH_SECONDS - (time.monotonic() - begin)):
                try:
                    if sockets[key.data].recv(TOKEN_BYTES * 2).decode("ascii", "replace") == targets[key.data][3]:
                        times[key.data] = time.monotonic() - begin
                except OSError:
                    pass
                waiting.unregister(key.fileobj)
        for one in sockets.values():
            one.close()


def rate(source: Optional[str], address: str, port: int, token: str) -> Optional[float]:
    """Bytes a second from there to here; None if they don't come."""
    try:
        with socket.create_connection((address, port), REACH_SECONDS, (source, 0) if source else None) as one:
            if one.recv(TOKEN_BYTES * 2).decode("ascii", "replace") != token:
                return None
            one.sendall(b".")
            begin, received = time.monotonic(), 0
            while received < RATE_BYTES and time.monotonic() - begin < RATE_SECONDS:
                block = one.recv(1 << 16)
                if not block:
                    break
                received += len(block)
            return received / (time.monotonic() - begin)
    except OSError:
        return None


def main() -> None:
    token = os.urandom(TOKEN_BYTES).hex()
    listening = socket.socket()
    listening.bind(("", 0))
    listening.listen(512)
    threading.Thread(target=serve, args=(listening, token), daemon=True).start()
    print(json.dumps(facts(listening.getsockname()[1], token)), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        reply = {"reach": reach(asked["reach"])} if "reach" in asked else {"rate": rate(*asked["rate"])}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()

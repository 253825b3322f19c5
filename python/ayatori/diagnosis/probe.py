"""A program that runs on each host of a survey: it says what the host's operating system knows of its networks, then
tries which addresses of the others it reaches, and what arrives there. It needs Python 3.6 and iproute2, and nothing of
this project: host_facts.py comes before it in one text.

It talks in lines of JSON that begin with MARK, since what a host greets its users with may be anything. First it prints
its facts, with the TCP ports on which it answers the others with its token. Then it reads lines, and answers each:
    {"reach": [[source or null, address, port, token], …]}        -> {"reach": [seconds or a word, …]}
    {"bulk": [[source, address, port, token, UDP port, MTU], …]}  -> {"bulk": [[words …], …]}
    {"rate": [source, address, port, token]}                      -> {"rate": bytes a second, or null}
    {"resolve": [name, …]}                                        -> {"resolve": [address or null, …]}
    {"clock": null}                                               -> {"clock": seconds}
It ends when its input does.
"""

import json
import os
import selectors
import socket
import sys
import threading
import time
from typing import Any, Dict, List, Optional, Set, Tuple, Union

from ayatori.diagnosis.host_facts import address_of, facts

Target = Tuple[Optional[str], str, int, str]  # source address, address, port, token

MARK = "ayatori-probe "
TOKEN_BYTES = 16
REACH_SECONDS = 3.5
"""The kernel repeats a lost request after one and three seconds."""
YOUNG_SECONDS, MOST_YOUNG, MOST_WAITING = 0.5, 16, 512
"""So many connections begin at once: what waits longer costs nothing."""
RATE_SECONDS = 0.3
RATE_BYTES = 1 << 23
MESSAGES = (64, 1400, 4000, 8900, 1 << 14, 1 << 14, 1 << 14)
"""Sizes of messages that must arrive. Those between an Ethernet's packets and jumbo frames are lost first."""
STALL_SECONDS = 4.0
PACKET_TRIES, PACKET_SECONDS = 4, 0.5
PACKETS, PACKETS_AT_ONCE, PACKETS_LOST = 128, 8, 6
"""Small packets that are counted, not so many at once that a socket's buffer overflows, until so many are lost."""
IP_MTU_DISCOVER, IP_PMTUDISC_PROBE = 10, 3
IP_AND_UDP_BYTES = 28


def listening_at(first: int) -> Optional[socket.socket]:
    """On the first free port from there on, as Open MPI takes its own; 0: the kernel chooses."""
    for port in range(first, min(first + 256, 1 << 16)):
        one = socket.socket()
        try:
            one.bind(("", port))
            one.listen(512)
            return one
        except OSError:
            one.close()
    return None


def listening_on_ipv6() -> Optional[socket.socket]:
    one = None
    try:
        one = socket.socket(socket.AF_INET6)
        one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        one.bind(("::", 0))
        one.listen(512)
        return one
    except OSError:
        if one is not None:
            one.close()
        return None


def answer(connection: socket.socket, token: str) -> None:
    """The token; then what the other end asks for, until it goes away."""
    try:
        connection.settimeout(STALL_SECONDS * 4)
        connection.sendall(token.encode())
        wanted = connection.recv(1)
        if wanted == b"r":
            block = bytes(1 << 16)
            for _ in range(RATE_BYTES // len(block)):
                connection.sendall(block)
        while wanted == b"b":
            size = int.from_bytes(take(connection, 4), "big")
            take(connection, size)
            connection.sendall(b".")
    except OSError:
        pass
    finally:
        connection.close()


def take(connection: socket.socket, size: int) -> bytes:
    got = b""
    while len(got) < size:
        part = connection.recv(size - len(got))
        if not part:
            raise OSError("the other end has gone")
        got += part
    return got


def serve(listening: socket.socket, token: str) -> None:
    while True:
        connection = listening.accept()[0]
        threading.Thread(target=answer, args=(connection, token), daemon=True).start()


def serve_packets(one: socket.socket, token: str) -> None:
    """To each packet the token and the packet's length."""
    while True:
        try:
            data, sender = one.recvfrom(1 << 16)
            one.sendto("{} {}".format(token, len(data)).encode(), sender)
        except OSError:
            pass


def connecting(source: Optional[str], address: str, port: int) -> socket.socket:
    one = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    one.setblocking(False)
    try:
        if source is not None:
            one.bind((source, 0))
        one.connect_ex((address, port))
    except OSError:
        one.close()
        raise
    return one


def reach(targets: List[Target]) -> List[Union[float, str]]:
    """For each target the seconds until its token came, or why it did not: "refused", "unreachable", "stranger" or
    "silent"."""
    results = ["silent"] * len(targets)  # type: List[Union[float, str]]
    begun = {}  # type: Dict[int, Tuple[socket.socket, float]]
    coming = 0
    with selectors.DefaultSelector() as waiting:
        while coming < len(targets) or begun:
            now = time.monotonic()
            young = sum(now - since < YOUNG_SECONDS for _, since in begun.values())
            while coming < len(targets) and young < MOST_YOUNG and len(begun) < MOST_WAITING:
                try:
                    one = connecting(*targets[coming][:3])
                    waiting.register(one, selectors.EVENT_READ, coming)
                    begun[coming] = one, now
                    young += 1
                except OSError:
                    results[coming] = "unreachable"
                coming += 1
            for key, _ in waiting.select(0.05):
                results[key.data] = outcome(begun[key.data], targets[key.data][3])
                drop(waiting, begun, key.data)
            for number in [n for n, (_, since) in begun.items() if time.monotonic() - since > REACH_SECONDS]:
                drop(waiting, begun, number)
    return results


def outcome(begun: Tuple[socket.socket, float], token: str) -> Union[float, str]:
    one, since = begun
    try:
        said = one.recv(TOKEN_BYTES * 2).decode("ascii", "replace")
    except ConnectionError:
        return "refused"
    except OSError:
        return "unreachable"
    return time.monotonic() - since if said == token else "stranger"


def drop(waiting: Any, begun: Dict[int, Tuple[socket.socket, float]], number: int) -> None:
    one = begun.pop(number)[0]
    waiting.unregister(one)
    one.close()


def connected(target: Target) -> Optional[socket.socket]:
    """A connection whose other end has given its token."""
    source, address, port, token = target
    try:
        one = socket.create_connection((address, port), REACH_SECONDS, (source, 0) if source else None)
        if take(one, TOKEN_BYTES * 2).decode("ascii", "replace") == token:
            return one
        one.close()
    except OSError:
        pass
    return None


def bulk(target: Target, packet_port: int, mtu: int) -> List[str]:
    """What does not arrive: "messages SIZE", "packets"; and how many of the small packets: "lost COUNT"."""
    stalled = stalls_at(target)
    lost = [] if stalled is None else ["messages {}".format(stalled)]
    if ":" not in target[1] and packets_arrive(target, packet_port, 64):
        lost += [] if packets_arrive(target, packet_port, mtu - IP_AND_UDP_BYTES) else ["packets"]
        missing = packets_lost(target, packet_port)
        lost += ["lost {}".format(missing)] if missing else []
    return lost


def all_bulk(targets: List[List[Any]]) -> List[List[str]]:
    """At the same time, since a lost message takes seconds."""
    results = [["messages 0"] for _ in targets]

    def one(number: int) -> None:
        results[number] = bulk(tuple(targets[number][:4]), targets[number][4], targets[number][5])

    threads = [threading.Thread(target=one, args=(number,), daemon=True) for number in range(len(targets))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def stalls_at(target: Target) -> Optional[int]:
    """The size of the first message that does not arrive; None if all do, 0 if there is no connection."""
    one = connected(target)
    if one is None:
        return 0
    with one:
        one.settimeout(STALL_SECONDS)
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        size = 0
        try:
            one.sendall(b"b")
            for size in MESSAGES:
                one.sendall(size.to_bytes(4, "big") + bytes(size))
                take(one, 1)
        except OSError:
            return size
    return None


def packets_arrive(target: Target, port: int, size: int) -> bool:
    """One of a few packets that no router may cut in pieces."""
    source, address, _, token = target
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.settimeout(PACKET_SECONDS)
        try:
            one.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE)
            one.bind((source or "", 0))
        except OSError:
            return False
        for _ in range(PACKET_TRIES):
            try:
                one.sendto(bytes(size), (address, port))
                if one.recv(256) == "{} {}".format(token, size).encode():
                    return True
            except OSError:
                time.sleep(0.01)
    return False


def packets_lost(target: Target, port: int) -> int:
    """Of PACKETS whose sizes tell them apart, there or on the way back."""
    source, address, _, token = target
    sent, arrived = set(), set()  # type: Set[int], Set[int]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind((source or "", 0))
        for first in range(0, PACKETS, PACKETS_AT_ONCE):
            if len(sent - arrived) >= PACKETS_LOST:
                break
            for size in range(64 + first, 64 + first + PACKETS_AT_ONCE):
                sent.add(size)
                try:
                    one.sendto(bytes(size), (address, port))
                except OSError:
                    pass
            collect(one, token, sent, arrived)
        collect(one, token, sent, arrived)
    return len(sent - arrived)


def collect(one: socket.socket, token: str, sent: Set[int], arrived: Set[int]) -> None:
    end = time.monotonic() + PACKET_SECONDS
    while sent - arrived and time.monotonic() < end:
        one.settimeout(max(0.001, end - time.monotonic()))
        try:
            words = one.recv(256).decode("ascii", "replace").split()
        except OSError:
            continue
        if len(words) == 2 and words[0] == token:
            arrived.add(int(words[1]))


def rate(target: Target) -> Optional[float]:
    """Bytes a second from there to here; None if they don't come."""
    one = connected(target)
    if one is None:
        return None
    with one:
        try:
            one.settimeout(REACH_SECONDS)
            one.sendall(b"r")
            begin, received = time.monotonic(), 0
            while received < RATE_BYTES and time.monotonic() - begin < RATE_SECONDS:
                block = one.recv(1 << 16)
                if not block:
                    break
                received += len(block)
            return received / (time.monotonic() - begin)
        except OSError:
            return None


def reply_to(asked: Dict[str, Any]) -> Dict[str, Any]:
    kind, given = next(iter(asked.items()))
    if kind == "reach":
        return {kind: reach(given)}
    if kind == "bulk":
        return {kind: all_bulk(given)}
    if kind == "rate":
        return {kind: rate(tuple(given))}
    if kind == "resolve":
        return {kind: [address_of(name) for name in given]}
    return {kind: time.time()}


def say(line: Dict[str, Any]) -> None:
    # A greeting need not end its line.
    print("\n" + MARK + json.dumps(line), flush=True)


def main() -> None:
    token = os.urandom(TOKEN_BYTES).hex()
    library_ports = json.loads(sys.argv[1]) if len(sys.argv) > 1 else []
    sockets = [listening_at(first) for first in [0, *library_ports]]
    packets = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    packets.bind(("", 0))
    ipv6 = listening_on_ipv6()
    for one in [*sockets, ipv6]:
        if one is not None:
            threading.Thread(target=serve, args=(one, token), daemon=True).start()
    threading.Thread(target=serve_packets, args=(packets, token), daemon=True).start()
    ports = [one.getsockname()[1] if one is not None else None for one in sockets]
    listens = {"ports": ports, "port6": ipv6.getsockname()[1] if ipv6 else None, "packets": packets.getsockname()[1]}
    say(dict(facts(), token=token, **listens))
    for line in sys.stdin:
        say(reply_to(json.loads(line)))


if __name__ == "__main__":
    main()

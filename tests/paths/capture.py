"""Runs in `ayatori lab rdma`: a connection of ibv_rc_pingpong between its two adapters by a plan of source ports, over
IPv4 and over IPv6, with the libayatori_paths.so that is its argument. Prints the source ports that a packet socket sees
of it, as JSON: {"1": [[SOURCE, DESTINATION, PORT], ...], "0": ...} by the index of the GID, with the adapters for
their addresses."""

import ipaddress
import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

ROCE = (4791).to_bytes(2, "big")
ADAPTERS = ("rxe0", "rxe1")
SOURCE_PORTS = {"rxe0": 51111, "rxe1": 62222}

Found = set[tuple[str, str, int]]


def five_tuple(packet: bytes) -> tuple[str, str, int] | None:
    """Of a packet of RoCE in its Ethernet frame."""
    if packet[12:14] == b"\x08\x00":
        addresses, next_header, udp = packet[26:34], packet[23], packet[34:38]
    elif packet[12:14] == b"\x86\xdd":
        addresses, next_header, udp = packet[22:54], packet[20], packet[54:58]
    else:
        return None
    if next_header != socket.IPPROTO_UDP or udp[2:] != ROCE:
        return None
    half = len(addresses) // 2
    source, destination = (str(ipaddress.ip_address(part)) for part in (addresses[:half], addresses[half:]))
    return source, destination, int.from_bytes(udp[:2], "big")


def capture(packets: socket.socket, found: Found, done: threading.Event) -> None:
    while not done.is_set():
        try:
            packet = packets.recv(4096)
        except TimeoutError:
            continue
        if (seen := five_tuple(packet)) is not None:
            found.add(seen)


def address_of(adapter: str, index: int) -> str:
    gid = Path(f"/sys/class/infiniband/{adapter}/ports/1/gids/{index}").read_text(encoding="ascii").strip()
    address = ipaddress.IPv6Address(gid)
    return str(address.ipv4_mapped or address)


def plan_for(addresses: list[str]) -> Path:
    plan = {
        "format": "ayatori-roce-plan",
        "version": 1,
        "hash": "crc32",
        "reason": "a test",
        "ports": [{"host": host, "address": address} for host, address in zip(ADAPTERS, addresses, strict=True)],
        "source_ports": [[0, SOURCE_PORTS["rxe0"]], [SOURCE_PORTS["rxe1"], 0]],
    }
    file = Path("plan.json").absolute()
    file.write_text(json.dumps(plan), encoding="utf-8")
    return file


def connect(preload: str, index: int, plan: Path) -> None:
    pingpong = ["ibv_rc_pingpong", "-g", str(index), "-n", "50"]
    environment = {**os.environ, "LD_PRELOAD": preload, "AYATORI_ROCE_PLAN": str(plan)}
    server = subprocess.Popen([*pingpong, "-d", "rxe0"], env=environment, stdout=subprocess.DEVNULL)
    try:
        # The server listens some time after it was started; until then clients are refused.
        for _ in range(60):
            client = [*pingpong, "-d", "rxe1", "127.0.0.1"]
            if subprocess.run(client, env=environment, stdout=subprocess.DEVNULL, check=False).returncode == 0:
                break
            threading.Event().wait(0.5)
        server.wait(60)
    finally:
        server.kill()


def seen_by_plan(preload: str, index: int) -> list[tuple[str, str, int]]:
    addresses = [address_of(adapter, index) for adapter in ADAPTERS]
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    packets.settimeout(0.5)
    found: Found = set()
    done = threading.Event()
    listener = threading.Thread(target=capture, args=(packets, found, done))
    listener.start()
    try:
        connect(preload, index, plan_for(addresses))
    finally:
        done.set()
        listener.join()
    names = dict(zip(addresses, ADAPTERS, strict=True))
    return sorted((names.get(source, source), names.get(to, to), port) for source, to, port in found)


print(json.dumps({index: seen_by_plan(sys.argv[1], index) for index in (1, 0)}))

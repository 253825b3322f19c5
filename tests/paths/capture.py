"""Runs in `ayatori lab rdma`: a connection of ibv_rc_pingpong between its two adapters, and the UDP source ports that a
packet socket sees of it, as JSON. The environment says whether libayatori_paths.so is preloaded."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading

ROCE = (4791).to_bytes(2, "big")


def capture(packets: socket.socket, found: set[tuple[str, str, int]], done: threading.Event) -> None:
    while not done.is_set():
        try:
            packet = packets.recv(4096)
        except TimeoutError:
            continue
        if packet[12:14] == b"\x08\x00" and packet[23] == socket.IPPROTO_UDP and packet[36:38] == ROCE:
            source, destination = socket.inet_ntoa(packet[26:30]), socket.inet_ntoa(packet[30:34])
            found.add((source, destination, int.from_bytes(packet[34:36], "big")))


def main(preload: str) -> None:
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    packets.settimeout(0.5)
    found: set[tuple[str, str, int]] = set()
    done = threading.Event()
    listener = threading.Thread(target=capture, args=(packets, found, done))
    listener.start()
    pingpong = ["ibv_rc_pingpong", "-g", "1", "-n", "50"]
    environment = {**os.environ, "LD_PRELOAD": preload}
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
        done.set()
        listener.join()
    print(json.dumps(sorted(found)))


main(sys.argv[1])

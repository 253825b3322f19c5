"""What another user of the node can do to a job of libacp: run as that user, this reads and sends all it can.

    stranger.py SECONDS PACKETS CAPTURED UID PID…

PID… are the processes of the job and of its launchers, of user UID. CAPTURED is a file of datagrams of the job, which a
stranger with a network card would have read: one a line, in hexadecimal digits. Prints a JSON object: what could be
read or opened, and how many packets were sent.
"""

import contextlib
import json
import os
import random
import re
import socket
import sys
import time
from pathlib import Path
from typing import Any


def readable(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            file.read(1)
    except OSError:
        return False
    return True


def writable(path: Path) -> bool:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def what_proc_gives(pids: list[str]) -> tuple[list[str], str]:
    """What a stranger should not be able to open, and all texts that everybody can read."""
    opened, texts = [], []
    for pid in pids:
        folder = Path("/proc") / pid
        opened += [str(folder / name) for name in ("environ", "mem", "maps", "stack") if readable(folder / name)]
        for number in range(64):
            path = folder / "fd" / str(number)
            if readable(path) or writable(path):
                opened.append(str(path))
        for name in ("cmdline", "comm", "status", "limits", "net/unix"):
            with contextlib.suppress(OSError):
                texts.append((folder / name).read_bytes().decode(errors="replace"))
    return opened, "\n".join(texts)


def what_folders_give(uid: int) -> tuple[list[str], str]:
    """Files of the job's user in folders that all users have, and their names."""
    opened, names = [], []
    for root in ("/dev/shm", "/tmp", "/var/tmp", "/dev/mqueue"):
        with contextlib.suppress(OSError):
            for path in Path(root).iterdir():
                with contextlib.suppress(OSError):
                    if path.lstat().st_uid != uid or not path.name.startswith(("ayatori-job", f"ayatori-{uid}-")):
                        continue
                    names.append(str(path))
                    if path.is_dir():
                        with contextlib.suppress(OSError):
                            opened += [str(inside) for inside in path.iterdir()]
                    elif readable(path) or writable(path):
                        opened.append(str(path))
    return opened, "\n".join(names)


def what_unix_sockets_give() -> int:
    """How many sockets of libacp have a name, and take a datagram or a connection."""
    reached = 0
    for name in re.findall(r"(@?\S*(?:ayatori|acp)\S*)$", Path("/proc/net/unix").read_text(), re.MULTILINE):
        for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, kind) as client:
                client.connect("\0" + name[1:] if name.startswith("@") else name)
                reached += 1
    return reached


def udp_ports(uid: int) -> list[tuple[int, int]]:
    """Family and address of all UDP sockets of the job's user on this host; everybody can list them."""
    found: list[tuple[int, int]] = []
    for family, table in ((socket.AF_INET, "udp"), (socket.AF_INET6, "udp6")):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if int(words[7]) == uid:
                found.append((family, int(words[1].rpartition(":")[2], 16)))
    return found


def changed(datagram: bytes, source: random.Random) -> bytes:
    """A datagram of the job after one of the things that a stranger can do to it."""
    kind = source.randrange(5)
    if kind == 0:
        at = source.randrange(len(datagram))
        return datagram[:at] + bytes([datagram[at] ^ 1 << source.randrange(8)]) + datagram[at + 1 :]
    if kind == 1:
        return datagram[: source.randrange(len(datagram))]
    if kind == 2:
        return source.randbytes(source.randrange(1, 1400))
    if kind == 3:  # the frame and the nonce of a real one, with other contents
        return datagram[:14] + source.randbytes(len(datagram) - 14)
    return datagram


def attack(ports: list[tuple[int, int]], captured: list[bytes], packets: int) -> int:
    source = random.Random(1)
    targets: list[tuple[socket.socket, tuple[str, int]]] = []
    for family, port in ports:
        for address in ("127.0.0.1", "::1"):
            if (":" in address) == (family == socket.AF_INET6):
                targets.append((socket.socket(family, socket.SOCK_DGRAM), (address, port)))
    sent = 0
    for number in range(packets if targets else 0):
        client, target = targets[number % len(targets)]
        datagram = captured[source.randrange(len(captured))] if captured else source.randbytes(200)
        with contextlib.suppress(OSError):
            client.sendto(changed(datagram, source), target)
            sent += 1
        if number % 200 == 0:
            time.sleep(0.001)  # the attacked have to run, too
    return sent


def main() -> None:
    seconds, packets, file, uid, *pids = sys.argv[1:]
    captured = [bytes.fromhex(line) for line in Path(file).read_text().split()] if file != "-" else []
    found: dict[str, Any] = {}
    opened, texts = what_proc_gives(pids)
    more, names = what_folders_give(int(uid))
    found["opened"] = opened + more
    found["texts"] = texts + names
    found["unix_sockets"] = what_unix_sockets_give()
    ports = udp_ports(int(uid))
    found["ports"] = len(ports)
    found["sent"] = attack(ports, captured, int(packets))
    found["killed"] = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(int(pid), 15)
            found["killed"] += 1
    time.sleep(float(seconds))
    print(json.dumps(found))


if __name__ == "__main__":
    main()

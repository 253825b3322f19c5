"""What a host's operating system knows of its networks, its limits and its MPI libraries: the first part of the program
that runs on each host of a survey. It needs Python 3.6 and iproute2, and nothing of this project."""

import ctypes
import glob
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import time
from typing import Any, Dict, List, Optional, Tuple

COUNTED = ("rx_bytes", "tx_bytes")
ERRORS = ("rx_errors", "tx_errors", "rx_crc_errors", "collisions")
IB_ERRORS = ("symbol_error", "link_downed", "link_error_recovery", "port_rcv_errors")
LAUNCHER_VERSION = r"\((?:Open MPI|OpenRTE)\) (\S+)|Version: +(\d\S*)"


def limit(number: int) -> Optional[int]:
    """A soft limit; None is no limit."""
    soft = resource.getrlimit(number)[0]
    return None if soft == resource.RLIM_INFINITY else soft


def word_in(path: str) -> Optional[str]:
    """The kernel refuses to read some attributes of interfaces that are down."""
    try:
        with open(path) as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError):
        return None


def number_in(path: str) -> Optional[int]:
    word = word_in(path) or ""
    return int(word) if re.match(r"-?\d+$", word) else None


def interfaces() -> List[Dict[str, Any]]:
    try:
        text = subprocess.check_output(["ip", "-j", "address", "show"], universal_newlines=True)
    except FileNotFoundError:
        sys.exit("ip is not installed (apt-get install iproute2)")
    return [described(one) for one in json.loads(text) if one.get("ifname")]


def described(one: Dict[str, Any]) -> Dict[str, Any]:
    folder = "/sys/class/net/" + one["ifname"]
    listed = one.get("addr_info", [])
    return {
        "name": one["ifname"],
        "up": "UP" in one["flags"],
        "loopback": "LOOPBACK" in one["flags"],
        "mtu": one["mtu"],
        "hardware": one.get("address"),
        "addresses": [[a["local"], a["prefixlen"]] for a in listed if a["family"] == "inet"],
        "addresses6": [
            [a["local"], a["prefixlen"]] for a in listed if a["family"] == "inet6" and a.get("scope") == "global"
        ],
        "carrier": number_in(folder + "/carrier") != 0,
        # Bridges and bonds tell no speed, or -1.
        "speed": number_in(folder + "/speed"),
        "duplex": word_in(folder + "/duplex"),
        "errors": {name: number_in(folder + "/statistics/" + name) or 0 for name in ERRORS},
    }


def traffic() -> Tuple[float, Dict[str, int], List[int]]:
    """When, the bytes that each interface has carried, and the processors' ticks: all, and idle ones."""
    carried = {}
    for folder in glob.glob("/sys/class/net/*"):
        numbers = [number_in(folder + "/statistics/" + name) or 0 for name in COUNTED]
        carried[os.path.basename(folder)] = max(numbers)
    ticks = [int(word) for word in (word_in("/proc/stat") or "cpu 0 0 0 0 0").split("\n")[0].split()[1:9]]
    return time.monotonic(), carried, [sum(ticks), sum(ticks[3:5])]


def use_between(before: Tuple[float, Dict[str, int], List[int]]) -> Dict[str, Any]:
    """What others use while nothing of ours is measured: bytes a second by interface, and a share of the processors."""
    now = traffic()
    seconds = max(now[0] - before[0], 1e-3)
    ticks = max(now[2][0] - before[2][0], 1)
    return {
        "bytes_per_second": {name: (now[1][name] - before[1].get(name, now[1][name])) / seconds for name in now[1]},
        "processors": 1 - (now[2][1] - before[2][1]) / ticks,
    }


def adapter_ports() -> List[Dict[str, Any]]:
    """InfiniBand and RoCE."""
    found = []
    for folder in sorted(glob.glob("/sys/class/infiniband/*/ports/*")):
        parts = folder.split("/")
        found.append(
            {
                "adapter": parts[4],
                "port": int(parts[6]),
                "state": (word_in(folder + "/state") or "").split(": ")[-1],
                "rate": word_in(folder + "/rate") or "",
                "link": word_in(folder + "/link_layer") or "",
                "errors": {name: number_in(folder + "/counters/" + name) or 0 for name in IB_ERRORS},
            }
        )
    return found


def address_of(name: str) -> Optional[str]:
    """What the name leads to here: MPI libraries ask for IPv4 first."""
    try:
        return socket.gethostbyname(name)
    except (OSError, UnicodeError):
        pass
    try:
        return str(socket.getaddrinfo(name, None, socket.AF_INET6)[0][4][0])
    except (OSError, UnicodeError):
        return None


def said_by(words: List[str]) -> str:
    try:
        return subprocess.check_output(words, stderr=subprocess.DEVNULL, universal_newlines=True, timeout=5)
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""


def mpich() -> Optional[Dict[str, str]]:
    """Which MPICH is here, and by what it sends ("ch4:ucx"); None: there is none."""
    for words in (["mpichversion"], ["mpiexec.hydra", "--version"]):
        text = said_by(words)
        version = re.search(r"Version:\s+(\d[\w.]*)", text)
        device = re.search(r"(?:Device:\s+|with-device=)([\w:]+)", text)
        if version:
            return {"version": version.group(1), "device": device.group(1) if device else ""}
    return None


def libraries() -> Dict[str, Dict[str, str]]:
    """Versions and places of what a shell without a login finds: an MPI's daemons are started by such shells."""
    found = {}
    match = re.search(LAUNCHER_VERSION, said_by(["mpirun", "--version"]))
    if match:
        found["mpirun"] = {"version": next(filter(None, match.groups())), "path": shutil.which("mpirun") or ""}
    if shutil.which("orted"):
        found["orted"] = {"version": "", "path": shutil.which("orted") or ""}
    try:
        ucx = ctypes.CDLL("libucp.so.0")
        ucx.ucp_get_version_string.restype = ctypes.c_char_p
        found["ucx"] = {"version": ucx.ucp_get_version_string().decode(), "path": "libucp.so.0"}
    except (OSError, AttributeError):
        pass
    for file in sorted(glob.glob("/usr/lib*/libpmix.so.?") + glob.glob("/usr/lib/*/libpmix.so.?")):
        found["pmix"] = {"version": os.path.basename(os.path.realpath(file)).split(".so.")[-1], "path": file}
    return found


def space(path: str) -> Optional[Dict[str, Any]]:
    try:
        status = os.statvfs(path)
    except OSError:
        return None
    return {
        "path": path,
        "bytes": status.f_blocks * status.f_frsize,
        "free": status.f_bavail * status.f_frsize,
        "files": status.f_favail if status.f_files else None,
        "writable": os.access(path, os.W_OK | os.X_OK) and not status.f_flag & os.ST_RDONLY,
    }


def own_name() -> Dict[str, Any]:
    begin = time.monotonic()
    address = address_of(socket.gethostname())
    return {"own_address": address, "name_seconds": time.monotonic() - begin}


def facts() -> Dict[str, Any]:
    before = traffic()
    found = {
        "hostname": socket.gethostname(),
        "interfaces": interfaces(),
        "adapters": sorted(os.path.basename(one) for one in glob.glob("/sys/class/infiniband/*")),
        "adapter_ports": adapter_ports(),
        "locked_bytes": limit(resource.RLIMIT_MEMLOCK),
        "open_files": limit(resource.RLIMIT_NOFILE),
        "processes": limit(resource.RLIMIT_NPROC) if os.geteuid() else None,
        "cores": len(os.sched_getaffinity(0)),
        "mpich": mpich(),
        "libraries": libraries(),
        "shared_memory": space("/dev/shm"),
        "temporary": space(os.environ.get("TMPDIR") or "/tmp"),
        "neighbours": number_in("/proc/sys/net/ipv4/neigh/default/gc_thresh3"),
    }
    found.update(own_name())
    time.sleep(max(0.0, 0.2 - (time.monotonic() - before[0])))
    found["use"] = use_between(before)
    return found

"""Two hosts on this machine, for programs over MPI: network namespaces with a cable between them that has a rate.

The cable is a pair of veth interfaces, each shaped by htb, which does not hold back small messages (tbf lets them
wait for a tick of the kernel). Nothing of it outlives the `with` block; what a run that was killed has left is removed
by the next.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from ayatori.base.errors import Error

_PREFIX = "ayatori-hosts"
_HOSTS = ("a", "b")
_ADDRESSES = {"a": "10.77.0.1", "b": "10.77.0.2"}
_INTERFACE = "cable"


def why_not() -> str:
    """The reason why this machine can't have such hosts; empty if it can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for program in ("ip", "tc"):
        if shutil.which(program) is None:
            return f"{program} is not installed (apt-get install iproute2)"
    return ""


class TwoHosts:
    """`rate` is tc's word: 400mbit."""

    def __init__(self, rate: str) -> None:
        self._rate = rate
        self._namespaces = {host: f"{_PREFIX}-{os.getpid()}-{host}" for host in _HOSTS}
        self._temporary = tempfile.TemporaryDirectory(prefix="ayatori-hosts-")
        self._agent = Path(self._temporary.name) / "agent"

    def __enter__(self) -> TwoHosts:
        reason = why_not()
        if reason:
            raise Error("there can't be two hosts here", cause=reason)
        _remove_leftovers()
        try:
            for namespace in self._namespaces.values():
                _run("ip", "netns", "add", namespace)
            ends = [["name", _INTERFACE, "netns", self._namespaces[host]] for host in _HOSTS]
            _run("ip", "link", "add", *ends[0], "type", "veth", "peer", *ends[1])
            for host in _HOSTS:
                self._connect(host)
            self._write_agent()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for namespace in self._namespaces.values():
            subprocess.run(["ip", "netns", "delete", namespace], capture_output=True, check=False)
        self._temporary.cleanup()

    def _connect(self, host: str) -> None:
        inside = ["ip", "-n", self._namespaces[host]]
        _run(*inside, "link", "set", "lo", "up")
        _run(*inside, "addr", "add", f"{_ADDRESSES[host]}/24", "dev", _INTERFACE)
        _run(*inside, "link", "set", _INTERFACE, "up")
        shaped = ["ip", "netns", "exec", self._namespaces[host], "tc"]
        _run(*shaped, "qdisc", "add", "dev", _INTERFACE, "root", "handle", "1:", "htb", "default", "10")
        limits = ["htb", "rate", self._rate, "burst", "64k", "cburst", "64k", "quantum", "60000"]
        _run(*shaped, "class", "add", "dev", _INTERFACE, "parent", "1:", "classid", "1:10", *limits)

    def _write_agent(self) -> None:
        """What launchers call instead of ssh: [options] ADDRESS COMMAND …"""
        choices = "".join(f"{_ADDRESSES[host]}) host={self._namespaces[host]} ;; " for host in _HOSTS)
        lines = [
            "#!/bin/sh",
            'while :; do case "$1" in -*) shift ;; *) break ;; esac; done',
            f'case "$1" in {choices}*) exit 1 ;; esac',
            "shift",
            'exec ip netns exec "$host" unshare --uts sh -c "hostname $host; $*"',
        ]
        self._agent.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self._agent.chmod(0o755)

    def command(self, family: str, program: Sequence[str | Path], variables: Mapping[str, str]) -> list[str]:
        """What starts one process on each host, by TCP over the cable, with these variables in its environment."""
        set_there = [f"{name}={value}" for name, value in variables.items()]
        processes = ["env", *set_there, *map(str, program)]
        addresses = [_ADDRESSES[host] for host in _HOSTS]
        subnet = "10.77.0.0/24"
        if family == "openmpi":
            hosts = ",".join(f"{address}:1" for address in addresses)
            launch = ["mpirun.openmpi", "--allow-run-as-root", "--host", hosts, "-np", "2", "--bind-to", "none"]
            for name, value in {
                "plm_rsh_agent": str(self._agent),
                "pml": "ob1",
                "btl": "tcp,self",
                "btl_tcp_if_include": subnet,
                "oob_tcp_if_include": subnet,
            }.items():
                launch += ["--mca", name, value]
        else:
            launch = ["mpiexec.mpich", "-launcher", "ssh", "-launcher-exec", str(self._agent), "-iface", _INTERFACE]
            launch += ["-hosts", ",".join(addresses), "-np", "2"]
            processes.insert(1, "UCX_TLS=tcp,self")
        first = self._namespaces["a"]
        named = ["unshare", "--uts", "sh", "-c", 'hostname "$0"; exec "$@"', first]
        return ["ip", "netns", "exec", first, *named, *launch, *processes]


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    if done.returncode != 0:
        raise Error(f"'{' '.join(command)}' failed", cause=done.stderr.strip())


def _remove_leftovers() -> None:
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=False).stdout
    for name, process in re.findall(rf"^({_PREFIX}-(\d+)-\w)\b", listed, re.MULTILINE):
        if not Path(f"/proc/{process}").exists():
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)

"""A fabric in the language of ibsim: its size, and whether ibsim would read all of it.

ibsim takes what ibnetdiscover prints. It cuts long lines, long names and long descriptions without a word, and ends
a node's list of ports at the first line that is not a port. Whatever ibsim would lose is an error here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn

from ayatori.processes import ProgramError

_MAX_LINE_BYTES = 254
_MAX_ID_BYTES = 64
_MAX_DESCRIPTION_BYTES = 63
_MAX_HOST_ID_BYTES = 31  # that a program can send to name its node

_HEADER = re.compile(r'(Switch|Hca|Ca|Rt)\s+(\d+)\s*"([^"]*)"(.*)')
_DESCRIPTION = re.compile(r'[^#]*#\s*(?:"([^"]*)"|(.*?)(?: enhanced port | base port | lid | lmc |$))')
_PORT = re.compile(r'\[\d+\][^"]*"([^"]*)"')
_NODE_WORDS = ("Switch", "Hca", "Ca", "Rt")
_FOREIGN_WORDS = ("include", "module", "do", "@")


@dataclass
class Node:
    """One node of the file: `kind` is ibsim's word for it, `neighbours` are the node ids at its connected ports."""

    kind: str
    ports: int
    neighbours: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class NetFile:
    """The nodes of a fabric by node id, in the order of the file."""

    nodes: dict[str, Node]

    @property
    def switches(self) -> int:
        """How many switches there are."""
        return sum(node.kind == "Switch" for node in self.nodes.values())

    @property
    def ports(self) -> int:
        """How many ports ibsim allocates: those of all nodes, and port 0 of each."""
        return sum(node.ports + 1 for node in self.nodes.values())

    @property
    def end_ports(self) -> int:
        """How many connected ports of channel adapters and routers want LIDs."""
        return sum(len(node.neighbours) for node in self.nodes.values() if node.kind != "Switch")

    def host(self) -> str:
        """The node that programs run on: the first connected channel adapter, else the first switch.

        Raises ProgramError if no node has a link and a name that a program can ask for.
        """
        able = [name for name, node in self.nodes.items() if node.neighbours and _size(name) <= _MAX_HOST_ID_BYTES]
        if not able:
            raise ProgramError(
                "the fabric has no node for the subnet manager to run on",
                f"no node has both a link and a node id of at most {_MAX_HOST_ID_BYTES} bytes",
            )
        return min(able, key=lambda name: self.nodes[name].kind == "Switch")

    def unreachable_from(self, host: str) -> list[str]:
        """The node ids that no path of links joins to `host`."""
        seen = {host}
        stack = [host]
        while stack:
            fresh = set(self.nodes[stack.pop()].neighbours) - seen
            stack += (name for name in fresh if name in self.nodes)
            seen |= fresh
        return [name for name in self.nodes if name not in seen]


def parse_net_file(text: str) -> NetFile:
    """Reads a fabric in ibnetdiscover or ibsim syntax.

    Links are taken as they stand: that both ends agree is checked by ibsim.

    Raises ProgramError, with the line's number, for what ibsim would cut or skip.
    """
    nodes: dict[str, Node] = {}
    node: Node | None = None
    missing = 0
    for number, line in enumerate(text.split("\n"), 1):
        _require(_size(line) <= _MAX_LINE_BYTES, number, f"is {_size(line)} bytes long", f"{_MAX_LINE_BYTES} bytes")
        if node and missing and line.startswith("#"):
            continue
        if node and missing and line.startswith("["):
            node.neighbours.append(_neighbour(number, line))
            missing -= 1
        elif node and missing and line.strip():
            _refuse(number, "follows a node's ports without an empty line", "an empty line before it")
        else:
            node = _header(number, line, nodes)
            missing = node.ports if node else 0
    return NetFile(nodes)


def _header(number: int, line: str, nodes: dict[str, Node]) -> Node | None:
    """Adds the node that begins at this line; None if the line says something else."""
    _require(not line.lstrip().startswith("["), number, "is a port without a node", "ports right after their node")
    _require(not line.startswith(_FOREIGN_WORDS), number, f"begins with {line[:8]!r}", "what ibnetdiscover prints")
    if not line.startswith(_NODE_WORDS):
        return None
    if not (match := _HEADER.match(line)):
        _refuse(number, "is not a node", 'TYPE PORTS "ID" # "DESCRIPTION"')
    kind, ports, name, rest = match.groups()
    _check_id(number, name)
    _require(name not in nodes, number, f'repeats the node id "{name}"', "each node once")
    description = "".join(part or "" for part in found.groups()) if (found := _DESCRIPTION.match(rest)) else ""
    limit = f"at most {_MAX_DESCRIPTION_BYTES} bytes"
    _require(_size(description) <= _MAX_DESCRIPTION_BYTES, number, "has a long node description", limit)
    nodes[name] = Node(kind, int(ports))
    return nodes[name]


def _neighbour(number: int, line: str) -> str:
    """The node id at the other end of a port's line."""
    if not (match := _PORT.match(line)):
        _refuse(number, "is not a port", '[PORT] "ID"[PORT]')
    _check_id(number, match[1])
    return match[1]


def _check_id(number: int, name: str) -> None:
    _require(_size(name) <= _MAX_ID_BYTES, number, "has a long node id", f"at most {_MAX_ID_BYTES} bytes")
    _require(not set(name) & set("#@"), number, "has a node id with '#' or '@'", "neither: they mark prefix and alias")


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _require(holds: bool, number: int, what: str, expected: str) -> None:
    if not holds:
        _refuse(number, what, expected)


def _refuse(number: int, what: str, expected: str) -> NoReturn:
    raise ProgramError(f"line {number} of the fabric {what}", f"ibsim would read it wrongly; expected: {expected}")

"""Linear forwarding tables (LFTs) in the two texts that tools print: OpenSM's dump, and dump_fts over MADs."""

from __future__ import annotations

import re
from collections.abc import Callable

_SWITCH = re.compile(r"Unicast lids \[.*\] of switch .* guid 0x([0-9a-fA-F]+)")
_ENTRY = re.compile(r"0x([0-9a-fA-F]+)\s+(\d+)\b")

_NO_PORT = 255
_BLOCK_LIDS = 64  # LIDs in one LinearForwardingTable MAD
_MAD_BYTES = 64
_READ_SWITCH = re.compile(
    r"^Unicast lids \[0x[0-9a-f]+-0x(?P<top>[0-9a-f]+)\] of switch DR path slid 0; dlid 0; (?P<path>[\d,]+) guid .*?"
    r"(?=^\d+ valid lids dumped)",
    re.MULTILINE | re.DOTALL,
)


def parse_lfts(text: str) -> dict[int, dict[int, int]]:
    """Switch node GUID to LID to output port; entries without a port are left out.

    Reads opensm-lfts.dump, the input of OpenSM's file engine, and the output of dump_fts.
    """
    tables: dict[int, dict[int, int]] = {}
    table: dict[int, int] = {}
    for line in text.split("\n"):
        if switch := _SWITCH.match(line):
            table = tables.setdefault(int(switch[1], 16), {})
        elif entry := _ENTRY.match(line):
            table[int(entry[1], 16)] = int(entry[2])
    return tables


def complete_lfts(text: str, read_block: Callable[[str, int], list[int]]) -> str:
    """Adds the entries that dump_fts leaves out to its output.

    dump_fts reads whole blocks of 64 LIDs up to the table's top, but leaves out the last block if the top is its
    first LID. `read_block(path, block)` reads one block of the switch at a directed route, as output ports.
    """

    def completed(switch: re.Match[str]) -> str:
        top = int(switch["top"], 16)
        if top == 0 or top % _BLOCK_LIDS:
            return switch[0]
        port = read_block(switch["path"], top // _BLOCK_LIDS)[0]
        return switch[0] if port == _NO_PORT else f"{switch[0]}0x{top:04x} {port:03d} : (read by smpdump)\n"

    return _READ_SWITCH.sub(completed, text)


def parse_guid2lid(text: str) -> dict[int, tuple[int, int]]:
    """Port GUID to its first and last LID, from OpenSM's guid2lid file."""
    records = (line.split() for line in text.split("\n"))
    return {int(guid, 0): (int(low, 0), int(high, 0)) for guid, low, high in (r for r in records if len(r) == 3)}


def parse_mad_bytes(text: str) -> list[int] | None:
    """The bytes of the attribute that smpdump prints; None if no answer came, which its exit status does not tell."""
    attribute, status, _ = text.partition("SMP status")
    numbers = bytes.fromhex("".join(re.findall(r"\b[0-9a-f]{4}\b", attribute)))
    return list(numbers) if status and len(numbers) == _MAD_BYTES else None

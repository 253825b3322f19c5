"""`python -m ayatori.lab.fabric.path_records ADAPTER SM_LID PORTS FILE` asks the subnet administrator (SA) for the
service level of each path, and writes FILE with lines "0xGUID DLID SL", as `ibdmchk -c` has them.

PORTS has a line "0xGUID LID" for each port of an adapter. One query per pair: the simulator carries no answer
of several packets, which all paths at once would need. A program of its own, since libibumad finds its fabric by the
environment that it is loaded with.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

_LIBRARY = "libibumad.so.3"
_SA_CLASS, _SA_VERSION = 0x03, 2
_GET, _GET_RESPONSE = 0x01, 0x81
_PATH_RECORD = 0x0035
_DLID, _SLID, _NUMBER = 1 << 4, 1 << 5, 1 << 12  # components of a path record that a query names
_MAD_BYTES = 256
_HEAD = struct.Struct(">4B2HQ2HI12x8x2H Q")  # of MAD, RMPP and SA, without their keys
_LIDS = struct.Struct(">40x2H4x2B")  # in the record: DLID, SLID, traffic class, number of paths
_SL_AT = _HEAD.size + 52
_SA_QKEY = 0x80010000
_TIMEOUT_MS, _RETRIES = 1000, 3


class Administrator:
    """Asks the SA whose LID is `sm_lid`, through an adapter of libibumad. Raises OSError if it does not answer."""

    def __init__(self, adapter: str, sm_lid: int) -> None:
        self._umad = ctypes.CDLL(_LIBRARY, use_errno=True)
        self._umad.umad_get_mad.restype = ctypes.c_void_p
        self._umad.umad_size.restype = ctypes.c_size_t
        self._umad.umad_init()
        self._port = self._must(self._umad.umad_open_port(adapter.encode(), 0))
        self._agent = self._must(self._umad.umad_register(self._port, _SA_CLASS, _SA_VERSION, 0, None))
        self._buffer = ctypes.create_string_buffer(self._umad.umad_size() + _MAD_BYTES)
        self._mad = ctypes.c_void_p(self._umad.umad_get_mad(self._buffer))
        self._sm_lid = sm_lid
        self._queries = 0

    def service_level(self, slid: int, dlid: int) -> int | None:
        """The SL of a path; None if the SA knows no such path."""
        self._queries += 1
        components = _DLID | _SLID | _NUMBER
        head = _HEAD.pack(1, _SA_CLASS, _SA_VERSION, _GET, 0, 0, self._queries, _PATH_RECORD, 0, 0, 0, 0, components)
        query = (head + _LIDS.pack(dlid, slid, 0, 1)).ljust(_MAD_BYTES, b"\0")
        ctypes.memmove(self._mad, query, _MAD_BYTES)
        self._umad.umad_set_addr(self._buffer, self._sm_lid, 1, 0, _SA_QKEY)
        self._must(self._umad.umad_send(self._port, self._agent, self._buffer, _MAD_BYTES, _TIMEOUT_MS, _RETRIES))
        length = ctypes.c_int(_MAD_BYTES)
        self._must(self._umad.umad_recv(self._port, self._buffer, ctypes.byref(length), _TIMEOUT_MS * (_RETRIES + 1)))
        answer = ctypes.string_at(self._mad, _MAD_BYTES)
        _, _, _, method, status, _, query_id, *_ = _HEAD.unpack_from(answer)
        if method != _GET_RESPONSE or query_id & 0xFFFFFFFF != self._queries:
            raise OSError(f"the SA did not answer for the path from LID {slid} to LID {dlid}")
        return None if status else int.from_bytes(answer[_SL_AT : _SL_AT + 2], "big") & 15

    def _must(self, result: int) -> int:
        if result < 0:
            raise OSError(f"libibumad: error {result}")
        return result


def ask_all(administrator: Administrator, ports: list[tuple[str, int]]) -> Iterator[str]:
    """A line for each path between two of these ports that the SA knows."""
    for guid, slid in ports:
        for _, dlid in ports:
            if slid != dlid and (sl := administrator.service_level(slid, dlid)) is not None:
                yield f"{guid} {dlid} {sl}\n"


def main(adapter: str, sm_lid: str, ports_file: str, file: str) -> int:
    lines = Path(ports_file).read_text(encoding="utf-8").split("\n")
    ports = [(guid, int(lid)) for guid, lid in (line.split() for line in lines if line)]
    try:
        with open(file, "w", encoding="utf-8") as out:
            out.writelines(ask_all(Administrator(adapter, int(sm_lid)), ports))
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

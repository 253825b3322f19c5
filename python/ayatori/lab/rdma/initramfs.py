"""The first file system of a Linux kernel: an archive in cpio's format "newc" (kernel: driver-api/early-userspace)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_FOLDER = 0o040755
_PROGRAM = 0o100755
_DEVICE = 0o020600


@dataclass(frozen=True)
class CharacterDevice:
    """A device file."""

    major: int
    minor: int


Entry = bytes | CharacterDevice | None
"""The bytes of a file, a device, or None for a folder."""


def archive(entries: Mapping[str, Entry]) -> bytes:
    """An archive with these entries, by their paths without a '/' in front; folders that they need are added."""
    whole: dict[str, Entry] = {}
    for path, entry in entries.items():
        parts = path.split("/")
        for i in range(1, len(parts)):
            whole.setdefault("/".join(parts[:i]), None)
        whole[path] = entry
    records = [_record(number, path, entry) for number, (path, entry) in enumerate(whole.items(), start=1)]
    return b"".join([*records, _header(0, "TRAILER!!!", 0, b"")])


def _record(number: int, path: str, entry: Entry) -> bytes:
    match entry:
        case None:
            return _header(number, path, _FOLDER, b"")
        case CharacterDevice(major, minor):
            return _header(number, path, _DEVICE, b"", (major, minor))
        case data:
            return _header(number, path, _PROGRAM, data) + _padded(data)


def _header(number: int, path: str, mode: int, data: bytes, device: tuple[int, int] = (0, 0)) -> bytes:
    name = path.encode() + b"\0"
    links, checksum = 1, 0
    fields = (number, mode, 0, 0, links, 0, len(data), 0, 0, *device, len(name), checksum)
    return _padded(b"070701" + b"".join(b"%08X" % field for field in fields) + name)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)

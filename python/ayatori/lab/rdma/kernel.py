"""A Linux kernel as its boot loader gets it (kernel: arch/x86/boot), and as QEMU can start it at once."""

from __future__ import annotations

import lzma
import struct

_MAGIC_AT, _MAGIC = 0x202, b"HdrS"
_VERSION_AT, _WITH_PAYLOAD = 0x206, 0x208
_SETUP_SECTORS_AT, _SECTOR_BYTES, _USUAL_SECTORS = 0x1F1, 512, 4
_PAYLOAD_AT = 0x248
_XZ, _ELF = b"\xfd7zXZ\0", b"\x7fELF"

_ENTRY_NOTE = struct.pack("<III4s", 4, 8, 18, b"Xen")
"""XEN_ELFNOTE_PHYS32_ENTRY: where a kernel begins that is started without its boot loader's code (CONFIG_PVH)."""


def unpacked(image: bytes) -> bytes:
    """The kernel that unpacks itself when this image starts, or the image if QEMU could not start that one.

    An emulated processor unpacks for as long as it then takes to boot.
    """
    payload = _payload(image)
    if not payload.startswith(_XZ):
        return image
    try:
        kernel = lzma.LZMADecompressor().decompress(payload)  # behind which its size stands
    except lzma.LZMAError:
        return image
    return kernel if kernel.startswith(_ELF) and _ENTRY_NOTE in kernel else image


def _payload(image: bytes) -> bytes:
    """Empty where the image does not say where it is."""
    if len(image) < _PAYLOAD_AT + 8 or image[_MAGIC_AT : _MAGIC_AT + len(_MAGIC)] != _MAGIC:
        return b""
    if struct.unpack_from("<H", image, _VERSION_AT)[0] < _WITH_PAYLOAD:
        return b""
    offset, size = struct.unpack_from("<II", image, _PAYLOAD_AT)
    begin = (1 + (image[_SETUP_SECTORS_AT] or _USUAL_SECTORS)) * _SECTOR_BYTES + offset
    return image[begin : begin + size]

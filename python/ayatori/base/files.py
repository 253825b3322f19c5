"""Files and folders, whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ayatori import _core
from ayatori.base.errors import Error


def read_text(path: Path) -> str:
    """The text of a regular file or pipe, without a byte order mark.

    Bytes that are not UTF-8 become replacement characters.

    Raises Error, also for text in UTF-16, a file without an end (/dev/zero) and a pipe without a writer.
    """
    return _core.read_file(str(path)).decode("utf-8", errors="replace")


def write_bytes(path: Path, contents: bytes) -> None:
    """Replaces `path` by `contents`: a temporary file next to it, synced, renamed over it.

    Only regular files are replaced: a device, a pipe or a socket is an Error. A symbolic link stays, and the file that
    it leads to is replaced. It keeps its permissions; a new file has those that the umask allows.
    """
    _core.write_file(_regular(path), contents)


def check_can_be_written(path: Path) -> None:
    """Raises Error where write_bytes() would, for who works for minutes before."""
    folder = _regular(path).absolute().parent
    if not folder.is_dir():
        raise Error(f"can't write {path}: there is no folder {path.parent}")
    if not os.access(folder, os.W_OK):
        raise Error(f"can't write {path}: {os.strerror(errno.EACCES)}")


def _regular(path: Path) -> Path:
    """The file that a path leads to. Raises Error if something else than a regular file is there."""
    try:
        target = path.resolve() if path.is_symlink() else path
        mode = target.stat().st_mode
    except FileNotFoundError:
        return target
    except (OSError, RuntimeError) as error:
        raise Error(f"can't write {path}: {getattr(error, 'strerror', None) or error}") from error
    if stat.S_ISDIR(mode):
        raise Error(f"can't write {path}: it is a folder")
    if stat.S_ISREG(mode) and any(_is_open_as(stream, target) for stream in (1, 2)):
        # To replace it would lose what was printed, and what else the file has (`>> log`).
        raise Error(f"can't write {path}: what is printed goes there", hint="another name")
    if not stat.S_ISREG(mode):
        raise Error(f"can't write {path}: it is not a regular file", hint="another name; what prints goes to stdout")
    return target


def _is_open_as(descriptor: int, path: Path) -> bool:
    """Whether stdout (1) or stderr (2) is redirected to this file."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


def make_folder(folder: Path) -> None:
    """Makes `folder` and what it lies in, if it is not there yet."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Error(f"can't write {folder}: {error.strerror}") from error


def write_json(path: Path, value: Any) -> None:
    write_bytes(path, (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode())


def write_folder(folder: Path, fill: Callable[[Path], None]) -> None:
    """Lets `fill` write into a new folder next to `folder`, then puts its files in place.

    Whatever `fill` raises, `folder` stays as it was. A folder that exists keeps its other files.
    """
    import tempfile

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    except OSError as error:
        raise Error(f"can't write {folder}: {error.strerror}") from error
    try:
        fill(scratch)
        folder.mkdir(exist_ok=True)
        for file in scratch.iterdir():
            _regular(folder / file.name)
        for file in scratch.iterdir():
            if (folder / file.name).exists():
                shutil.copymode(folder / file.name, file)
            os.replace(file, folder / file.name)
    except OSError as error:
        raise Error(f"can't write {folder}: {error.strerror}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)

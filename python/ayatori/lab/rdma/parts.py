"""What a virtual machine is made of: a kernel with its modules and busybox, unpacked from Debian's packages."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ayatori.lab.rdma.kernel import unpacked
from ayatori.lab.rdma.modules import built_into, files_of, load_order
from ayatori.processes import ProgramError, find_program

# What the machine needs to see its disks, its network and its output; then verbs, and what disturbs them.
_MODULES = (
    *("virtio_pci", "virtio_console", "virtio_net", "9pnet_virtio", "9p", "overlay"),
    *("crc32_generic", "ib_uverbs", "rdma_rxe", "rdma_ucm", "sch_netem", "veth"),
)

_LAYOUT = "2"
"""Of the cache; another one when what is in it changes."""

_META_PACKAGE = "linux-image-amd64"
_KERNEL_PACKAGE = re.compile(r"linux-image-(\d[\w.+~-]*)-amd64$")
_FLAVOURS = ("-cloud", "-rt")

_DOWNLOAD_SECONDS = 600

PROGRAMS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "ip": "iproute2",
    "tc": "iproute2",
    "rdma": "iproute2",
}
"""The programs that this machine must have, and their packages."""

_PROVIDER = "librxe-rdmav*.so"
_PROVIDER_PACKAGE = "ibverbs-providers"


@dataclass(frozen=True)
class Parts:
    """Files in the cache."""

    kernel: Path
    busybox: Path
    modules: tuple[Path, ...]
    """In the order in which they are loaded."""


def missing_packages() -> list[str]:
    """The Debian packages that a machine needs and that are not installed here."""
    packages = []
    for program, package in PROGRAMS.items():
        try:
            find_program(program, package)
        except ProgramError:
            packages.append(package)
    if not any(Path("/usr/lib").glob(f"*/libibverbs/{_PROVIDER}")):
        packages.append(_PROVIDER_PACKAGE)
    return list(dict.fromkeys(packages))


def cache_folder() -> Path:
    """Where this user's programs keep what they can make again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ayatori"


def prepare_parts(cache: Path | None = None) -> Parts:
    """The parts from the cache; when it has none, they are downloaded from Debian's archive by apt-get first.

    Raises ProgramError if this machine is of another kind, or apt can't download them.
    """
    if platform.machine() != "x86_64":
        raise ProgramError(f"the machine is made for x86-64, and this is {platform.machine()}")
    whole = (cache or cache_folder()) / f"lab-rdma-{_LAYOUT}"
    if not (whole / "modules").is_dir():
        _fill(whole)
    modules = tuple(sorted((whole / "modules").iterdir()))
    return Parts(whole / "kernel", whole / "busybox", modules)


def _fill(whole: Path) -> None:
    """Makes the cache in a folder next to it, so that it is there whole or not at all."""
    whole.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=whole.parent, prefix=".lab-rdma-") as made:
        scratch = Path(made)
        try:
            kernel, busybox = _unpacked(Apt(scratch / "1"))
        except ProgramError:  # the system's lists of packages are missing, or older than the archive
            kernel, busybox = _unpacked(Apt(scratch / "2", own_lists=True))
        new = scratch / "whole"
        (new / "modules").mkdir(parents=True)
        (new / "kernel").write_bytes(unpacked(_only(kernel, "boot/vmlinuz-*").read_bytes()))
        shutil.copy(_only(busybox, "**/bin/busybox"), new / "busybox")
        for number, (name, data) in enumerate(load_order(_MODULES, files_of(kernel), built_into(kernel)).items()):
            (new / "modules" / f"{number:02}-{name}.ko").write_bytes(data)
        try:
            new.rename(whole)
        except OSError:
            if not (whole / "modules").is_dir():  # another process was faster otherwise
                raise


def _unpacked(apt: Apt) -> tuple[Path, Path]:
    return apt.unpack(kernel_package(apt)), apt.unpack("busybox-static")


def _only(folder: Path, pattern: str) -> Path:
    found = list(folder.glob(pattern))
    if len(found) != 1:
        raise ProgramError(f"the package in {folder} has {len(found)} files '{pattern}'; there must be one")
    return found[0]


def kernel_package(apt: Apt) -> str:
    """The kernel that the distribution itself would install, or the newest that there is."""
    chosen = [name for name in apt.dependencies(_META_PACKAGE) if _KERNEL_PACKAGE.match(name)]
    return chosen[0] if chosen else newest_kernel(apt.names("linux-image-"))


def newest_kernel(names: Sequence[str]) -> str:
    """The package with the highest version of those that are kernels for usual machines.

    Raises ProgramError if there is none.
    """
    kernels = [
        (tuple(map(int, re.findall(r"\d+", match[1]))), name)
        for name in names
        if (match := _KERNEL_PACKAGE.match(name)) and not match[1].endswith(_FLAVOURS)
    ]
    if not kernels:
        raise ProgramError("apt offers no kernel linux-image-*-amd64", hint="is this Debian, and is its archive there?")
    return max(kernels)[1]


class Apt:
    """apt as any user may call it, working in a folder that it makes."""

    def __init__(self, scratch: Path, *, own_lists: bool = False) -> None:
        """With `own_lists` it fetches new lists of packages for itself, else it uses the system's."""
        self._scratch = scratch
        self._options = ["-oAPT::Sandbox::User="]
        scratch.mkdir()
        if own_lists:
            for folder in ("lists/partial", "cache/archives/partial"):
                (scratch / folder).mkdir(parents=True)
            self._options += [f"-oDir::State::Lists={scratch}/lists", f"-oDir::Cache={scratch}/cache"]
            self._run(["apt-get", *self._options, "-q", "update"], "can't read the lists of Debian's packages")

    def names(self, beginning: str) -> list[str]:
        """The packages whose names begin so and that can be downloaded."""
        return self._run(["apt-cache", *self._options, "pkgnames", beginning], "can't ask apt for packages").split()

    def dependencies(self, package: str) -> list[str]:
        """Of the newest version of a package; none if there is no such package."""
        command = ["apt-cache", *self._options, "depends", package]
        try:
            text = self._run(command, "")
        except ProgramError:
            return []
        return re.findall(r"Depends: <?([^\s>]+)>?", text)

    def unpack(self, package: str) -> Path:
        """Downloads a package and unpacks it into a folder, which is returned. Nothing is installed."""
        folder = self._scratch / package
        folder.mkdir()
        self._run(
            ["apt-get", *self._options, "-q", "download", package],
            f"can't download Debian's package {package}",
            folder,
        )
        unpacked = folder / "files"
        for file in folder.glob("*.deb"):
            self._run(["dpkg-deb", "-x", file, unpacked], f"can't unpack {file.name}")
        return unpacked

    def _run(self, command: Sequence[str | Path], message: str, folder: Path | None = None) -> str:
        try:
            done = subprocess.run(
                command,
                cwd=folder or self._scratch,
                env=os.environ | {"LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_DOWNLOAD_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ProgramError(message, str(error), "is this Debian or Ubuntu, with its archive in reach?") from error
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if line.strip()]
            raise ProgramError(message, lines[-1] if lines else "", "is Debian's archive in reach? `apt-get update`")
        return done.stdout

"""What the virtual machine of `ayatori lab rdma` is made of: modules in order, the archive, QEMU's arguments."""

import io
import lzma
import os
import random
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from ayatori.lab.rdma import MachineSettings, Parts
from ayatori.lab.rdma import __main__ as lab_program
from ayatori.lab.rdma.console import Console
from ayatori.lab.rdma.initramfs import CharacterDevice, archive
from ayatori.lab.rdma.kernel import unpacked
from ayatori.lab.rdma.machine import (
    _remove_what_is_left,
    _run,
    command_script,
    guest_settings,
    qemu_arguments,
    require_memory,
    require_netem,
)
from ayatori.lab.rdma.modules import built_into, files_of, load_order, needed_by
from ayatori.lab.rdma.parts import newest_kernel
from ayatori.processes import Command, ProgramError
from subprocesses import said_by


def module(*needed: str) -> bytes:
    return b"\x7fELF...license=GPL\0depends=" + ",".join(needed).encode() + b"\0retpoline=Y\0"


def test_needed_by_reads_the_section_of_a_module() -> None:
    assert needed_by(module("ib_core", "udp_tunnel")) == ["ib_core", "udp_tunnel"]
    assert needed_by(module("ib-core")) == ["ib_core"]
    assert needed_by(module()) == []
    assert needed_by(b"\x7fELF, without the section") == []


@pytest.mark.parametrize("seed", range(30))
def test_load_order_has_each_module_once_after_all_that_it_needs(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    names = [f"m{i}" for i in range(draw.randint(1, 40))]
    needs = {name: draw.sample(names[:i], draw.randint(0, min(i, 4))) for i, name in enumerate(names)}
    for name in names:
        packed = draw.random() < 0.5
        data = module(*needs[name])
        (tmp_path / f"{name}.ko{'.xz' if packed else ''}").write_bytes(lzma.compress(data) if packed else data)
    built_in = draw.sample(names, draw.randint(0, len(names) // 3))
    wanted = draw.sample(names, draw.randint(1, len(names)))
    order = list(load_order(wanted, files_of(tmp_path), built_in))
    assert len(order) == len(set(order))
    assert not set(order) & set(built_in)
    for name in order:
        assert all(needed in built_in or order.index(needed) < order.index(name) for needed in needs[name])
    assert set(wanted) <= {*order, *built_in}


def test_load_order_names_the_module_that_is_missing(tmp_path: Path) -> None:
    (tmp_path / "rdma_rxe.ko").write_bytes(module("ib_core"))
    with pytest.raises(ProgramError, match="no module ib_core"):
        load_order(["rdma_rxe"], files_of(tmp_path))


def test_built_into_reads_the_list_of_the_kernel(tmp_path: Path) -> None:
    (tmp_path / "modules.builtin").write_text("kernel/drivers/virtio/virtio-ring.ko\nkernel/fs/9p/9p.ko\n")
    assert built_into(tmp_path) == ["virtio_ring", "9p"]


def test_newest_kernel_is_the_highest_version_of_a_usual_kernel() -> None:
    names = [
        *("linux-image-6.1.0-9-amd64", "linux-image-6.1.0-50-amd64", "linux-image-6.1.0-51-cloud-amd64"),
        *("linux-image-6.1.0-52-rt-amd64", "linux-image-6.1.0-53-amd64-unsigned", "linux-image-amd64-dbg"),
        *("linux-image-amd64", "linux-image-6.1.0-50-amd64-dbg", "linux-image-6.1.0-60-arm64"),
    ]
    assert newest_kernel(names) == "linux-image-6.1.0-50-amd64"
    assert newest_kernel([*names, "linux-image-6.12.9+deb12-amd64"]) == "linux-image-6.12.9+deb12-amd64"
    with pytest.raises(ProgramError, match="apt offers no kernel"):
        newest_kernel(["linux-image-amd64"])


@pytest.mark.skipif(shutil.which("bsdtar") is None and shutil.which("cpio") is None, reason="neither cpio nor bsdtar")
def test_archive_is_what_cpio_reads(tmp_path: Path) -> None:
    data = archive({"bin/tool": b"12345", "empty": b"", "a/b/c": b"x" * 4097})
    (tmp_path / "archive").write_bytes(data)
    reader = ["bsdtar", "-xf", "archive"] if shutil.which("bsdtar") else ["cpio", "-id", "-F", "archive"]
    subprocess.run(reader, cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "bin/tool").read_bytes() == b"12345"
    assert (tmp_path / "empty").read_bytes() == b""
    assert (tmp_path / "a/b/c").read_bytes() == b"x" * 4097


def read_back(data: bytes) -> dict[str, tuple[int, bytes, tuple[int, int]]]:
    """By the documented layout: 13 hexadecimal fields of 8 characters after the magic number, name, data."""
    found = {}
    at = 0
    while True:
        assert data[at : at + 6] == b"070701"
        fields = [int(data[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        name = data[at + 110 : at + 110 + fields[11] - 1].decode()
        start = -(-(at + 110 + fields[11]) // 4) * 4
        if name == "TRAILER!!!":
            return found
        found[name] = (fields[1], data[start : start + fields[6]], (fields[9], fields[10]))
        at = -(-(start + fields[6]) // 4) * 4


@pytest.mark.parametrize("seed", range(20))
def test_archive_holds_all_entries_and_their_folders(seed: int) -> None:
    draw = random.Random(seed)
    entries = {f"d{draw.randrange(3)}/e{draw.randrange(3)}/f{i}": draw.randbytes(draw.randrange(20)) for i in range(12)}
    found = read_back(archive({"dev/console": CharacterDevice(5, 1), **entries}))
    assert {name: data for name, (mode, data, _) in found.items() if mode & 0o170000 == 0o100000} == entries
    assert found["dev/console"][0] & 0o170000 == 0o020000 and found["dev/console"][2] == (5, 1)
    names = list(found)
    for name in names[1:]:
        if "/" in name:
            assert names.index(name.rpartition("/")[0]) < names.index(name), "a folder stands before what is in it"


def test_command_script_says_the_words_and_variables_as_they_are(tmp_path: Path) -> None:
    odd = "a b'c\"$d\n;`e`*"
    script = command_script(["printf", "%s|", odd, ""], tmp_path, {"ODD": odd, "not a name": "x", "BASH_FUNC_f%%": "y"})
    done = subprocess.run(["sh", "-c", script + "\n"], capture_output=True, text=True, check=True)
    assert done.stdout == f"{odd}||"
    shown = command_script(["sh", "-c", 'printf %s "$ODD"; pwd'], tmp_path, {"ODD": odd, "PATH": "/usr/bin:/bin"})
    assert said_by(["sh", "-c", shown]) == f"{odd}{tmp_path}\n"


def test_guest_settings_are_what_a_shell_reads_back(tmp_path: Path) -> None:
    text = guest_settings(MachineSettings(netem="loss 20% delay 1ms"), 1, tmp_path / "it's here", tmp_path / "command")
    (tmp_path / "settings").write_text(text)
    shown = ["sh", "-c", f'. {tmp_path}/settings; printf "%s\\n" "$host" "$hosts" "$netem" "$shared" "$command"']
    lines = said_by(shown).splitlines()
    assert lines == ["1", "1", "loss 20% delay 1ms", str(tmp_path / "it's here"), str(tmp_path / "command")]
    assert "shared=''" in guest_settings(MachineSettings(), 0, Path("/"), tmp_path)


def test_qemu_arguments_share_the_working_folder_alone_for_writing(tmp_path: Path) -> None:
    parts = Parts(Path("/cache/kernel"), Path("/cache/busybox"), ())
    words = qemu_arguments(parts, MachineSettings(cpus=3, memory_mib=700), 0, Path("/home/a,b"), tmp_path)
    shares = [word for word in words if word.startswith("local,")]
    assert [("readonly=on" in share, share.split("path=")[1].split(",security")[0]) for share in shares] == [
        (True, "/"),
        (False, "/home/a,,b"),
    ]
    assert words[words.index("-smp") + 1] == "3" and words[words.index("-m") + 1] == "700"
    assert "-netdev" not in words
    at_root = qemu_arguments(parts, MachineSettings(), 0, Path("/"), tmp_path)
    assert [word for word in at_root if word.startswith("local,")] == shares[:1]


def test_qemu_arguments_of_two_hosts_are_the_two_ends_of_the_same_cables(tmp_path: Path) -> None:
    parts = Parts(Path("/cache/kernel"), Path("/cache/busybox"), ())
    ends = [
        [w for w in qemu_arguments(parts, MachineSettings(hosts=2), host, tmp_path, tmp_path) if w.startswith("stream")]
        for host in range(2)
    ]
    assert [end.replace("server=on", "server=off") for end in ends[0]] == ends[1]
    assert all("server=on" in end for end in ends[0])


def test_require_memory_says_how_much_is_missing() -> None:
    require_memory(MachineSettings(hosts=2, memory_mib=512), 1424)
    with pytest.raises(ProgramError, match="need 1424 MiB of memory, and 1423 MiB are free"):
        require_memory(MachineSettings(hosts=2, memory_mib=512), 1423)


def test_folders_of_processes_that_were_killed_are_removed(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    names = [f"ayatori-lab-{ended.pid}-x", f"ayatori-lab-{os.getpid()}-x", "ayatori-lab-mine-x", "other"]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    _remove_what_is_left(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])


def image_of(payload: bytes, version: int = 0x20F, sectors: int = 0) -> bytes:
    """A kernel as its boot loader gets it: code of so many sectors (0: 4), of which nothing runs here, and the rest."""
    image = bytearray(512 * (1 + (sectors or 4)) + 32)
    image[0x1F1] = sectors
    image[0x202:0x206] = b"HdrS"
    struct.pack_into("<H", image, 0x206, version)
    struct.pack_into("<II", image, 0x248, 32, len(payload))
    return bytes(image) + payload + b"what follows"


STARTS_ALONE = b"\x7fELF" + b"code" * 9 + struct.pack("<III", 4, 8, 18) + b"Xen\0" + bytes(8)


@pytest.mark.parametrize("sectors", [0, 2, 31])
def test_a_kernel_is_unpacked_where_qemu_can_start_it(sectors: int) -> None:
    packed = lzma.compress(STARTS_ALONE) + struct.pack("<I", len(STARTS_ALONE))
    assert unpacked(image_of(packed, sectors=sectors)) == STARTS_ALONE


@pytest.mark.parametrize(
    "image",
    [
        image_of(lzma.compress(STARTS_ALONE[:40])),
        image_of(lzma.compress(STARTS_ALONE[4:])),
        image_of(lzma.compress(STARTS_ALONE), version=0x207),
        image_of(lzma.compress(STARTS_ALONE)[:6] + b"broken"),
        image_of(b"by another program"),
        image_of(lzma.compress(STARTS_ALONE)).replace(b"HdrS", b"Hdrs"),
        STARTS_ALONE,
        b"",
    ],
)
def test_any_other_kernel_is_left_as_it_is(image: bytes) -> None:
    assert unpacked(image) == image


def test_words_that_tc_does_not_know_are_refused_before_a_guest_is_started() -> None:
    for words in ("", "delay 1ms", "loss 20% delay 1ms 500us reorder 25% 50%"):
        require_netem(words)
    with pytest.raises(ProgramError, match="a guest can't be set up") as error:
        require_netem("delay 1ms lose 20%")
    assert error.value.cause == "tc does not take 'netem delay 1ms lose 20%': What is \"lose\"?"


SAYS = "import socket, sys, time; s = socket.socket(socket.AF_UNIX); s.connect('host0/told'); s.sendall(WORDS); LAST"


@pytest.mark.parametrize(
    ("words", "last", "message"),
    [
        (b"failed Soft-RoCE sleeps\n", "time.sleep(100)", "a guest can't be set up: Soft-RoCE sleeps"),
        (b"booting\n", "sys.exit('no memory left')", "a guest ended before its command: no memory left"),
    ],
)
def test_a_guest_that_fails_says_why(tmp_path: Path, words: bytes, last: str, message: str) -> None:
    program = SAYS.replace("WORDS", repr(words)).replace("LAST", last)
    with Console([tmp_path / "host0"], io.BytesIO(), io.BytesIO()) as console, pytest.raises(ProgramError) as error:
        _run([Command([sys.executable, "-c", program], os.environ)], tmp_path, console)
    assert f"{error.value}: {error.value.cause}" == message


def test_programs_of_tests_are_skipped_where_memory_is_short(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ayatori.lab.rdma.machine.available_memory_mib", lambda: 1200)
    monkeypatch.setattr("ayatori.lab.rdma.__main__.missing_packages", list)
    monkeypatch.setattr(sys, "argv", ["lab.rdma", "true"])
    assert lab_program.main() == lab_program.SKIPPED
    assert capsys.readouterr().out == "skipped: the guests need 1224 MiB of memory, and 1200 MiB are free\n"

"""Whatever is wrong with a file: one line that names it, exit 1, nothing written. What needs no file of its own is in
snapshots/wrong-input.txt and wrong-usage.txt."""

from pathlib import Path

import pytest

PAPER = "fattree:K=6,levels=2,nodes=30"


@pytest.fixture
def fabric_file(tmp_path: Path, ayatori_command) -> Path:
    path = tmp_path / "fabric.txt"
    ayatori_command("convert", "fattree:K=2,levels=2", "--to", "ibnetdiscover", "--out", str(path)).good()
    return path


def test_truncated_file(fabric_file: Path, ayatori_command) -> None:
    """Cut at every twentieth byte: never a smaller fabric, never a crash."""
    text = fabric_file.read_bytes()
    whole = ayatori_command("show", f"ib:{fabric_file}", "--json").stdout
    for length in range(0, len(text) - 2, max(1, len(text) // 20)):
        fabric_file.write_bytes(text[:length])
        outcome = ayatori_command("show", f"ib:{fabric_file}", "--json")
        if outcome.status == 0:
            assert outcome.stdout == whole
        else:
            outcome.refused(1, str(fabric_file))


def test_binary_file(tmp_path: Path, ayatori_command) -> None:
    path = tmp_path / "binary"
    path.write_bytes(bytes(range(256)) * 64)
    ayatori_command("show", f"ib:{path}").refused(1, f"{path}:1:")


def test_program_messages_in_a_report_are_shown_as_warnings(fabric_file: Path, ayatori_command) -> None:
    whole = ayatori_command("show", f"ib:{fabric_file}", "--json").stdout
    message = "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1 Attr 0x11:0) bad status 110; Connection timed out"
    fabric_file.write_text(f"{message}\n{fabric_file.read_text()}")
    outcome = ayatori_command("show", f"ib:{fabric_file}", "--json")
    assert (outcome.status, outcome.stdout) == (0, whole)
    assert outcome.stderr.splitlines() == [
        f'warning: {fabric_file}:1: skipped, not a part of the report: "{message}"',
        f"warning: {fabric_file}: devices did not answer when this report was made: "
        "a part of the fabric may be missing",
    ]


def test_control_characters_in_messages_are_escaped(tmp_path: Path, ayatori_command) -> None:
    path = tmp_path / "topology.conf"
    path.write_text("SwitchName=a Nodes=n1 LinkSpeed=\x1b[31mred\n")
    outcome = ayatori_command("show", f"slurm:{path}")
    outcome.refused(1, "\\x1b[31mred")
    assert "\x1b" not in outcome.stderr


def test_empty_file(tmp_path: Path, ayatori_command) -> None:
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    ayatori_command("show", f"ib:{empty}").refused(1, str(empty))


def test_cable_to_an_unknown_node(fabric_file: Path, ayatori_command) -> None:
    text = fabric_file.read_text()
    first_host = next(word for word in text.split('"') if word.startswith("H-"))
    fabric_file.write_text(text.replace(f'"{first_host}"', '"H-00000000deadbeef"', 1))
    ayatori_command("show", f"ib:{fabric_file}").refused(1, f"{fabric_file}:", "deadbeef")


def test_duplicate_guid(fabric_file: Path, ayatori_command) -> None:
    text = fabric_file.read_text()
    record = text[text.index("caguid") :].split("\n\n")[0]
    fabric_file.write_text(text + "\n" + record + "\n")
    ayatori_command("show", f"ib:{fabric_file}").refused(1, str(fabric_file))


def test_host_not_in_the_fabric(tmp_path: Path, ayatori_command) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("N0\nN1\nN77\n")
    ayatori_command("plan", PAPER, "--job", str(hosts)).refused(1, f"{hosts}:3:", "N77")


def test_bad_hostfiles(tmp_path: Path, ayatori_command) -> None:
    hosts = tmp_path / "hosts"
    for text in ("", "# nothing\n", "N[0-\n", "N0 slots=none\n", "N0:0\n", "\0\1\2"):
        hosts.write_text(text)
        ayatori_command("plan", PAPER, "--job", str(hosts)).refused(1, str(hosts))


def test_table_with_a_port_that_does_not_exist(tmp_path: Path, ayatori_command) -> None:
    ayatori_command("route", PAPER, "--out-dir", str(tmp_path / "tables")).good()
    lfts = tmp_path / "tables" / "lfts"
    lines = lfts.read_text().splitlines()
    broken = next(i for i, line in enumerate(lines) if line.startswith("0x"))
    lid, _, rest = lines[broken].split(" ", 2)
    lines[broken] = f"{lid} 077 {rest}"
    lfts.write_text("\n".join(lines))
    ayatori_command("check", PAPER, "--lfts", str(lfts)).refused(1, f"{lfts}:{broken + 1}:", "77")
    for text in ("", "hello\n", "\0" * 100):
        lfts.write_text(text)
        ayatori_command("check", PAPER, "--lfts", str(lfts)).refused(1, str(lfts))


def test_nothing_written_where_it_can_not_be(tmp_path: Path, ayatori_command) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    ayatori_command("route", PAPER, "--out-dir", str(file / "tables")).refused(1, str(file))
    assert file.read_text() == "mine"


def test_exports_that_can_not_say_it(tmp_path: Path, ayatori_command) -> None:
    """Back to back, at a rate that nobody tells."""
    fabric = tmp_path / "pair.txt"
    fabric.write_text(
        'caguid=0x10\nCa\t1 "H-0000000000000010"\t\t# "a mlx5_0"\n'
        '[1](11) \t"H-0000000000000020"[1] (21) \t\t# lid 1 lmc 0 "b mlx5_0" lid 2 ?????\n\n'
        'caguid=0x20\nCa\t1 "H-0000000000000020"\t\t# "b mlx5_0"\n'
        '[1](21) \t"H-0000000000000010"[1] (11) \t\t# lid 2 lmc 0 "a mlx5_0" lid 1 ?????\n'
    )
    out = tmp_path / "out"
    ayatori_command("convert", f"ib:{fabric}", "--to", "simgrid", "--out", str(out)).refused(1, "rate", "port 1")
    ayatori_command("convert", f"ib:{fabric}", "--to", "svg", "--out", str(out)).refused(1, "no router")
    assert not out.exists()


def test_sizes_of_pairs_are_for_jobs_of_one_size(tmp_path: Path, ayatori_command) -> None:
    sizes = tmp_path / "sizes"
    sizes.write_text("0 1 100\n")
    call = ("--collective", "alltoallv", "--algorithm", "shift", "--sizes", str(sizes))
    ayatori_command("simulate", PAPER, "--contiguous", "3..4", *call).refused(1, "from 3 to 4")


MARK = b"\xef\xbb\xbf"
"""At the beginning of text in UTF-8, as editors of Windows write it."""


def test_a_byte_order_mark_and_line_ends_of_windows_change_nothing(tmp_path: Path, ayatori_command) -> None:
    tree = "fattree:K=2,levels=2"
    texts = {
        "hosts": "N1\nN2\nN3\n",
        "pattern": "0 1\n1 2\n2 0\n",
        "cluster": '[planes.ib]\nrate = "4xHDR"\n'
        '[[switches]]\nname = "switch"\nplane = "ib"\n[[hosts]]\nname = "host[1-4]"\nlinks = [{ to = "switch" }]\n',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    for kind in ("json", "ibnetdiscover", "slurm"):
        ayatori_command("convert", tree, "--to", kind, "--out", kind, cwd=tmp_path)
    ayatori_command("route", tree, "--out-dir", "tables", cwd=tmp_path)
    ayatori_command("plan", tree, "--job", "hosts", "--out", "plan", cwd=tmp_path)
    commands = [
        *(["show", source] for source in ("cluster:cluster", "slurm:slurm", "json:json", "ib:ibnetdiscover")),
        ["check", tree, "--job", "hosts", "--pattern", "pattern", "--lfts", "tables/lfts"],
        ["check", tree, "--jobs", "plan"],
        ["check", tree, "--plan", "plan"],
    ]
    plain = [ayatori_command(*command, cwd=tmp_path) for command in commands]
    assert [outcome.status for outcome in plain] == [0] * len(commands), plain
    for file in (*(path for path in tmp_path.iterdir() if path.is_file()), tmp_path / "tables" / "lfts"):
        file.write_bytes(MARK + file.read_bytes().replace(b"\n", b"\r\n"))
    assert [ayatori_command(*command, cwd=tmp_path) for command in commands] == plain


def test_utf_16_is_named(tmp_path: Path, ayatori_command) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("host1\r\n", encoding="utf-16")
    for arguments in (["show", f"json:{hosts}"], ["check", PAPER, "--job", str(hosts)]):
        ayatori_command(*arguments).refused(1, f"{hosts}: its text is in UTF-16, not in UTF-8", "iconv")

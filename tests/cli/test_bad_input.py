"""Whatever is wrong with the input: one line that names it, exit 1, nothing written; wrong usage: exit 2."""

from pathlib import Path

import pytest

PAPER = "fattree:K=6,levels=2,nodes=30"


@pytest.fixture
def fabric_file(tmp_path: Path, ayatori_command) -> Path:
    path = tmp_path / "fabric.txt"
    ayatori_command("convert", "fattree:K=2,levels=2", "--to", "ibnetdiscover", "--out", str(path)).good()
    return path


def assert_wrong_usage(outcome, *parts: str) -> None:
    assert_refused(outcome, *parts, status=2)


def assert_refused(outcome, *parts: str, status: int = 1) -> None:
    assert outcome.status == status, outcome
    assert outcome.stdout == ""
    lines = outcome.stderr.splitlines()
    assert lines[0].startswith("error: "), outcome.stderr
    assert all(line.startswith(("caused by: ", "hint: ")) for line in lines[1:]), outcome.stderr
    for part in parts:
        assert part in outcome.stderr, outcome.stderr


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
            assert_refused(outcome, str(fabric_file))


def test_binary_file(tmp_path: Path, ayatori_command) -> None:
    path = tmp_path / "binary"
    path.write_bytes(bytes(range(256)) * 64)
    assert_refused(ayatori_command("show", f"ib:{path}"), f"{path}:1:")


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
    assert_refused(outcome, "\\x1b[31mred")
    assert "\x1b" not in outcome.stderr


@pytest.mark.parametrize("source", ["ib:/dev/zero", "json:/dev/zero", "slurm:/dev/zero", "lldp:/dev/zero"])
def test_endless_files(source: str, ayatori_command) -> None:
    assert_refused(ayatori_command("show", source), "/dev/zero: it is neither a regular file nor a pipe")


def test_endless_job_file(ayatori_command) -> None:
    assert_refused(ayatori_command("check", PAPER, "--job", "/dev/zero"), "/dev/zero")


def test_empty_and_missing_files(tmp_path: Path, ayatori_command) -> None:
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    assert_refused(ayatori_command("show", f"ib:{empty}"), str(empty))
    assert_refused(ayatori_command("show", f"ib:{tmp_path}/missing"), "No such file")
    assert_refused(ayatori_command("show", f"ib:{tmp_path}"), "folder")


def test_cable_to_an_unknown_node(fabric_file: Path, ayatori_command) -> None:
    text = fabric_file.read_text()
    first_host = next(word for word in text.split('"') if word.startswith("H-"))
    fabric_file.write_text(text.replace(f'"{first_host}"', '"H-00000000deadbeef"', 1))
    assert_refused(ayatori_command("show", f"ib:{fabric_file}"), f"{fabric_file}:", "deadbeef")


def test_duplicate_guid(fabric_file: Path, ayatori_command) -> None:
    text = fabric_file.read_text()
    record = text[text.index("caguid") :].split("\n\n")[0]
    fabric_file.write_text(text + "\n" + record + "\n")
    assert_refused(ayatori_command("show", f"ib:{fabric_file}"), str(fabric_file))


BAD_SOURCES = [
    "",
    "nonsense",
    "what:4",
    "fattree:",
    "fattree:K=0",
    "fattree:K=6,levels=2,nodes=99999",
    "fattree:K=6,x=1",
    "fattree:K=99999999,levels=9",
    "torus:0x4",
    "torus:4x-1",
    "xgft:h=2;m=1",
    "full:0",
]


@pytest.mark.parametrize("source", BAD_SOURCES)
def test_bad_source(source: str, ayatori_command) -> None:
    assert_refused(ayatori_command("show", source))


def test_host_not_in_the_fabric(tmp_path: Path, ayatori_command) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("N0\nN1\nN77\n")
    assert_refused(ayatori_command("plan", PAPER, "--job", str(hosts)), f"{hosts}:3:", "N77")


def test_bad_hostfiles(tmp_path: Path, ayatori_command) -> None:
    hosts = tmp_path / "hosts"
    for text in ("", "# nothing\n", "N[0-\n", "N0 slots=none\n", "N0:0\n", "\0\1\2"):
        hosts.write_text(text)
        assert_refused(ayatori_command("plan", PAPER, "--job", str(hosts)), str(hosts))


def test_job_larger_than_the_fabric(ayatori_command) -> None:
    assert_refused(ayatori_command("plan", PAPER, "--random-jobs", "1", "--job-size", "31"), "31", "30")
    assert_refused(ayatori_command("check", PAPER, "--contiguous", "3..40"), "30")


@pytest.mark.parametrize("lmc", ["8", "-1", "x", "99999999999999"])
def test_lmc_out_of_range(lmc: str, ayatori_command) -> None:
    assert_wrong_usage(ayatori_command("route", PAPER, f"--lmc={lmc}"), "LMC")


def test_lmc_that_does_not_fit(tmp_path: Path, ayatori_command) -> None:
    out = tmp_path / "out"
    refused = ayatori_command("route", "fattree:K=18,levels=3", "--lmc", "5", "--out-dir", str(out))
    assert_refused(refused, "LMC 5", "LMC that fits")
    assert list(tmp_path.iterdir()) == []


def test_table_with_a_port_that_does_not_exist(tmp_path: Path, ayatori_command) -> None:
    ayatori_command("route", PAPER, "--out-dir", str(tmp_path / "tables")).good()
    lfts = tmp_path / "tables" / "lfts"
    lines = lfts.read_text().splitlines()
    broken = next(i for i, line in enumerate(lines) if line.startswith("0x"))
    lid, _, rest = lines[broken].split(" ", 2)
    lines[broken] = f"{lid} 077 {rest}"
    lfts.write_text("\n".join(lines))
    assert_refused(ayatori_command("check", PAPER, "--lfts", str(lfts)), f"{lfts}:{broken + 1}:", "77")
    for text in ("", "hello\n", "\0" * 100):
        lfts.write_text(text)
        assert_refused(ayatori_command("check", PAPER, "--lfts", str(lfts)), str(lfts))


def test_nothing_written_where_it_can_not_be(tmp_path: Path, ayatori_command) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    assert_refused(ayatori_command("route", PAPER, "--out-dir", str(file / "tables")), str(file))
    assert_refused(ayatori_command("convert", PAPER, "--to", "ibsim", "--out", str(tmp_path / "no" / "folder")), "no")
    assert file.read_text() == "mine"


def test_options_that_make_no_sense(ayatori_command) -> None:
    assert_wrong_usage(ayatori_command("plan", PAPER, "--random-jobs", "3"), "--job-size")
    assert_wrong_usage(ayatori_command("plan", PAPER, "--random-jobs", "0", "--job-size", "3"))
    assert_wrong_usage(ayatori_command("plan", PAPER, "--contiguous", "5..3"), "5..3")
    assert_wrong_usage(ayatori_command("plan", PAPER, "--contiguous", "3..5", "--method", "magic"), "magic")
    assert_wrong_usage(ayatori_command("show", PAPER, "--no-such-option"), "no-such-option")
    assert_wrong_usage(ayatori_command("convert", PAPER, "--to", "powerpoint"), "powerpoint", "formats: ")
    assert_wrong_usage(ayatori_command("convert", PAPER, "--to", "cache"), "--out")
    assert_wrong_usage(ayatori_command("show", PAPER, "--diff", PAPER, "--svg", "x.svg"), "--diff", "--svg")


@pytest.mark.parametrize("other", ["", "nonsense", "what:4", "torus:0", "ib:/no/such"])
def test_difference_to_what_does_not_exist(other: str, ayatori_command) -> None:
    assert_refused(ayatori_command("show", "torus:4x4", "--diff", other), other.split(":")[-1])


def test_difference_to_a_cache_that_is_not_there(ayatori_command) -> None:
    assert_refused(ayatori_command("show", "torus:4x4", "--diff", "cache:/no/such"), "/no/such")


def test_pictures_that_can_not_be(tmp_path: Path, ayatori_command) -> None:
    assert_refused(ayatori_command("show", PAPER, "--svg", str(tmp_path / "no" / "folder.svg")), "no")
    assert list(tmp_path.iterdir()) == []


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
    assert_refused(ayatori_command("convert", f"ib:{fabric}", "--to", "simgrid", "--out", str(out)), "rate", "port 1")
    assert_refused(ayatori_command("convert", f"ib:{fabric}", "--to", "svg", "--out", str(out)), "no router")
    assert not out.exists()


BAD_SIMULATIONS = {
    "--contiguous 3..3 --root 5000000000": ("root 5000000000",),
    "--contiguous 3..3 --root -1": ("root -1",),
    "--contiguous 3..3 --root 3": ("root 3 of 3 ranks",),
    "--contiguous 3..3 --ppn 5000000000": ("--ppn 5000000000 is out of range",),
    "--contiguous 3..3 --chunk 1KiB": ("shift", "not a pipeline"),
    "--contiguous 3..3 --bytes 0": ("nothing to send",),
    "--random-jobs 99999999999 --job-size 3": ("99999999999",),
    "--random-jobs 2 --job-size -1": ("--job-size -1 is out of range",),
    "--contiguous 3..3 --collective alltoallv": ("alltoallv needs a size for each pair", "--sizes"),
    "--contiguous 3..3 --sizes /no/such": ("/no/such",),
}


WRONG_USAGE = {
    "--contiguous 3..3 --ppn 5000000000",
    "--random-jobs 99999999999 --job-size 3",
    "--random-jobs 2 --job-size -1",
    "--contiguous 3..3 --collective alltoallv",
}
"""Those of them that no input could make right."""


@pytest.mark.parametrize("options", BAD_SIMULATIONS)
def test_simulations_that_make_no_sense(options: str, ayatori_command) -> None:
    call = ("--collective", "alltoall", "--algorithm", "shift", "--bytes", "1KiB")
    status = 2 if options in WRONG_USAGE else 1
    outcome = ayatori_command("simulate", PAPER, *call, *options.split())
    assert_refused(outcome, *BAD_SIMULATIONS[options], status=status)


def test_sizes_of_pairs_are_for_jobs_of_one_size(tmp_path: Path, ayatori_command) -> None:
    sizes = tmp_path / "sizes"
    sizes.write_text("0 1 100\n")
    call = ("--collective", "alltoallv", "--algorithm", "shift", "--sizes", str(sizes))
    assert_refused(ayatori_command("simulate", PAPER, "--contiguous", "3..4", *call), "from 3 to 4")


@pytest.mark.parametrize("sizes", ["0", "", "1KiB..", "8..4", "1,,2", "-4", "1.5", "9999999999GiB", "1KiB..2KiB..4KiB"])
def test_sizes_to_choose_for_that_can_not_be(sizes: str, ayatori_command) -> None:
    job = ("--contiguous", "3..3", "--collective", "alltoall")
    assert_wrong_usage(ayatori_command("choose", PAPER, *job, f"--bytes={sizes}"))


def test_choices_that_make_no_sense(tmp_path: Path, ayatori_command) -> None:
    job = (PAPER, "--contiguous", "3..3")
    out = tmp_path / "no" / "table.json"
    slow = ("--overhead", "1us")
    assert_wrong_usage(ayatori_command("choose", *job, "--collective", "alltoall,dance"), "dance", "collectives: ")
    assert_wrong_usage(ayatori_command("choose", *job, "--collective", "alltoall,alltoallv"), "alltoallv", "--sizes")
    assert_wrong_usage(ayatori_command("choose", *job, "--collective", "alltoall", "--method", "magic", *slow), "magic")
    assert_refused(ayatori_command("choose", *job, "--collective", "alltoall", *slow, "--out", str(out)), str(out))
    assert list(tmp_path.iterdir()) == []


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
        assert_refused(ayatori_command(*arguments), f"{hosts}: its text is in UTF-16, not in UTF-8", "iconv")

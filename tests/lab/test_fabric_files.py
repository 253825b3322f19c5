"""What the fabric lab reads: fabrics, OpenSM's log, tables, and ibdmchk's verdict, from captured snippets."""

from pathlib import Path

import pytest

from ayatori.lab.fabric import PathCheck, ProgramError, parse_guid2lid, parse_lfts
from ayatori.lab.fabric.ibdmchk import different_paths, format_fdbs, format_links, parse_ibdmchk
from ayatori.lab.fabric.net_file import parse_net_file
from ayatori.lab.fabric.opensm_log import GrowingLog, few, parse_opensm_log
from ayatori.lab.fabric.tables import complete_lfts, parse_mad_bytes

NET = """\
# Topology file
vendid=0x2c9
switchguid=0x200000(200000)
Switch\t4 "S-0000000000200000"\t\t# "leaf 0" enhanced port 0 lid 2 lmc 0
[1]\t"H-0000000000100000"[1](100001) \t\t# "host 0" lid 1 4xNDR
# a comment
[2]\t"H-0000000000100010"[2](100012) \t\t# "host 1" lid 7 4xNDR

caguid=0x100000
Ca\t1 "H-0000000000100000"\t\t# "host 0"
[1](100001) \t"S-0000000000200000"[1]\t\t# lid 1 lmc 0 "leaf 0" lid 2 4xNDR

Ca\t2 "H-0000000000100010"\t\t# "host 1"
[2](100012) \t"S-0000000000200000"[2]\t\t# lid 7 lmc 0 "leaf 0" lid 2 4xNDR
"""


def test_a_fabric_has_its_sizes_and_a_host() -> None:
    net = parse_net_file(NET)
    assert (len(net.nodes), net.switches, net.ports, net.end_ports) == (3, 1, 5 + 2 + 3, 2)
    assert net.host() == "H-0000000000100000"
    assert net.unreachable_from(net.host()) == []


def test_a_host_has_a_link_and_a_name_that_can_be_asked_for() -> None:
    alone = 'Ca 1 "alone"\n\n'
    pair = f'Switch 2 "S"\n[1] "{"h" * 32}"[1]\n\nCa 1 "{"h" * 32}"\n[1] "S"[1]\n'
    assert parse_net_file(alone + pair).host() == "S"
    with pytest.raises(ProgramError, match="no node for the subnet manager"):
        parse_net_file(alone).host()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n" + "x" * 255, "line 2 of the fabric is 255 bytes long"),
        (f'Ca 1 "{"é" * 33}"\n', "line 1 of the fabric has a long node id"),
        (f'Ca 1 "a" # "{"d" * 64}"\n', "line 1 of the fabric has a long node description"),
        ('Ca 1 "a#b"\n', "line 1 of the fabric has a node id with '#' or '@'"),
        ('Ca 1 "a"\n[1] "@b"\n', "line 2 of the fabric has a node id with '#' or '@'"),
        ('Ca 2 "a"\n[1] "b"[1]\nCa 1 "b"\n', "line 3 of the fabric follows a node's ports without an empty line"),
        ('Ca 1 "a"\n\n [1] "b"[1]\n', "line 3 of the fabric is a port without a node"),
        ('Ca 1 "a"\n[1] "b"[1]\n[2] "b"[2]\n', "line 3 of the fabric is a port without a node"),
        ('Ca 1 "a"\n[one] "b"[1]\n', "line 2 of the fabric is not a port"),
        ('Ca "a"\n', "line 1 of the fabric is not a node"),
        ('Ca 1 "a"\n\nCa 1 "a"\n', 'line 3 of the fabric repeats the node id "a"'),
        ('include "other"\n', "line 1 of the fabric begins with 'include '"),
    ],
)
def test_what_ibsim_would_lose_is_an_error(text: str, message: str) -> None:
    with pytest.raises(ProgramError) as error:
        parse_net_file(text)
    assert error.value.message == message


def test_what_ibsim_just_takes_is_no_error() -> None:
    longest = f'{"x" * 254}\nCa 1 "{"i" * 64}" # "{"d" * 63}"\n\n'
    parse_net_file(f'{longest}Switch 1 "s" # {"d" * 63} base port 0 lid 1 lmc 0\n')


LOG_OF_MINHOP = """\
Nov 21 08:00:28 517000 [F8A9F740] 0x03 -> OpenSM 3.3.23
Nov 21 08:00:28 525500 [F5A986C0] 0x04 -> ucast_mgr_route: building routing with 'minhop' routing algorithm...
Nov 21 08:00:28 525570 [F5A986C0] 0x02 -> osm_ucast_mgr_process: minhop tables configured on all switches
Nov 21 08:00:28 528081 [F5A986C0] 0x02 -> SUBNET UP

*************************** SUBNET UP ****************************
"""

LOG_OF_FTREE = """\
Nov  1 08:10:18 095170 [6438740] 0x01 -> setup_routing_engines: Failed to setup routing engine 'no_fallback'
Nov  1 08:10:18 384000 [34316C0] 0x04 -> ucast_mgr_route: building routing with 'ftree' routing algorithm...
Nov  1 08:10:18 385066 [34316C0] 0x01 -> fabric_mark_leaf_switches: ERR AB26: CN port is connected to a root
Nov  1 08:10:18 385083 [34316C0] 0x02 -> Fabric topology is not a fat-tree
Nov  1 08:10:18 385436 [34316C0] 0x01 -> ucast_mgr_route: ftree: cannot build lid matrices
Nov  1 08:10:18 385442 [34316C0] 0x01 -> osm_ucast_mgr_process: No routing engine able to successfully configure  ...
"""

LOG_OF_FALLBACK = """\
Nov 21 08:00:28 587252 [2AA156C0] 0x04 -> ucast_mgr_route: building routing with 'ftree' routing algorithm...
Nov 21 08:00:28 595576 [2AA156C0] 0x02 -> LMC > 0 is not supported by fat-tree routing.
Nov 21 08:00:28 595579 [2AA156C0] 0x01 -> ucast_mgr_route: ftree: cannot build lid matrices
Nov 21 08:00:28 595580 [2AA156C0] 0x04 -> ucast_mgr_route: building routing with 'minhop' routing algorithm...
Nov 21 08:00:28 595629 [2AA156C0] 0x02 -> osm_ucast_mgr_process: minhop tables configured on all switches
Nov 21 08:00:28 597107 [2AA156C0] 0x02 -> SUBNET UP
"""

LOG_OF_FILE = """\
Nov 21 08:09:05 853000 [849B86C0] 0x04 -> ucast_mgr_route: building routing with 'file' routing algorithm...
Nov 21 08:09:05 853633 [849B86C0] 0x04 -> do_ucast_file_load: cannot find switch 0000000000999901
Nov 21 08:09:05 853640 [849B86C0] 0x81 -> do_ucast_file_load: ERR 6302: Can't open ucast dump file
Nov 21 08:09:05 853700 [849B86C0] 0x01 -> ucast_mgr_route: file: cannot build fwd tables
"""


def test_a_log_tells_who_routed() -> None:
    log = parse_opensm_log(LOG_OF_MINHOP)
    assert (log.engine, log.up, log.refusal, log.errors, log.warnings) == ("minhop", True, "", (), ())


def test_a_log_tells_why_an_engine_gave_up() -> None:
    refused, fell_back, unread = map(parse_opensm_log, (LOG_OF_FTREE, LOG_OF_FALLBACK, LOG_OF_FILE))
    assert (refused.engine, refused.up) == (None, False)
    assert refused.refusal == "fabric_mark_leaf_switches: ERR AB26: CN port is connected to a root"
    assert not any("no_fallback" in line for line in refused.errors)
    assert (fell_back.engine, fell_back.up) == ("minhop", True)
    assert fell_back.refusal == "LMC > 0 is not supported by fat-tree routing."
    assert unread.refusal == "do_ucast_file_load: ERR 6302: Can't open ucast dump file"
    assert unread.warnings == ("do_ucast_file_load: cannot find switch 0000000000999901",)


def test_many_lines_become_few() -> None:
    assert few(["same"] * 20) == ("same",)
    assert few(str(number) for number in range(13))[-2:] == ("9", "... and 3 more")


def test_a_growing_log_gives_whole_lines_once(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = GrowingLog(path)
    assert log.new_lines() == []
    with path.open("w") as file:
        for text, expected in (("one\ntw", ["one"]), ("o\n", ["two"]), ("", [])):
            file.write(text)
            file.flush()
            assert log.new_lines() == expected


LFTS_OF_OPENSM = """\
Unicast lids [0-11] of switch Lid 2 guid 0x0000000000200000 ('leaf 0'):
0x0001 001 # Channel Adapter portguid 0x0000000000100001: 'host 0'
0x0040 002 # Switch portguid 0x0000000000300000: 'root 0'
11 lids dumped
"""

LFTS_OF_DUMP_FTS = """\
Unicast lids [0x0-0x40] of switch DR path slid 0; dlid 0; 0,1,3 guid 0x0000000000200000 (leaf 0):
  Lid  Out   Destination
       Port     Info 
0x0001 001 : (Channel Adapter portguid 0x0000000000100001: 'host 0')
1 valid lids dumped 
Unicast lids [0x0-0x41] of switch DR path slid 0; dlid 0; 0,1 guid 0x0000000000200001 (leaf 1):
  Lid  Out   Destination
       Port     Info 
0x0041 004 : (path #2 out of 2: portguid 0x0000000000100001)
1 valid lids dumped 
"""


def test_tables_of_both_kinds_are_read() -> None:
    assert parse_lfts(LFTS_OF_OPENSM) == {0x200000: {1: 1, 0x40: 2}}
    assert parse_lfts(LFTS_OF_DUMP_FTS) == {0x200000: {1: 1}, 0x200001: {0x41: 4}}


def test_the_entry_that_dump_fts_forgets_is_added() -> None:
    asked = []

    def read_block(path: str, block: int) -> list[int]:
        asked.append((path, block))
        return [2] + [255] * 63

    assert parse_lfts(complete_lfts(LFTS_OF_DUMP_FTS, read_block)) == {0x200000: {1: 1, 0x40: 2}, 0x200001: {0x41: 4}}
    assert asked == [("0,1,3", 1)]
    assert complete_lfts(LFTS_OF_DUMP_FTS, lambda path, block: [255] * 64) == LFTS_OF_DUMP_FTS


def test_the_bytes_of_an_attribute_need_an_answer() -> None:
    rows = "ff03 0303 0304 0004 0304 0102 ffff ffff\n" + "ffff ffff ffff ffff ffff ffff ffff ffff\n" * 3
    numbers = parse_mad_bytes(f"{rows}SMP status: 0x8000\n")
    assert numbers and (len(numbers), numbers[:4]) == (64, [255, 3, 3, 3])
    assert parse_mad_bytes(rows) is None
    assert parse_mad_bytes("ff03\nSMP status: 0x8000\n") is None


def test_guid2lid_is_read() -> None:
    assert parse_guid2lid("0x10 0x0008 0x0009\n\n0x20 0x0001 0x0001\n") == {0x10: (8, 9), 0x20: (1, 1)}


def link(host_lid: int, switch_lid: int) -> str:
    """One line of opensm-subnet.lst, with a brace in a description."""
    return (
        f"{{ CA-SM Ports:01 SystemGUID:10 NodeGUID:10 PortGUID:11 Rev:A1 {{ho}}st}} LID:{host_lid:04X} PN:01 }} "
        f"{{ SW Ports:04 SystemGUID:20 NodeGUID:20 PortGUID:20 Rev:A1 {{leaf}} LID:{switch_lid:04X} PN:01 }} "
        "PHY=4x LOG=ACT SPD=2.5\n"
    )


def test_one_path_is_shown_to_ibdmchk_with_its_own_lids() -> None:
    numbers = {2: 1, 9: 2}
    assert format_links(link(8, 2), 1, numbers) == link(2, 1)
    assert format_fdbs({0x20: {2: 0, 8: 1, 9: 3}}, numbers).split("\n")[2:] == [
        "0x0001 : 000  : 00   : yes",
        "0x0002 : 003  : 00   : yes",
        "",
    ]


def test_paths_that_repeat_are_not_checked_again() -> None:
    table = {8: 1, 9: 2, 10: 1, 11: 3, 16: 4, 17: 4, 18: 4, 19: 4}
    assert different_paths({0x20: table}, {8, 16}, 2) == [0, 1, 3]


def test_a_verdict_of_ibdmchk_is_read() -> None:
    good = "-I- Scanned:30 CA to CA paths \n-I- no credit loops found\n"
    loop = (
        "-I- Scanned:20 CA to CA paths \n"
        "Found credit loop on: S1/U1/P2 VL: 0\n"
        "  - BT credit loop through: S2/U1/P2 VL: 0\n"
        "-E- credit loops in routing\n"
    )
    hole = "-E- Found 2 missing paths out of:30 paths\n-E- Some Point to Point Traversals Failed.\n"
    assert parse_ibdmchk(0, good) == PathCheck(0, 30, 0, ())
    assert parse_ibdmchk(1, loop) == PathCheck(1, 20, 0, ("S1/U1/P2", "S2/U1/P2"))
    assert parse_ibdmchk(2, hole) == PathCheck(2, 30, 2, None)
    assert parse_ibdmchk(3, "-I- Scanned:30 CA to CA paths \n") is None

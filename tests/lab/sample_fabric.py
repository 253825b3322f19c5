"""A two-level tree in ibsim's syntax, and tables of our own for it, with two LIDs a host."""

from pathlib import Path

LEAVES, ROOTS, HOSTS_PER_LEAF = 3, 2, 2
HOSTS = LEAVES * HOSTS_PER_LEAF
LEAF_GUID, ROOT_GUID, HOST_GUID, GUIDS_PER_HOST = 0x200000, 0x300000, 0x100000, 0x10

Tables = dict[int, dict[int, int]]


def node(kind: str, name: str, guid: int, links: list[tuple[str, int]]) -> str:
    """One node: `links` are the name and port at the other end of ports 1, 2, ..."""
    base = "switchguid" if kind == "Switch" else "caguid"
    ports = "".join(f'[{port}] "{other}"[{far}]\n' for port, (other, far) in enumerate(links, 1))
    return f'{base}=0x{guid:x}\n{kind} {len(links)} "{name}" # "{name} of a tree"\n{ports}\n'


def tree(leaves: int = LEAVES, roots: int = ROOTS, hosts: int = HOSTS_PER_LEAF) -> str:
    """A two-level tree: hosts at the first ports of each leaf, then the roots."""
    text = ""
    for leaf in range(leaves):
        down = [(f"H{leaf * hosts + host}", 1) for host in range(hosts)]
        up = [(f"R{root}", leaf + 1) for root in range(roots)]
        text += node("Switch", f"L{leaf}", LEAF_GUID + leaf, down + up)
    for root in range(roots):
        text += node("Switch", f"R{root}", ROOT_GUID + root, [(f"L{leaf}", hosts + root + 1) for leaf in range(leaves)])
    for host in range(leaves * hosts):
        guid = HOST_GUID + host * GUIDS_PER_HOST
        text += node("Ca", f"H{host}", guid, [(f"L{host // hosts}", host % hosts + 1)])
    return text


def host_port_guid(host: int) -> int:
    """ibsim numbers the ports of an adapter from its node GUID."""
    return HOST_GUID + host * GUIDS_PER_HOST + 1


def two_path_lids() -> dict[int, tuple[int, int]]:
    """LIDs for LMC 1: one for each switch, an aligned pair for each host."""
    switches = [LEAF_GUID + leaf for leaf in range(LEAVES)] + [ROOT_GUID + root for root in range(ROOTS)]
    lids = {guid: (lid, lid) for lid, guid in enumerate(switches, 1)}
    return lids | {host_port_guid(host): (8 + 2 * host, 9 + 2 * host) for host in range(HOSTS)}


def two_path_tables() -> Tables:
    """Path j of every host goes over root j; switches are reached over root 0."""
    leaves = {LEAF_GUID + leaf: leaf_table(leaf) for leaf in range(LEAVES)}
    return leaves | {ROOT_GUID + root: root_table(root) for root in range(ROOTS)}


def leaf_table(leaf: int) -> dict[int, int]:
    up = HOSTS_PER_LEAF + 1
    table = {1 + other: 0 if other == leaf else up for other in range(LEAVES)}
    table |= {1 + LEAVES + root: up + root for root in range(ROOTS)}
    for host in range(HOSTS):
        for path in range(2):
            table[8 + 2 * host + path] = host % HOSTS_PER_LEAF + 1 if host // HOSTS_PER_LEAF == leaf else up + path
    return table


def root_table(root: int) -> dict[int, int]:
    table = {1 + leaf: leaf + 1 for leaf in range(LEAVES)}
    table |= {1 + LEAVES + other: 0 if other == root else 1 for other in range(ROOTS)}
    return table | {8 + lid: lid // (2 * HOSTS_PER_LEAF) + 1 for lid in range(2 * HOSTS)}


def lfts_text(tables: Tables, lids: dict[int, tuple[int, int]]) -> str:
    """The tables as OpenSM's file engine reads them, each entry with the GUID of the port that owns the LID."""
    owner = {lid: guid for guid, (low, high) in lids.items() for lid in range(low, high + 1)}
    return "".join(
        f"Unicast lids [0-{max(table)}] of switch Lid 0 guid 0x{guid:016x} (''):\n"
        + "".join(f"0x{lid:04x} {port:03d} # portguid 0x{owner[lid]:016x}: ''\n" for lid, port in sorted(table.items()))
        for guid, table in tables.items()
    )


def guid2lid_text(lids: dict[int, tuple[int, int]]) -> str:
    return "".join(f"0x{guid:016x} 0x{low:04x} 0x{high:04x}\n\n" for guid, (low, high) in lids.items())


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path

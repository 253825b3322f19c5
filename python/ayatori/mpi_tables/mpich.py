"""MPICH's selection trees (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE), of releases 4.0 to 5.0.

A file replaces the whole tree of the release: a call that it does not cover, and a word that MPICH does not know, end
the program. So we start from the release's own trees, which stand as text in libmpich, and add branches for
communicators of one size. What is written is read back by the rules of MPICH's reader, and asked for each rule.
"""

from __future__ import annotations

import json
import os
import re
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ayatori.base.errors import Error
from ayatori.base.files import write_bytes
from ayatori.mpi_tables.catalogue import MPICH, Mpi
from ayatori.mpi_tables.rules import Rule, Rules

Tree = list[tuple[str, Any]]
"""A JSON object with its keys in order, among which MPICH takes the first that holds; keys may repeat."""

LIBRARIES = ("libmpich.so.12", "libmpich.so", "libmpi.so.12")
VARIABLES = ("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE")
MAX_SIZE = 2**31 - 1
"""MPICH reads the numbers of conditions with atoi."""
PAGE = 4096
DIRECT = {
    "bcast": "MPIDI_Bcast_intra_composition_gamma",
    "allreduce": "MPIDI_Allreduce_intra_composition_beta",
    "reduce": "MPIDI_Reduce_intra_composition_gamma",
    "barrier": "MPIDI_Barrier_intra_composition_beta",
}
"""Of the ways in which the device ch4 splits a collective into those of nodes: the one that does not."""
TOTALS = {"allgather", "gather", "scatter", "reduce_scatter", "reduce_scatter_block"}
"""MPICH asks for the bytes of all ranks together of these, and of the others for those of a call, or it aborts."""
FOR_BUILT_IN_OPERATIONS = {"reduce_scatter_allgather", "reduce_scatter_gather"}
"""They combine parts of a vector, and need an element for each."""
WHOLE_VECTORS = {"allreduce": "recursive_doubling", "reduce": "binomial"}
"""What to take instead for fewer elements than ranks."""

_LEAVES = ("algorithm=", "composition=")
_PARAMETER = re.compile(r"[a-z_]+=\w+")
"""What may stand below an algorithm, since 4.1: k=2."""
_NUMBER = r"(?:<=|<)\d{1,10}"
_CONDITIONS = re.compile(
    rf"comm_size(?:=pow2|=any|=node_comm_size|{_NUMBER})|(?:avg|total)_msg_size(?:=any|{_NUMBER})"
    rf"|count(?:<pow2|=any|{_NUMBER})|comm_type=(?:intra|inter)|comm_hierarchy=(?:parent|any|node|node_roots)"
    r"|is_(?:commutative|op_built_in|sendbuf_inplace|multi_threaded|block_regular|node_consecutive)=(?:yes|no)"
)


@dataclass(frozen=True)
class Release:
    """The trees of an MPICH library."""

    path: Path
    generic: Tree
    ch4: Tree | None
    """None where the device has no such choice."""
    known: frozenset[str]
    """Every "algorithm=…" and "composition=…" that the library knows."""


def find_library() -> Path:
    """The MPICH of this machine. Raises Error."""
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    folders = [*os.environ.get("LD_LIBRARY_PATH", "").split(":"), f"/usr/lib/{multiarch}", "/usr/lib64/mpich/lib"]
    for folder in filter(None, [*folders, "/usr/lib64", "/usr/lib", "/usr/local/lib"]):
        for name in LIBRARIES:
            path = Path(folder, name)
            if path.exists() and VARIABLES[0].encode() in path.read_bytes():
                return path
    raise Error("no MPICH is found here", hint="--mpi-library /path/of/libmpich.so.12, of the MPICH that runs the job")


def read_release(path: Path) -> Release:
    """The trees in a library. Raises Error for a file that has none."""
    try:
        contents = path.read_bytes()
    except OSError as error:
        raise Error(f"can't read {path}: {error.strerror}") from error
    trees = [parse(text, str(path)) for text in _texts(contents)]
    generic = [tree for tree in trees if all(key.startswith("algorithm=MPIR_") for key in _leaves(tree))]
    ch4 = [tree for tree in trees if all(key.startswith("composition=") for key in _leaves(tree))]
    if len(generic) != 1 or len(ch4) > 1:
        raise Error(
            f"{path} has no selection trees that are known here",
            hint="those of MPICH 4.0 to 5.0 are: --mpi-library its libmpich.so.12 or libmpi.so.12",
        )
    known = {word.decode() for word in re.findall(rb"(?:algorithm|composition)=\w+", contents)}
    return Release(path, generic[0], ch4[0] if ch4 else None, frozenset(known))


def as_in(release: Release) -> Mpi:
    """MPICH with the algorithms that this release knows."""
    known = [algorithm for algorithm in MPICH.algorithms if f"algorithm={algorithm.key}" in release.known]
    return replace(MPICH, algorithms=known)


def _texts(contents: bytes) -> Iterator[str]:
    """C strings of whole trees."""
    for match in re.finditer(rb'\{"collective=[^\x00]*', contents):
        yield match[0].decode("utf-8", errors="replace")


def parse(text: str, name: str) -> Tree:
    try:
        tree = json.loads(text, object_pairs_hook=list)
    except ValueError as error:
        raise Error(f"{name}: not a selection tree", cause=str(error)) from error
    if not isinstance(tree, list):
        raise Error(f"{name}: not a selection tree")
    return tree


def _leaves(tree: Tree) -> Iterator[str]:
    for key, below in tree:
        if below and not key.startswith(_LEAVES):
            yield from _leaves(below)
        else:
            yield key


def format_tree(tree: Tree, indent: int = 0) -> str:
    """JSON with repeated keys. Never a multiple of 4096 bytes: MPICH 4.0 maps the file and reads up to the first 0."""
    text = _object(tree, indent) + "\n"
    return text + "\n" if len(text) % PAGE == 0 else text


def _object(tree: Tree, indent: int) -> str:
    if not tree:
        return "{}"
    inner = ",\n".join(f"{' ' * (indent + 1)}{json.dumps(key)}: {_object(below, indent + 1)}" for key, below in tree)
    return f"{{\n{inner}\n{' ' * indent}}}"


def generic_tree(rules: Rules, release: Release) -> Tree:
    """The release's tree with ours for intra-communicators of `rules.ranks`."""
    tree = release.generic
    for collective, own in rules.collectives.items():
        tree = _with_branch(tree, collective, rules.ranks, partial(_guarded, own, rules.ranks))
    return tree


def ch4_tree(rules: Rules, release: Release) -> Tree | None:
    """The release's tree for the device, which hands our collectives to the generic tree as they are."""
    tree = release.ch4
    for collective in rules.collectives:
        if tree is not None and collective in DIRECT:
            leaf: Tree = [(f"composition={DIRECT[collective]}", [])]
            tree = _with_branch(tree, collective, rules.ranks, partial(_instead, leaf))
    return tree


def _instead(leaf: Tree, _theirs: Tree) -> Tree:
    return leaf


def _with_branch(tree: Tree, collective: str, ranks: int, ours: Callable[[Tree], Tree]) -> Tree:
    """For `collective` on intra-communicators of this size what `ours` makes of the release's branch."""
    found = False

    def changed(key: str, below: Tree) -> Tree:
        nonlocal found
        if key != f"collective={collective}":
            return below
        if not any(kind == "comm_type=intra" for kind, _ in below):
            raise Error(f"MPICH's tree for {collective} does not ask for the kind of communicator")
        found = True
        return [(kind, _by_size(own, ranks, ours(own)) if kind == "comm_type=intra" else own) for kind, own in below]

    result = [(key, changed(key, below)) for key, below in tree]
    if not found:
        raise Error(f"this MPICH has no selection tree for {collective}")
    return result


def _by_size(theirs: Tree, ranks: int, ours: Tree) -> Tree:
    return [(f"comm_size<{ranks}", theirs), (f"comm_size<={ranks}", ours), ("comm_size=any", theirs)]


def _guarded(rules: list[Rule], ranks: int, theirs: Tree) -> Tree:
    """Calls that our choice does not hold for go the release's way."""
    collective = rules[0].algorithm.collective
    ours = _by_message(rules, ranks)
    if any(rule.algorithm.name in FOR_BUILT_IN_OPERATIONS for rule in rules):
        ours = [("is_op_built_in=yes", ours), ("is_op_built_in=no", theirs)]
    if collective in ("allreduce", "reduce", "reduce_scatter", "reduce_scatter_block"):
        return [("is_commutative=yes", ours), ("is_commutative=no", theirs)]
    if collective == "alltoall":
        return [("is_sendbuf_inplace=yes", theirs), ("is_sendbuf_inplace=no", ours)]
    return ours


def _by_message(rules: list[Rule], ranks: int) -> Tree:
    if len(rules) == 1:
        return _choice(rules[0])
    collective = rules[0].algorithm.collective
    subject = "total_msg_size" if collective in TOTALS else "avg_msg_size"
    lasts = [their_size(collective, rule.last + 1, ranks) - 1 for rule in rules if rule.last is not None]
    lasts = [last for last in lasts if last <= MAX_SIZE]
    limits = [(f"{subject}<={last}", _choice(rule)) for last, rule in zip(lasts, rules, strict=False)]
    return [*limits, (f"{subject}=any", _choice(rules[len(lasts)]))]


def their_size(collective: str, size: int, ranks: int) -> int:
    return size * ranks if collective in TOTALS else size


def _choice(rule: Rule) -> Tree:
    algorithm = rule.algorithm
    leaf: Tree = [(f"algorithm={algorithm.key}", [(parameter, []) for parameter in algorithm.parameters])]
    if algorithm.name not in FOR_BUILT_IN_OPERATIONS:
        return leaf
    whole = f"MPIR_{algorithm.collective.capitalize()}_intra_{WHOLE_VECTORS[algorithm.collective]}"
    return [("count<pow2", [(f"algorithm={whole}", [])]), ("count=any", leaf)]


@dataclass(frozen=True)
class Asked:
    """A call as MPICH's tree sees it: an intra-communicator, a commutative built-in operation, no MPI_IN_PLACE."""

    collective: str
    ranks: int
    bytes: int
    hierarchy: str = "parent"


def check(tree: Tree, original: Tree, known: frozenset[str], name: str) -> None:
    """Refuses what MPICH would abort for. `original` is the release's own tree of the same kind, and `known` are
    its algorithms and compositions. Raises Error with the place."""
    sizes = {key: set(_sizes_in(below)) for key, below in original}
    for key, below in tree:
        if not key.startswith("collective=") or not below or key not in sizes:
            raise Error(f"{name}: '{key}' is not a collective of this MPICH with a tree")
        if unknown := set(_sizes_in(below)) - sizes[key]:
            raise Error(f"{name}: {key}: this MPICH does not know its {', '.join(sorted(unknown))}")
        _check_below(below, known, f"{name}: {key}")


def _sizes_in(tree: Tree) -> Iterator[str]:
    """The kinds of message size that a tree asks for."""
    for key, below in tree:
        if subject := re.match(r"(?:avg|total)_msg_size", key):
            yield subject[0]
        yield from _sizes_in(below)


def _check_below(tree: Tree, known: frozenset[str], place: str) -> None:
    for key, below in tree:
        here = f"{place}/{key}"
        if key.startswith(_LEAVES):
            if key not in known:
                raise Error(f"{here}: this MPICH does not know it")
            if any(more or not _PARAMETER.fullmatch(parameter) for parameter, more in below):
                raise Error(f"{here}: nothing but its parameters may stand below an algorithm")
        elif not _CONDITIONS.fullmatch(key):
            raise Error(f"{here}: this MPICH does not know the condition")
        elif not below:
            raise Error(f"{here}: no algorithm below it")
        else:
            _check_below(below, known, here)
    if not _covers([key for key, _ in tree]):
        raise Error(f"{place}: a call may come for which no branch holds")


def _covers(keys: list[str]) -> bool:
    """Whether one of these conditions always holds."""
    if keys[-1].endswith("=any") or keys[-1].startswith(_LEAVES):
        return True
    subject = {key.partition("=")[0] for key in keys}
    values = {key.partition("=")[2] for key in keys}
    # The release has no branch for inter-communicators, or for reductions that need none, where MPICH never asks.
    return len(subject) == 1 and (
        values in ({"yes", "no"}, {"intra", "inter"})
        or subject == {"comm_type"}
        or subject <= {"is_commutative", "is_multi_threaded"}
    )


def lookup(tree: Tree, asked: Asked) -> str:
    """The algorithm or composition that MPICH takes. Raises Error where it would find none."""
    branch = next((below for key, below in tree if key == f"collective={asked.collective}"), None)
    while branch:
        key, below = next(((key, below) for key, below in branch if _holds(key, asked)), ("", []))
        if key.startswith(_LEAVES):
            return key.partition("=")[2]
        branch = below
    raise Error(f"no branch for {asked}")


def _holds(key: str, asked: Asked) -> bool:
    subject, operator, value = re.fullmatch(r"(\w+?)(<=|<|=)(\w+)", key).groups()  # type: ignore[union-attr]
    if subject in ("algorithm", "composition") or value == "any":
        return True
    numbers = {
        "comm_size": asked.ranks,
        "avg_msg_size": asked.bytes,
        "total_msg_size": asked.bytes * asked.ranks,
        "count": asked.bytes,
    }
    if value == "pow2":
        power = 1 << (asked.ranks.bit_length() - 1)
        return numbers["count"] < power if subject == "count" else asked.ranks == power
    if subject in numbers and value.isdigit():
        return numbers[subject] <= int(value) if operator == "<=" else numbers[subject] < int(value)
    facts = {"comm_type": "intra", "comm_hierarchy": asked.hierarchy, "is_commutative": "yes", "is_op_built_in": "yes"}
    return facts.get(subject, "no") == value


def device_path(path: Path) -> Path:
    """Of the tree for the device, in addition to the generic one."""
    return path.with_name(f"{path.stem}-ch4{path.suffix or '.json'}")


def write(rules: Rules, path: Path, release: Release) -> list[Path]:
    """Both trees, each whole or not at all, and only what is read back as the same rules."""
    generic, ch4 = generic_tree(rules, release), ch4_tree(rules, release)
    texts = {path: format_tree(generic)}
    check(parse(texts[path], str(path)), release.generic, release.known, str(path))
    if ch4 is not None and release.ch4 is not None:
        device = device_path(path)
        texts[device] = format_tree(ch4)
        check(parse(texts[device], str(device)), release.ch4, release.known, str(device))
    _must_be_found(rules, parse(texts[path], str(path)), release)
    for file, text in texts.items():
        write_bytes(file, text.encode())
    return list(texts)


def _must_be_found(rules: Rules, tree: Tree, release: Release) -> None:
    for collective, own in rules.collectives.items():
        for rule in own:
            if rule.first > MAX_SIZE:
                continue
            for size in (max(rule.first, rule.algorithm.min_bytes(rules.ranks)), rule.last or rule.first):
                found = lookup(tree, Asked(collective, rules.ranks, size))
                if found != rule.algorithm.key and size >= rule.algorithm.min_bytes(rules.ranks):
                    raise Error(f"{collective} of {size} bytes is read back as {found}", internal=True)
        for ranks in {1, rules.ranks - 1, rules.ranks + 1, 2 * rules.ranks} - {0, rules.ranks}:
            for size in {rule.first for rule in own}:
                asked = Asked(collective, ranks, size)
                if lookup(tree, asked) != lookup(release.generic, asked):
                    raise Error(f"rules for {rules.ranks} ranks would hold for {ranks}", internal=True)


def settings(paths: list[Path]) -> list[tuple[str, str]]:
    """Environment that makes MPICH take the files."""
    return [(name, str(path.resolve())) for name, path in zip(VARIABLES, paths, strict=False)]

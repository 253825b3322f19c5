"""The rules of CONTRIBUTING.md that a program can check: format, lint, lengths, and what the core must not do."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAX_LINES_OF_A_FILE = 450
MAX_LINES_OF_A_FUNCTION = 60
MAX_PARAMETERS = 8
FUZZ_CORPUS = ROOT / "fuzz" / "corpus"


def run(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@cache
def sources(*suffixes: str) -> list[Path]:
    """Every file of the project with one of these suffixes, in whichever folder."""
    built = {ROOT / name for name in ("build", ".venv", ".git")}
    found = (
        path
        for top in ROOT.iterdir()
        if top not in built
        for path in (top.rglob("*") if top.is_dir() else [top])
        if path.suffix in suffixes and FUZZ_CORPUS not in path.parents
    )
    return sorted(found)


def core_sources() -> list[Path]:
    """The C++ of the products: without tests and fuzzers, and what is compiled for programs of an MPI."""
    left_out = {f"src/mpi/{name}" for name in ("paths", "execute", "plugin", "preloaded", "probe", "trace")}
    return [
        path
        for path in sources(".cpp", ".hpp")
        if path.is_relative_to(ROOT / "src") and not is_test(path)
        if path.parent.relative_to(ROOT).as_posix() not in left_out
    ]


def is_test(path: Path) -> bool:
    folders = set(path.relative_to(ROOT).parts)
    return path.stem.endswith(("_test", "_fixtures")) or not folders.isdisjoint({"fixtures", "fuzz", "tests"})


def test_no_two_files_of_tests_have_one_name() -> None:
    """Pytest imports a file of tests by its name alone, and refuses the second one of the same name."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(name for name in set(names) if names.count(name) > 1) == []


def test_python_is_formatted_and_lint_free() -> None:
    assert run(sys.executable, "-m", "ruff", "check", ".") == ""
    assert run(sys.executable, "-m", "ruff", "format", "--check", ".") == ""


@pytest.mark.skipif(shutil.which("clang-format-19") is None, reason="clang-format-19 is not installed")
def test_cpp_is_formatted() -> None:
    files = [str(path) for path in sources(".cpp", ".hpp")]
    assert run("clang-format-19", "--dry-run", "--Werror", *files) == ""


def test_files_can_be_read_in_one_sitting() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in sources(".cpp", ".hpp", ".c", ".h", ".py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > MAX_LINES_OF_A_FILE
    }
    assert long == {}


def without_literals(line: str) -> str:
    """A line of C or C++ without comments, strings and characters, so that its braces can be counted."""
    return re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'|//.*', "", line)


FUNCTION_BEGINS = re.compile(r"\)( const)?( noexcept)?( override)?( -> [\w:<>,&* ]+)? \{$|^\s+: \w+.*\{$")
NO_FUNCTION_BEGINS = re.compile(r"\s*(if|for|while|switch|else|\} else|do|class|struct|enum|union|namespace)\b")


def functions_in_cpp(path: Path) -> Iterator[tuple[int, int]]:
    """First line and length of each function body, told by the format: the brace that opens it ends a line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    # Most lines have neither a brace nor anything that could hide one.
    lines = [without_literals(line) if re.search(r"[{}\"'/]", line) else line for line in lines]
    for begin, line in enumerate(lines):
        if "{" not in line or not FUNCTION_BEGINS.search(line) or NO_FUNCTION_BEGINS.match(line):
            continue
        depth = 0
        for end in range(begin, len(lines)):
            depth += lines[end].count("{") - lines[end].count("}")
            if depth <= 0:
                break
        yield begin + 1, end - begin + 1


def functions_in_python(path: Path) -> Iterator[tuple[int, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1


def parameters_in_python(path: Path) -> Iterator[tuple[int, int]]:
    """First line and number of parameters of each function, without `self` and `cls`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            yield node.lineno, len(names) - (names[:1] in (["self"], ["cls"]))


def test_functions_have_few_parameters() -> None:
    """What belongs together is an object; commands get their options in groups (ayatori.cli.grouped)."""
    many = [
        f"{path.relative_to(ROOT)}:{line}: {count} parameters"
        for path in sources(".py")
        for line, count in parameters_in_python(path)
        if count > MAX_PARAMETERS
    ]
    assert many == []


def test_functions_are_short() -> None:
    functions = [(path, functions_in_cpp(path)) for path in sources(".cpp", ".hpp", ".c", ".h")]
    functions += [(path, functions_in_python(path)) for path in sources(".py")]
    long = [
        f"{path.relative_to(ROOT)}:{line}: {length} lines"
        for path, found in functions
        for line, length in found
        if length > MAX_LINES_OF_A_FUNCTION
    ]
    assert long == []


def test_long_functions_are_found(tmp_path: Path) -> None:
    body = "".join(f"  step({i});\n" for i in range(70))
    cpp = tmp_path / "long.cpp"
    cpp.write_text(f'Made::Made(int a)\n    : a_(a), text_("{{") {{\n{body}}}\n\nint shorter() {{\n  return 1;\n}}\n')
    assert list(functions_in_cpp(cpp)) == [(2, 72), (75, 3)]
    python = tmp_path / "long.py"
    python.write_text("def long():\n" + "    step()\n" * 70)
    assert list(functions_in_python(python)) == [(1, 71)]
    python.write_text("class Of:\n    def many(self, a, b, /, c, *, d=1, **rest):\n        pass\n")
    assert list(parameters_in_python(python)) == [(2, 4)]


def offences(forbidden: str, allowed: set[str], paths: list[Path]) -> list[str]:
    """Lines of code, without comments, that match; not of files whose path from the root begins with an `allowed`."""
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in paths
        if not any(str(path.relative_to(ROOT)).startswith(start) for start in allowed)
        for text in [path.read_text(encoding="utf-8")]
        if re.search(forbidden, text)
        for number, line in enumerate(text.splitlines(), 1)
        if re.search(forbidden, line.split("//")[0])
    ]


def test_the_core_neither_prints_nor_aborts_nor_reads_the_environment() -> None:
    """But for the files whose work that is, and acp_abort()."""
    allowed = {
        "src/nwtopo/capi/surroundings.cpp",
        "src/acp/api/setup.cpp",
        "src/acp/api/api.cpp",
        "src/acp/joining/variables.cpp",
    }
    assert offences(r"std::cout|std::cerr|\bprintf\(|\babort\(|getenv\(", allowed, core_sources()) == []


CLOCKS = (
    r"chrono::\w+_clock|\bclock_gettime\(|\bgettimeofday\(|\btime\(nullptr\)|std::time\(|"
    r"\bsleep_(for|until)\(|\b(u|nano)sleep\("
)


def test_the_core_is_given_the_time() -> None:
    """But for the driver of wires, and what delays the frames of a lab."""
    assert offences(CLOCKS, {"src/acp/wires/driver/", "src/mpi/delays/"}, core_sources()) == []


def test_random_numbers_come_from_a_seed() -> None:
    """The system is asked for randomness only for the secret of a job, which nobody may guess."""
    forbidden = r"\bs?rand\(|random_device|\bdrand48\(|\bgetrandom\("
    allowed = {"src/base/secret/job_secret.cpp", "bench/harness/job_file.hpp"}
    assert offences(forbidden, allowed, sources(".cpp", ".hpp", ".c", ".h")) == []


def test_no_test_asserts_how_long_something_took() -> None:
    """These machines are noisy: speed is measured in bench/. A deadline for something that must happen is allowed."""
    unit_tests = [path for path in sources(".cpp", ".hpp") if is_test(path)]
    assert offences(r"(EXPECT|ASSERT)_(LT|LE|GT|GE|NEAR)\(.*(_clock::now|elapsed|stopwatch)", set(), unit_tests) == []
    python_tests = [path for path in sources(".py") if ROOT / "tests" in path.parents]
    timed = r"assert (?!.*deadline).*(time\.(time|monotonic|perf_counter)\(|elapsed)"
    assert offences(timed, {"tests/test_style.py"}, python_tests) == []

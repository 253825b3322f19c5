"""What is answered without click, Typer and the commands, which take several times as long to start as Python does:
`--version`, and what a shell asks at every Tab.

The words are in completion.json, which `python -m ayatori.cli.completion_file` writes from the command line itself.
What comes out is what Typer would print; what is seldom asked is left to it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

import ayatori

TYPE_CHECKING = False  # typing's own: to import it takes as long as to answer
if TYPE_CHECKING:
    from typing import Any

WORDS = os.path.join(os.path.dirname(__file__), "completion.json")
VARIABLE = "_AYATORI_COMPLETE"
QUOTING = "'\"\\"
"""What would make more than a split at spaces of a command line."""

Item = tuple[str, str]
"""A word, and what it means."""


def answer_at_once(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[str, int] | None:
    """What to print and the exit status; None where the command line itself has to be asked."""
    if instruction := environment.get(VARIABLE):
        return _completion(instruction, environment)
    return (version_in_words() + "\n", 0) if list(arguments) == ["--version"] else None


def print_answer(text: str, status: int) -> int:
    """Returns the status."""
    sys.stdout.write(text)
    return status


def read_words() -> dict[str, Any]:
    """What completion.json says of commands and options."""
    import json

    with open(WORDS, encoding="utf-8") as file:
        words: dict[str, Any] = json.load(file)
    return words


def version_in_words() -> str:
    return f"ayatori {ayatori.__version__}"


def _completion(instruction: str, environment: Mapping[str, str]) -> tuple[str, int] | None:
    asked, _, shell = instruction.partition("_")
    words = read_words()
    if asked == "source" and shell in words["scripts"]:
        return words["scripts"][shell] + "\n", 0
    line = _line_of(shell, environment) if asked == "complete" else None
    items = line and offered(words["command"], *line)
    if items is None:
        return None
    if shell == "fish" and environment.get("_TYPER_COMPLETE_FISH_ACTION") == "is-args":
        return "", 0 if items else 1
    return _for_shell(shell, items, environment) + "\n", 0


def _line_of(shell: str, environment: Mapping[str, str]) -> tuple[list[str], str] | None:
    """The words of the command line before the one to complete, and the beginning of that one."""
    if shell not in ("bash", "zsh", "fish"):
        return None
    line = environment.get("COMP_WORDS" if shell == "bash" else "_TYPER_COMPLETE_ARGS", "")
    if any(sign in line for sign in QUOTING):
        return None
    words = line.split()
    if shell == "bash":
        at = environment.get("COMP_CWORD", "")
        return (words[1 : int(at)], words[int(at)] if int(at) < len(words) else "") if at.isdecimal() else None
    return (words[1:-1], words[-1]) if len(words) > 1 and not line.endswith(" ") else (words[1:], "")


def offered(command: Mapping[str, Any], before: Sequence[str], begun: str) -> list[Item] | None:
    """What may stand for the word that is `begun`, after those before it; None where this does not know."""
    if begun == "=":
        begun = ""
    elif begun.startswith("-") and "=" in begun:
        name, _, begun = begun.partition("=")
        before = [*before, name]
    found = _command_at(command, before)
    if found is None:
        return None
    command, given = found
    if begun.startswith("-") and "--" not in before:
        options = [each for each in command["options"] if "repeats" in each or _first_name(each) not in given]
        named = [(name, each["help"]) for each in options for name in each["names"].split()]
        return [(name, text) for name, text in named if name.startswith(begun)]
    last = _option_named(command, before[-1]) if before else None
    if last is not None and "takes_value" in last:
        return [(word, "") for word in last.get("words", []) if word.startswith(begun)]
    under_it = command.get("commands", {}).items()
    return [(name, each["help"]) for name, each in under_it if name.startswith(begun)]


def _command_at(command: Mapping[str, Any], words: Sequence[str]) -> tuple[Mapping[str, Any], set[str]] | None:
    """The command that the words come to, and the first names of its options that are given."""
    given: set[str] = set()
    rest = iter(words)
    for word in rest:
        if word == "--":
            break
        if word.startswith("-") and word != "-":
            name, equals, _ = word.partition("=")
            option = _option_named(command, name)
            if option is None:
                return None
            given.add(_first_name(option))
            if "takes_value" in option and not equals:
                next(rest, None)
        elif word in command.get("commands", {}):
            command, given = command.get("commands", {})[word], set()
        elif command.get("commands", {}):
            return None
    return command, given


def _option_named(command: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    return next((option for option in command["options"] if name in option["names"].split()), None)


def _first_name(option: Mapping[str, Any]) -> str:
    return str(option["names"]).partition(" ")[0]


def _for_shell(shell: str, items: Sequence[Item], environment: Mapping[str, str]) -> str:
    """The items as the shell's script takes them."""
    if shell == "bash":
        return "\n".join(word for word, _ in items)
    if shell == "zsh":
        described = [f'"{_for_zsh(word)}"' + (f':"{_for_zsh(text)}"' if text else "") for word, text in items]
        return "_arguments '*: :((" + "\n".join(described) + "))'" if items else "_files"
    if environment.get("_TYPER_COMPLETE_FISH_ACTION") != "get-args":
        return ""
    return "\n".join(f"{word}\t{text}" if text else word for word, text in items)


def _for_zsh(text: str) -> str:
    for sign, escaped in (('"', '""'), ("'", "''"), ("$", "\\$"), ("`", "\\`"), (":", r"\\:")):
        text = text.replace(sign, escaped)
    return text

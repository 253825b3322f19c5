"""Lines for people look as rich would print them."""

from io import StringIO

import pytest
from rich.console import Console
from rich.text import Text

from ayatori.cli.lines import BOLD, CYAN, DIM, RED, YELLOW, write_line

STYLES = {(BOLD, RED): "bold red", (BOLD, YELLOW): "bold yellow", (CYAN,): "cyan", (DIM,): "dim", (BOLD,): "bold"}
SURROUNDINGS = [
    {},
    {"NO_COLOR": "1"},
    {"NO_COLOR": ""},
    {"FORCE_COLOR": "1"},
    {"FORCE_COLOR": ""},
    {"TTY_COMPATIBLE": "0"},
    {"TTY_COMPATIBLE": "1"},
    {"TERM": "dumb"},
]


class Stream(StringIO):
    def __init__(self, watched: bool) -> None:
        super().__init__()
        self.watched = watched

    def isatty(self) -> bool:
        return self.watched


@pytest.mark.parametrize("watched", [True, False])
@pytest.mark.parametrize("surroundings", SURROUNDINGS, ids=str)
def test_a_line_has_its_styles_where_they_show(
    surroundings: dict[str, str], watched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ({"TERM": "xterm"} | surroundings).items():
        monkeypatch.setenv(name, value)
    for codes, style in STYLES.items():
        for head, text in [
            ("", "a [bold]name[/] of\a\n\tseveral lines"),
            ("error:", "can't\r do\tit " + "x" * 200),
            ("", ""),
        ]:
            ours, of_rich = Stream(watched), Stream(watched)
            write_line(ours, text, *codes, head=head)
            line = Text.assemble((head, style), f" {text}") if head else Text(text, style)
            Console(file=of_rich, highlight=False, soft_wrap=True).print(line)
            assert rid_of_restarts(ours.getvalue()) == rid_of_restarts(of_rich.getvalue())


def rid_of_restarts(text: str) -> str:
    """rich begins a style again after each line break and tab."""
    codes = text.partition("\x1b[")[2].partition("m")[0]
    again = f"\x1b[{codes}m"
    return text.replace(f"\x1b[0m\n{again}", "\n").replace(f"\x1b[0m{again}", "")


def test_a_closed_stream_takes_nothing() -> None:
    write_line(None, "nobody reads this")

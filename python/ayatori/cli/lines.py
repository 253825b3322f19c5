"""Lines for people, with bold, dim and coloured words where a terminal shows them; rich would take longer to start than
most commands to answer."""

from __future__ import annotations

import os
from typing import TextIO

BOLD, DIM, RED, YELLOW, CYAN = "1", "2", "31", "33", "36"
COLOURS = (RED, YELLOW, CYAN)
CONTROLS = dict.fromkeys(map(ord, "\a\b\v\f\r"))
"""What names in files may have, and no line should."""


def write_line(stream: TextIO | None, text: str, *styles: str, head: str = "") -> None:
    """Writes a line and lets it out. The styles are those of the head, or of all of it if there is none."""
    if stream is None:  # `2>&-`
        return
    line = (f"{head} {text}" if head else text).translate(CONTROLS).expandtabs()
    styled = len(head) or len(line)
    stream.write(painted_for(stream, line[:styled], *styles) + line[styled:] + "\n")
    stream.flush()


def painted_for(stream: TextIO, text: str, *styles: str) -> str:
    """The text in these styles, if the stream takes any; without colours for those who want none (no-color.org)."""
    if os.environ.get("NO_COLOR"):
        styles = tuple(style for style in styles if style not in COLOURS)
    has_styles = is_terminal(stream) and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")
    return f"\x1b[{';'.join(styles)}m{text}\x1b[0m" if text and styles and has_styles else text


def is_terminal(stream: TextIO | None) -> bool:
    """Whether somebody watches, or says so by FORCE_COLOR (force-color.org) or TTY_COMPATIBLE, as rich has it."""
    if (compatible := os.environ.get("TTY_COMPATIBLE")) in ("0", "1"):
        return compatible == "1"
    if (forced := os.environ.get("FORCE_COLOR")) is not None:
        return forced != ""
    return stream is not None and stream.isatty()

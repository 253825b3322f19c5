"""Names of links for tables: short enough to tell them apart within the width of the output."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

LONG = 60
"""Letters of a link from which on its names are shortened."""


def names_of_links(links: Sequence[Mapping[str, Any]]) -> tuple[list[str], str]:
    """Of each link, as link_as_data() has it, both ends of its cable; and what to say about what was left out of names.

    Of paths by dimension order, which have no cables, the link's own name. Where names are long, what all of them begin
    and end with is left out.
    """
    devices = {link[end] for link in links if "from" in link for end in ("from", "to")}
    longest = max((len(_name(link, "", "")) for link in links), default=0)
    begin, end = _in_common(devices) if longest > LONG else ("", "")
    left_out = " and ".join(f"'{part}'" for part in (begin, end) if part)
    note = f"  (all names of devices here also have {left_out})" if left_out else ""
    return [_name(link, begin, end) for link in links], note


def _name(link: Mapping[str, Any], begin: str, end: str) -> str:
    if "from" not in link:
        return str(link["link"])
    start, stop = (link[key].removeprefix(begin).removesuffix(end) for key in ("from", "to"))
    return f"{start} port {link['from_port']} -> {stop} port {link['to_port']}"


def _in_common(names: set[str]) -> tuple[str, str]:
    """What all of several names begin and end with, as whole words."""
    if len(names) < 2:
        return "", ""
    begin = os.path.commonprefix(list(names))
    end = os.path.commonprefix([name[::-1] for name in names])[::-1]
    first = re.match(r".*[^A-Za-z0-9]", begin)
    last = re.search(r"[^A-Za-z0-9].*", end)
    begin, end = first[0] if first else "", last[0] if last else ""
    return (begin, end) if all(len(name) > len(begin) + len(end) for name in names) else ("", "")

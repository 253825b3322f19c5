"""An HTML text with every style, script and picture inside. A policy in it forbids any network access."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from ayatori.report.curves import Plot
from ayatori.report.markup import Markup, json_script, tag

LOGO = Markup(
    '<svg viewBox="0 0 46 46" aria-hidden="true"><path d="M5 8 23 20 41 8 32 23 41 38 23 26 5 38 14 23Z"/>'
    '<path d="M5 8 41 38M41 8 5 38M14 23H32"/><circle cx="5" cy="8" r="3"/><circle cx="41" cy="8" r="3"/>'
    '<circle cx="5" cy="38" r="3"/><circle cx="41" cy="38" r="3"/></svg>'
)


def document(
    title: str, kind: str, parts: list[Markup], drawn_from: str, plots: list[Plot], pictures: Sequence[str] = ()
) -> str:
    """The page around its parts. `kind` stands below our name; every plot's place must be among the parts.

    `pictures`: the scripts that the pictures among the parts need, in this order.
    """
    own = [*pictures, "page.js"]
    body = tag(
        "body",
        tag("header", LOGO, tag("div", tag("b", "Ayatori"), Markup("<br>"), tag("span", kind))),
        tag("main", *parts),
        tag("footer", tag("p", f"{drawn_from} This page holds all that it shows and reads nothing from a network.")),
        tag("div", id="tip", hidden="hidden", role="tooltip"),
        *_scripts(plots, own),
    )
    return f'<!DOCTYPE html>\n<html lang="en">{_head(title, own, bool(plots))}{body}</html>\n'


def _asset(name: str) -> str:
    return (files("ayatori.report") / name).read_text(encoding="utf-8")


@cache
def _plotly() -> str:
    """The source of plotly.js, from the Python package."""
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs()).replace("\r\n", "\n")


@cache
def _packed_plotly() -> str:
    """In base64; packing takes longer than writing the rest of most pages."""
    return base64.b64encode(gzip.compress(_plotly().encode(), 9, mtime=0)).decode()


def _hash(script: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() + "'"


def _head(title: str, own: list[str], with_plots: bool) -> Markup:
    """Title, styles, and a policy under which only our own scripts run and nothing is loaded."""
    scripts = " ".join(_hash(script) for script in [*map(_asset, own), *([_plotly()] if with_plots else [])])
    policy = f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:"
    meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    guard = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    scheme = '<meta name="color-scheme" content="light dark">'
    style = Markup(f"<style>{_asset('page.css')}</style>")
    return tag("head", Markup(meta + guard + scheme), tag("title", title), style)


def _scripts(plots: list[Plot], own: list[str]) -> list[Markup]:
    """The figures, Plotly (packed: a third of its size) and our own scripts."""
    figures = [{"id": plot.id, "traces": plot.traces, "layout": plot.layout} for plot in plots]
    scripts = [json_script("figures", figures)]
    if plots:
        scripts.append(Markup(f'<script type="application/gzip" id="plotly">{_packed_plotly()}</script>'))
    return [*scripts, *(Markup(f"<script>{_asset(name)}</script>") for name in own)]

"""Figures 1 to 5 of paper 1, drawn from our network, our tables and our plans."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ayatori import _core
from ayatori._core import Job, Network
from ayatori.model.jobs import random_jobs
from ayatori.model.network import open_source
from ayatori.prediction.calls import Call, make_schedule
from ayatori.prediction.costs import FREE
from ayatori.prediction.predictor import Model, Predictor
from ayatori.report.markup import Markup, join, tag
from experiments.paper_tables import tables_of_the_paper

SOURCE = "fattree:K=3,levels=2"
BASE, RULE = "base-lids", "rule"
_ROUTE = re.compile(r'<route src="rank-(\d+)" dst="rank-(\d+)"[^>]*>(.*?)</route>')
_LINK = re.compile(r'<link_ctn id="link-(\d+)"/>')
_TRIED = 200
"""Random jobs among which one is looked for as figure 5 has them."""

Links = Counter[int]
"""Messages on a directed link, which is named by the port that they leave."""


class Traffic:
    """The messages of a job, one rank a node, with the paths that a method gives them."""

    def __init__(self, network: Network, job: Job, method: str) -> None:
        predictor = Predictor(network, method, Model(costs=FREE), tables_of_the_paper(network, method))
        plan = predictor.plan(job, make_schedule(Call("alltoall", "shift", 1), predictor.placement(job)))
        text = _core.smpi_platform(network, predictor.routes, plan, job, predictor.model.links(), 0).decode()
        self.ranks = job.rank_count
        self.paths = {(int(a), int(b)): list(map(int, _LINK.findall(route))) for a, b, route in _ROUTE.findall(text)}

    def step(self, distance: int) -> Links:
        """Of the shift by this distance."""
        pairs = ((rank, (rank + distance) % self.ranks) for rank in range(self.ranks))
        return Counter(link for pair in pairs for link in self.paths[pair])

    def hot_steps(self) -> list[int]:
        return [distance for distance in range(1, self.ranks) if max(self.step(distance).values()) > 1]


def pictures() -> list[Markup]:
    network = open_source(SOURCE)

    def job(*nodes: int) -> Job:
        return _core.job_of_hosts(network, [(f"N{node}", 1) for node in nodes], "the figure's job")

    two, three, four = job(3, 5, 6, 9), job(*range(8)), job(17, 0)
    return [
        _picture(network, "Figure 1: a 3-ary-2-tree", None, Counter()),
        _picture(
            network, "Figure 2: nodes 3, 5, 6, 9, shift by 2, one LID a port", two, Traffic(network, two, BASE).step(2)
        ),
        _picture(
            network, "Figure 3: nodes 0 to 7, shift by 3, one LID a port", three, Traffic(network, three, BASE).step(3)
        ),
        _picture(
            network,
            "Figure 4: node 0 is reached over roots 0, 1 and 2 by its LIDs 4, 5 and 6, here from node 17",
            four,
            _over_all_lids(network, *four.endpoints(network)),
            said="Its LID 7 has a path, too: switches without an entry drop packets.",
        ),
        *_before_and_after(network, 6),
        *_before_and_after(network, 8),
    ]


def _over_all_lids(network: Network, sender: int, receiver: int) -> Links:
    """Paths by the entries of the switches for each LID of the receiver; only whether a link is on one."""
    routes = tables_of_the_paper(network, RULE)
    base = routes.base_lid(receiver)
    links: Links = Counter()
    for lid in range(base, base + 2 ** routes.lmc(receiver)):
        port: int | None = sender
        while port is not None and (there := network.port(port).peer) != receiver:
            links[port] = 1
            device = network.port(there).device
            port = network.cabled_port(device, routes.out(device, lid))
    return links


def _before_and_after(network: Network, size: int) -> list[Markup]:
    """Of the first random job that has a hot spot with one LID a port, and none with the method."""
    for job in random_jobs(network, _TRIED, size, 1, 1):
        before, after = Traffic(network, job, BASE), Traffic(network, job, RULE)
        if before.hot_steps() and not after.hot_steps():
            step = before.hot_steps()[0]
            nodes = ", ".join(str(machine) for machine in job.machines)
            title = f"Figure 5: nodes {nodes}, shift by {step}"
            return [
                _picture(network, f"{title}, without the method", job, before.step(step)),
                _picture(network, f"{title}, with it", job, after.step(step)),
            ]
    return []


def _picture(network: Network, title: str, job: Job | None, links: Links, said: str = "") -> Markup:
    """Cables of messages are drawn thicker, and red where a direction has more than one of them."""
    drawing = _core.draw(network)
    parts = []
    for bundle in drawing.bundles:
        load = max((links[link] for port in bundle.ports for link in (port, network.port(port).peer)), default=0)
        look = ("#999999", 0.8) if load == 0 else ("#1f6fb2", 2.5) if load == 1 else ("#c62828", 5)
        parts.append(_line(bundle.points, *look))
    for box in drawing.boxes:
        place = {"x": box.x - box.width / 2, "y": box.y - box.height / 2, "width": box.width, "height": box.height}
        parts.append(tag("rect", fill="#e8e8e8", stroke="#666666", **place))
    members = set(job.endpoints(network)) if job is not None else set()
    for dot in drawing.dots:
        fill = "#1f6fb2" if dot.endpoint in members else "#bbbbbb"
        parts.append(
            tag("circle", cx=dot.x, cy=dot.y, r=drawing.dot + (2 if dot.endpoint in members else 0), fill=fill)
        )
    for text in drawing.texts:
        parts.append(tag("text", text.text, x=text.x, y=text.y, font_size=text.size, text_anchor=text.anchor))
    worst = max(links.values(), default=0)
    if links and not said:
        said = f"At most {worst} message{'s' if worst > 1 else ''} on a link at once."
    view = f"0 0 {drawing.width:g} {drawing.height:g}"
    svg = tag(
        "svg", join(parts), viewBox=view, width=drawing.width, height=drawing.height, role="img", aria_label=title
    )
    return tag("div", tag("h3", title), svg, tag("p", said, class_="note"), class_="card")


def _line(points: Sequence[float], colour: str, width: float) -> Markup:
    places = " ".join(f"{x:g},{y:g}" for x, y in zip(points[::2], points[1::2], strict=True))
    return tag("polyline", points=places, fill="none", stroke=colour, stroke_width=width)

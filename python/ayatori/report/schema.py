"""Reads the study files of a report: every key is checked here, so that drawing never meets a surprise."""

from __future__ import annotations

from pathlib import Path

from ayatori.report.drawing_schema import read_drawing
from ayatori.report.model import (
    Check,
    ContiguousJobs,
    Engine,
    Fabric,
    Host,
    Link,
    Origin,
    RandomJobs,
    Router,
    Side,
    Step,
    Study,
    WorstJob,
)
from ayatori.report.together_schema import read_together
from ayatori.report.values import ReportError, Value, load_json


def read_studies(folder: Path) -> list[Study]:
    """All studies of a folder, sorted by file name; ReportError if there is none or one is wrong."""
    if not folder.is_dir():
        raise ReportError(f"{folder}: no such folder", "", "give the folder that holds study-*.json")
    files = sorted(folder.glob("study-*.json"))
    if not files:
        raise ReportError(
            f"{folder}: no study in this folder", "no file matches study-*.json", "run ayatori demo first"
        )
    return [read_study(file) for file in files]


def read_study(file: Path) -> Study:
    """Reads one study file."""
    value = Value(load_json(file), str(file), "")
    fabric = _fabric(value.at("fabric")) if value.has("fabric") else None
    study = Study(
        file=file.name,
        title=value.at("title").text(),
        source=_optional_text(value, "source"),
        fabric=fabric,
        peak=value.at("peak_MBps").number(least=1e-9) if value.has("peak_MBps") else None,
        random=_random(value.at("random")) if value.has("random") else None,
        contiguous=_contiguous(value.at("contiguous")) if value.has("contiguous") else None,
        worst=_worst(value.at("worst_job"), fabric) if value.has("worst_job") else None,
        together=read_together(value.at("together"), fabric) if value.has("together") else None,
        engines=[_engine(item) for item in _optional_items(value, "engines")],
        checks=[_check(item) for item in _optional_items(value, "checks")],
        methods={key: name.text() for key, name in _optional_entries(value, "methods")},
        made=_origin(value.at("made")) if value.has("made") else None,
    )
    study.methods.update({key: key for key in _methods_used(study) if key not in study.methods})
    return study


def _methods_used(study: Study) -> list[str]:
    """Every method that a part of the study names."""
    used: list[str] = []
    if study.random:
        used += [*study.random.bandwidth, *study.random.free, *study.random.paper]
    if study.contiguous:
        used += [*study.contiguous.bandwidth, *study.contiguous.paper]
    if study.worst:
        used += [side.method for side in (study.worst.before, study.worst.after) if side]
    return used


def _optional_items(value: Value, key: str) -> list[Value]:
    return value.at(key).items() if value.has(key) else []


def _optional_entries(value: Value, key: str) -> list[tuple[str, Value]]:
    return value.at(key).entries() if value.has(key) else []


def _fabric(value: Value) -> Fabric:
    """Routers by unique name; hosts and links refer to them."""
    routers = [_router(item) for item in value.at("routers").items()]
    names: dict[str, int] = {}
    for i, router in enumerate(routers):
        if names.setdefault(router.name, i) != i:
            value.at("routers").items()[i].at("name").fail("a name that no other router has")
    hosts = [_host(item, names) for item in value.at("hosts").items()]
    links = [_link(item, names) for item in value.at("links").items()]
    drawing = read_drawing(value.at("drawing"), len(routers), len(hosts), len(links)) if value.has("drawing") else None
    return Fabric(
        summary=_optional_text(value, "summary"),
        routers=routers,
        hosts=hosts,
        links=links,
        faults=[item.text() for item in _optional_items(value, "faults")],
        drawing=drawing,
        not_drawn=_optional_text(value, "not_drawn"),
    )


def _optional_text(value: Value, key: str) -> str:
    return value.at(key).text() if value.has(key) else ""


def _origin(value: Value) -> Origin:
    return Origin(
        date=_optional_text(value, "date"),
        version=_optional_text(value, "version"),
        seed=value.at("seed").whole() if value.has("seed") else None,
        command=_optional_text(value, "command"),
    )


def _router(value: Value) -> Router:
    level = value.at("level").whole(most=15) if value.has("level") else None
    return Router(value.at("name").text(), level)


def _router_index(value: Value, names: dict[str, int]) -> int:
    """The index of the router with this name."""
    name = value.text()
    if name not in names:
        value.fail("the name of a router of fabric.routers")
    return names[name]


def _host(value: Value, names: dict[str, int]) -> Host:
    router = _router_index(value.at("router"), names)
    rail = value.at("rail").whole() if value.has("rail") else 0
    return Host(value.at("name").text(), router, value.at("port").whole(), rail)


def _link(value: Value, names: dict[str, int]) -> Link:
    return Link(
        a=_router_index(value.at("a"), names),
        a_port=value.at("a_port").whole(),
        b=_router_index(value.at("b"), names),
        b_port=value.at("b_port").whole(),
        rate=_optional_text(value, "rate"),
        degraded=value.at("degraded").truth() if value.has("degraded") else False,
    )


def _bandwidths(value: Value, count: int) -> dict[str, list[float]]:
    """Method -> one relative bandwidth for each of `count` jobs."""
    return {method: _one_a_job(item, count) for method, item in value.entries()}


def _bound(value: Value, count: int) -> list[float]:
    """What no plan of each of `count` jobs exceeds; empty if the study does not tell."""
    return _one_a_job(value.at("bound"), count) if value.has("bound") else []


def _one_a_job(value: Value, count: int) -> list[float]:
    numbers = value.numbers()
    if len(numbers) != count:
        raise ReportError(
            f"{value.file}: {value.path}: expected {count} numbers, one for each job", f"found {len(numbers)} numbers"
        )
    return numbers


def _random(value: Value) -> RandomJobs:
    jobs = value.at("jobs").whole(least=1)
    paper = {
        method: {key: figure.number() for key, figure in item.entries()}
        for method, item in _optional_entries(value, "paper_MBps")
    }
    return RandomJobs(
        jobs=jobs,
        size=value.at("size").whole(least=1),
        seed=value.at("seed").whole() if value.has("seed") else None,
        bandwidth=_bandwidths(value.at("relative_bandwidth"), jobs),
        free={method: item.whole(most=jobs) for method, item in _optional_entries(value, "free")},
        paper=paper,
        bound=_bound(value, jobs),
    )


def _contiguous(value: Value) -> ContiguousJobs:
    sizes = [item.whole(least=1) for item in value.at("sizes").items()]
    return ContiguousJobs(
        sizes=sizes,
        bandwidth=_bandwidths(value.at("relative_bandwidth"), len(sizes)),
        paper={method: _paper_sizes(item) for method, item in _optional_entries(value, "paper_MBps")},
        bound=_bound(value, len(sizes)),
    )


def _paper_sizes(value: Value) -> dict[int, float]:
    """Number of hosts (a JSON key, so a text) -> MB/s."""
    result = {}
    for key, figure in value.entries():
        if not (key.isascii() and key.isdigit() and len(key) < 10):
            value.fail("numbers of hosts as keys")
        result[int(key)] = figure.number()
    return result


def _worst(value: Value, fabric: Fabric | None) -> WorstJob:
    if fabric is None:
        raise ReportError(f"{value.file}: {value.path}: expected a fabric beside it", "the key fabric is missing")
    known = {host.name for host in fabric.hosts}
    hosts = value.at("hosts").items()
    for host in hosts:
        if host.text() not in known:
            host.fail("the name of a host of fabric.hosts")
    endpoints = [item.whole(most=len(fabric.hosts) - 1) for item in _optional_items(value, "endpoints")]
    before = _side(value.at("before"), fabric)
    after = _side(value.at("after"), fabric) if value.has("after") else None
    step = value.at("step").whole()
    shown = Step(step, [side.loads for side in (before, after) if side])
    others = [_step(item, fabric, with_after=bool(after)) for item in _optional_items(value, "steps")]
    steps = {other.number: other for other in others} | {step: shown}
    return WorstJob(
        hosts=[host.text() for host in hosts],
        endpoints=endpoints,
        step=step,
        before=before,
        after=after,
        steps=[steps[number] for number in sorted(steps)],
    )


def _step(value: Value, fabric: Fabric, with_after: bool) -> Step:
    sides = ["before", "after"] if with_after else ["before"]
    return Step(value.at("step").whole(), [_loads(value.at(side), fabric) for side in sides])


def _side(value: Value, fabric: Fabric) -> Side:
    loads = _loads(value.at("loads"), fabric)
    return Side(value.at("method").text(), value.at("relative_bandwidth").number(), loads)


def _loads(value: Value, fabric: Fabric) -> dict[tuple[int, str], float]:
    loads = {}
    for item in value.items():
        link, direction, load = _load(item, len(fabric.links))
        loads[link, direction] = load
    return loads


def _load(value: Value, links: int) -> tuple[int, str, float]:
    """One [link index, "ab" or "ba", messages]."""
    parts = value.items()
    if len(parts) != 3 or parts[1].data not in ("ab", "ba"):
        value.fail('[link index, "ab" or "ba", load]')
    if links == 0:
        value.fail("no load, since fabric.links is empty")
    return parts[0].whole(most=links - 1), parts[1].text(), parts[2].number()


def _engine(value: Value) -> Engine:
    def optional(key: str, read: str) -> float | bool | None:
        return getattr(value.at(key), read)() if value.has(key) else None

    return Engine(
        name=value.at("name").text(),
        lmc=optional("lmc", "whole"),
        accepted=optional("accepted", "truth"),
        deadlock_free=optional("deadlock_free", "truth"),
        seconds=optional("seconds", "number"),
        free=optional("free", "whole"),
        bandwidth=optional("mean_relative_bandwidth", "number"),
        note=_optional_text(value, "note"),
    )


def _check(value: Value) -> Check:
    figure = value.at("figure").text() if value.has("figure") else ""
    return Check(value.at("what").text(), value.at("passed").truth(), figure)

"""The result of a study in words, counted from its data: one sentence for each kind of study."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

from ayatori.report.curves import unit
from ayatori.report.markup import ARROW, Markup, count, figure, join, tag
from ayatori.report.methods import method_name
from ayatori.report.model import Study

FULL = 1 - 1e-9  # relative bandwidth from which a job counts as free of congestion
Said = tuple[str, Markup]


def headline(study: Study) -> Markup:
    """The most important result; nothing if the study has none."""
    kinds = (_random, _contiguous, _together, _worst, _engines, _checks, _faults)
    found = next((said for kind in kinds if (said := kind(study))), None)
    return headline_of(*found) if found else join(())


def headline_of(said: str, details: Markup | None = None) -> Markup:
    return tag("div", tag("strong", said), tag("p", details) if details else "", class_="headline")


def _random(study: Study) -> Said | None:
    jobs = study.random
    if not jobs or not jobs.free:
        return None
    what = f"{count(jobs.jobs, 'random job')} of {count(jobs.size, 'host')}"
    return _jobs(study, what, jobs.free, jobs.bandwidth, jobs.jobs)


def _contiguous(study: Study) -> Said | None:
    jobs = study.contiguous
    if not jobs or not jobs.sizes or not jobs.bandwidth:
        return None
    what = f"{count(len(jobs.sizes), 'job')} of {min(jobs.sizes)} to {count(max(jobs.sizes), 'host')}"
    return _jobs(study, what, free_of_congestion(jobs.bandwidth), jobs.bandwidth, len(jobs.sizes))


def free_of_congestion(bandwidth: Mapping[str, list[float]]) -> dict[str, int]:
    """By method, how many jobs have the whole bandwidth."""
    return {method: sum(value >= FULL for value in values) for method, values in bandwidth.items()}


def _jobs(study: Study, what: str, free: Mapping[str, int], bandwidth: dict[str, list[float]], total: int) -> Said:
    """Jobs without congestion, by the first method and by the best one; if these are equal, the bandwidth."""
    methods = [method for method in study.methods if method in free]
    means = {method: fmean(values) for method, values in bandwidth.items() if values}
    first, best = methods[0], max(reversed(methods), key=lambda method: (free[method], means.get(method, 0.0)))
    rise = _rise(study, means, first, best)
    if first == best:
        rest = ". No other method improves it." if len(methods) > 1 else "."
        by = join((f"{what}, shift all-to-all, by ", method_name(best, study.methods), rest))
        return f"Jobs without congestion: {free[best]:,} of {total:,}, predicted", by
    said = f"Jobs without congestion: {free[first]:,}{ARROW}{free[best]:,} of {total:,}"
    if free[first] == free[best] and rise:
        said, rise = rise, f"Jobs without congestion: {free[best]:,} of {total:,}."
    else:
        rise = f"{rise}." if rise else ""
    by = _before_and_after(study, first, best)
    return f"{said}, predicted", join((f"{what}, shift all-to-all", by, " ", rise))


def _rise(study: Study, means: Mapping[str, float], first: str, best: str) -> str:
    """`Mean bandwidth: 1,133 → 1,716 MB/s (+52%)`"""
    before, after = means.get(first), means.get(best)
    if not before or not after:
        return ""
    return f"Mean bandwidth: {_change(study, before, after)} ({after / before - 1:+.0%})"


def _change(study: Study, before: float, after: float) -> str:
    low, high = (bandwidth_text(value * (study.peak or 1)) for value in (before, after))
    return f"{low}{ARROW}{high} {unit(study)}"


def _together(study: Study) -> Said | None:
    together = study.together
    if not together:
        return None
    lost = 1 - together.mean / together.alone if together.alone else 0.0
    shared = count(len(together.shared), "direction") + " of cables" if together.shared else "no cable"
    means = f"{together.alone:.3f} of peak alone, {together.mean:.3f} with all others"
    rounds = count(together.rounds, "round")
    details = (
        f"Mean of {count(len(together.jobs), 'job')}: {means}, over {rounds} of random phases. "
        f"Messages of several jobs share {shared}."
    )
    return f"Bandwidth lost to other jobs: {lost:.0%}, predicted", join((details,))


def _worst(study: Study) -> Said | None:
    job = study.worst
    if not job:
        return None
    hosts = count(len(job.hosts), "host")
    if not job.after:
        most = count(max(job.before.loads.values(), default=0), "message")
        return f"Most loaded cable: {most}, predicted", join(
            (f"A job of {hosts}, step {job.step}, by ", method_name(job.before.method, study.methods), ".")
        )
    said = f"Bandwidth of a job: {_change(study, job.before.bandwidth, job.after.bandwidth)}, predicted"
    return said, join(
        (f"A job of {hosts}, shift all-to-all", _before_and_after(study, job.before.method, job.after.method))
    )


def _before_and_after(study: Study, first: str, best: str) -> Markup:
    before, after = (method_name(method, study.methods) for method in (first, best))
    return join((". Before: ", before, "; after: ", after, "."))


def _engines(study: Study) -> Said | None:
    tried = [engine for engine in study.engines if engine.accepted is not None]
    if not tried:
        return None
    good = sum(engine.accepted is True and engine.deadlock_free is not False for engine in tried)
    return f"Routing tables without deadlock: {good} of {len(tried)}", join(("One by each engine below.",))


def _checks(study: Study) -> Said | None:
    if not study.checks:
        return None
    passed = sum(check.passed for check in study.checks)
    return f"Checks passed: {passed} of {len(study.checks)}", join(("Each is listed below.",))


def _faults(study: Study) -> Said | None:
    if not study.fabric:
        return None
    faults = len(study.fabric.faults)
    return f"Faults of the fabric: {faults or 'none'}", join((f"In {count(len(study.fabric.links), 'cable')}.",))


def bandwidth_text(value: float) -> str:
    """A bandwidth: MB/s without decimals, a share of the peak with three."""
    return figure(round(value)) if value >= 10 else f"{value:.3f}"

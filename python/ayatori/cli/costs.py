"""What messages cost, by --calibration and the options that replace a part of it; and the lines that say so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ayatori._core import Network
from ayatori.base.errors import UnknownWord
from ayatori.base.units import format_bytes, format_seconds, parse_bytes, parse_rate, parse_seconds
from ayatori.cli.execution import UsageError
from ayatori.cli.option_groups import ModelOptions
from ayatori.cli.options import ASSUMED, NO_COSTS, Value, value_of
from ayatori.cli.output import say
from ayatori.formats.calibration import costs_of, costs_on_planes, read_calibration
from ayatori.planning.plans import PLAN_METHODS
from ayatori.prediction.assumed import assumed_costs, assumed_link_latency, assumed_on_planes
from ayatori.prediction.costs import FREE, Costs, MessageCosts, fixed, seconds_of
from ayatori.prediction.predictor import ECMP, STEP_MODES, Model


def model_of(asked: ModelOptions, network: Network) -> Model:
    """What is assumed for this network or was measured, and instead of these numbers what the options say."""
    if asked.steps not in STEP_MODES:
        raise UnknownWord("mode of steps", asked.steps, STEP_MODES)
    link_latency = 0.0 if asked.calibration == NO_COSTS else assumed_link_latency(network)
    if asked.link_latency is not None:
        link_latency = _given("--link-latency", parse_seconds, asked.link_latency)
    costs, on_planes = _costs_and_planes(asked, network, link_latency)
    rate = asked.link_bandwidth
    return Model(
        steps=asked.steps,
        link_bandwidth=0 if rate is None else _given("--link-bandwidth", parse_rate, rate),
        link_latency=link_latency,
        costs=replace(
            costs,
            origin=costs.origin + _given_in_words(asked),
            inside=_inside(asked, costs.inside),
            between=_between(asked, costs.between),
        ),
        head_of_line=asked.head_of_line,
        on_planes=tuple(one and _between(asked, one) for one in on_planes),
    )


def _costs_and_planes(
    asked: ModelOptions, network: Network, link_latency: float
) -> tuple[Costs, Sequence[MessageCosts | None]]:
    """As --calibration says, with words for where each part comes from."""
    if asked.calibration == NO_COSTS:
        return replace(FREE, origin=NO_COSTS), ()
    costs = assumed_costs(network)
    on_planes: Sequence[MessageCosts | None] = assumed_on_planes(network)
    if on_planes:
        costs = replace(costs, origin="assumed for the links of each plane")
    if not asked.calibration or asked.calibration == ASSUMED:
        return costs, on_planes
    path = Path(asked.calibration)
    if not path.is_dir():
        calibration = read_calibration(path)
        return costs_of(calibration, costs, link_latency), () if calibration.between else on_planes
    on_planes = costs_on_planes(network, path, on_planes)
    measured = [name for name in network.planes if (path / f"{name}.json").exists()]
    assumed = [name for name in network.planes if name not in measured]
    origin = f"between machines measured on {', '.join(measured)} ({path})"
    origin += f", assumed on {', '.join(assumed)}" if assumed else ""
    return replace(costs, origin=f"{origin}; within a machine assumed"), on_planes


def _given_in_words(asked: ModelOptions) -> str:
    """Which of the costs are the options' own. A cost of 0 that was given is not assumed either."""
    options = {
        "link latency": asked.link_latency,
        "latency": asked.latency,
        "overheads": asked.overhead,
        "eager limit": asked.eager,
        "injection": asked.injection,
        "bus": asked.bus,
    }
    given = [name for name, text in options.items() if text is not None]
    return f"; given: {', '.join(given)}" if given else ""


def _messages(asked: ModelOptions, costs: MessageCosts) -> MessageCosts:
    if asked.overhead is not None:
        busy = fixed(_given("--overhead", parse_seconds, asked.overhead))
        costs = replace(costs, send=busy, receive=busy, gap=0.0)
    return costs if asked.eager is None else replace(costs, eager_limit=_given("--eager", parse_bytes, asked.eager))


def _inside(asked: ModelOptions, costs: MessageCosts) -> MessageCosts:
    costs = _messages(asked, costs)
    return costs if asked.bus is None else replace(costs, bandwidth=_given("--bus", parse_rate, asked.bus))


def _between(asked: ModelOptions, costs: MessageCosts) -> MessageCosts:
    costs = _messages(asked, costs)
    if asked.latency is not None:
        costs = replace(costs, latency=_given("--latency", parse_seconds, asked.latency))
    rate = asked.injection
    return costs if rate is None else replace(costs, bandwidth=_given("--injection", parse_rate, rate))


def _given(option: str, parse: Callable[[str], Value], text: str) -> Value:
    """What the text of one of several options of a kind means; the error names the option."""
    try:
        return value_of(parse, text)
    except UsageError as error:
        raise UsageError(f"{option}: {error.message}", error.cause, error.hint) from error


def describe_paths(data: Mapping[str, Any]) -> None:
    """A line: which paths, by which hashes, in which steps."""
    model = data["model"]
    last = model["hash_seed"] + model["hash_seeds"] - 1
    seeds = f", mean over hash seeds {model['hash_seed']} to {last}" if data["method"] == ECMP else ""
    say(f"  paths         {data['method']}{_origin_of(data)}{seeds}, steps {model['steps']}")


def _origin_of(data: Mapping[str, Any]) -> str:
    """Where planned paths come from: a file, or planned for what is timed here."""
    plans, jobs = data.get("plans", []), data.get("jobs", 1)
    if plans and len(plans) == jobs:
        return f", as {plans[0]} says" if jobs == 1 else ", as the jobs' plans say"
    planned = ", planned for these messages" if data["method"] in PLAN_METHODS else ""
    return f"{planned}; of jobs with plans as these say" if plans else planned


def describe_costs(model: Model) -> None:
    """Where the numbers come from, and the most important ones."""
    costs = model.costs or FREE
    between = costs.between
    if costs.origin == NO_COSTS:
        say("  costs         none: nothing takes time but bytes and links")
        return
    say(f"  costs         {costs.origin}")
    if model.on_planes:
        return
    small = seconds_of(between.send, 0), seconds_of(between.receive, 0)
    say(
        f"                between machines: latency {format_seconds(between.latency)} and "
        f"{format_seconds(model.link_latency or 0)} a link, overheads {' and '.join(map(format_seconds, small))}, "
        f"eager up to {format_bytes(between.eager_limit)}"
    )
    if costs.cores:
        say(
            f"                {costs.cores} cores per host; where two ranks share one, messages wait "
            f"{format_seconds(seconds_of(costs.scheduling_delay, 1))}, longer with more, and times are a rough guide"
        )

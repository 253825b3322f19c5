"""What `ayatori plan` prints of jobs that it planned one by one."""

from __future__ import annotations

from typing import TypedDict

from ayatori.base.units import format_bytes, format_seconds
from ayatori.cli.check import JobsOfPattern, describe_jobs
from ayatori.cli.output import print_table, say
from ayatori.cli.searching import CutData
from ayatori.cli.traffic_rows import JudgedByTraffics, TrafficData, describe_traffics, rows_of_traffics
from ayatori.planning.improvement import OURS, ChoiceOfPlan, Improvement, ImprovementsData
from ayatori.planning.plans import Assessment, JobsData
from ayatori.planning.traffics import RANDOM, TOLERATED_LOSS
from ayatori.prediction.path_aware import MOST_RANKS


class NewTablesData(TypedDict):
    lmc: int
    same_base_lids: bool
    """Their LMC; whether their base LIDs have the same entries as the tables in use."""
    relative_bandwidth: float | None
    """The jobs' mean."""


class ComparisonData(JobsData, ImprovementsData):
    before: JobsOfPattern
    """The jobs without a plan."""
    tables_of_ours: float | None
    """With `--lfts`: the jobs' mean relative bandwidth on our tables, without a plan; else null."""


class PlanData(ComparisonData, JobsOfPattern, JudgedByTraffics):
    """Each job counts with its better choice, plan or no plan."""

    source: str
    seed: int
    """As given."""
    new_tables: NewTablesData | None
    """What the plan's tables bring without a plan; null where the plan is made on the tables in use."""
    in_network_order: float | None
    """What a plan brings with the ranks of `--job` in the network's order; null where that is not more."""
    start: dict[str, str]
    """By launcher, the line that starts the job with its ranks where the plan of `--out` has them."""
    cut: CutData | None
    """How the search was cut short."""


def traffics_as_data(improvements: list[Improvement]) -> list[TrafficData]:
    """Each traffic without a plan, and with it where it is better."""
    return rows_of_traffics([(seen_shares(each.without), seen_shares(each.better)) for each in improvements])


def seen_shares(assessment: Assessment) -> dict[str, float]:
    """What is shown of each traffic: of random permutations not those that the plan was judged by."""
    unseen = {} if assessment.unseen is None else {RANDOM: assessment.unseen}
    return {**assessment.shares, **unseen}


def describe(data: PlanData) -> None:
    say(f"{data['source']}: without a plan")
    say(f"  baseline      {data['baseline']}")
    describe_jobs(data["before"])
    if data["new_tables"] is not None:
        say(f"  new tables    {new_tables_in_words(data['new_tables'])}")
    elif data["tables_of_ours"] is not None:
        say(f"  reference     mean {data['tables_of_ours']:.4f} on {OURS}, without a plan")
    say(f"with the plan '{data['method']}', where it is better than no plan")
    describe_jobs(data)
    if any(job["unmeasured_steps"] for job in data["per_job"]):
        say("  estimated     from some of the steps: the search ended early")
    describe_traffics(data, data["seed"], data["jobs"], data["method"] == "pair")
    say(f"  take          {choice_in_words(data)}")
    path_aware = [choice["path_aware_at_most"] for choice in data["choices"] if "path_aware_at_most" in choice]
    if path_aware:
        which = "" if data["jobs"] == 1 else f" in {len(path_aware)} of {data['jobs']} jobs"
        say(
            f"  try           --path-aware{which}: up to {max(path_aware):.4f} without a plan, by the load of the links"
        )
    if (other := data["in_network_order"]) is not None:
        say(f"  try           --order network: {other:.4f} with the ranks in the network's order")
    if data["jobs"] == 1:
        chosen = data["choices"][0] if data["equal"] else data["per_job"][0]
        say(f"  proof         {chosen['reason']}")
        if "steps" in data["per_job"][0]:
            say(f"  steps         {data['per_job'][0]['steps']['reason']}")
        if "simulated" in data["choices"][0]:
            describe_simulated(data["choices"][0])
        if ruled_out := data["choices"][0].get("not_simulated"):
            say(
                f"  not taken     {' and '.join(ruled_out)}: ranks have no message in many of these steps and go on "
                f"early, and more than {MOST_RANKS:,} are not simulated"
            )


def describe_simulated(choice: ChoiceOfPlan) -> None:
    """What the all-to-all takes in all four ways, and which of them are out of the question for it."""
    rows = [
        [
            f"  {format_bytes(times['bytes'])} a pair",
            format_seconds(times["with_plan_s"]),
            format_seconds(times["without_s"]),
            format_seconds(times["with_plan_path_aware_s"]),
            format_seconds(times["without_path_aware_s"]),
        ]
        for times in choice["simulated"]
    ]
    header = [
        "  simulated, drifting steps",
        "plan",
        "no plan",
        "plan, path-aware schedule",
        "no plan, path-aware schedule",
    ]
    print_table("", header, rows)
    if choice["slower_path_aware"]:
        say(f"  not taken     {' and '.join(choice['slower_path_aware'])}: slower there than the shift")


def new_tables_in_words(new: NewTablesData) -> str:
    if new["same_base_lids"]:
        return f"LMC {new['lmc']}, to be loaded first (ayatori route): nothing changes without a plan"
    return f"LMC {new['lmc']}, to be loaded first (ayatori route): mean {new['relative_bandwidth']:.4f} without a plan"


def choice_in_words(data: PlanData) -> str:
    """Which of the two is better, if one is."""
    if data["jobs"] > 1:
        planned, worse = data["jobs"] - data["kept"], data["kept"] - data["equal"]
        return f"the plan in {planned} of {data['jobs']} jobs, equal in {data['equal']}, no plan in {worse}"
    choice = data["choices"][0]
    word = "no plan helps" if choice["equal"] else choice["take"] if data["kept"] else f"the {choice['take']}"
    if "with_plan_path_aware" not in choice:
        if choice["equal"]:
            return f"{word}: {choice['judged_without']:.4f} with and without"
        if choice["lost"]:
            return f"{word}: {' and '.join(choice['lost'])} would lose more than {TOLERATED_LOSS:.0%}"
        return f"{word}: {choice['judged_with_plan']:.4f} with it, {choice['judged_without']:.4f} without"
    by_shift = f"plan {choice['with_plan']:.4f}, no plan {choice['without']:.4f}"
    by_path_aware = f"plan {choice['with_plan_path_aware']:.4f}, no plan {choice['without_path_aware']:.4f}"
    return f"{word} (by the shift: {by_shift}; by the path-aware schedule: {by_path_aware})"

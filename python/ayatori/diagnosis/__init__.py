"""What would go wrong with MPI between some hosts, and which settings mend it."""

from collections.abc import Sequence

from ayatori.diagnosis.facts import Facts
from ayatori.diagnosis.findings import Finding, find_trouble_of_networks
from ayatori.diagnosis.host_findings import find_trouble_of_hosts, notes_of
from ayatori.diagnosis.libraries import known_of_libraries
from ayatori.diagnosis.networks import Way, choose_way, ways_of
from ayatori.diagnosis.planes import ServedPlane, find_trouble_of_planes
from ayatori.diagnosis.remedies import remedies, remedies_by_purpose
from ayatori.diagnosis.survey import survey, survey_of_all


def find_trouble(facts: Facts, ways: Sequence[Way], chosen: Way | None) -> list[Finding]:
    """All that is found, the worst first."""
    return find_trouble_of_networks(facts, ways, chosen) + find_trouble_of_hosts(facts)


__all__ = [
    "Facts",
    "Finding",
    "ServedPlane",
    "Way",
    "choose_way",
    "find_trouble",
    "find_trouble_of_planes",
    "known_of_libraries",
    "notes_of",
    "remedies",
    "remedies_by_purpose",
    "survey",
    "survey_of_all",
    "ways_of",
]

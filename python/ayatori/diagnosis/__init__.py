"""What would go wrong with MPI between some hosts, and which settings mend it."""

from ayatori.diagnosis.facts import Facts
from ayatori.diagnosis.findings import Finding, find_trouble
from ayatori.diagnosis.libraries import known_of_libraries
from ayatori.diagnosis.networks import Way, choose_way, ways_of
from ayatori.diagnosis.planes import ServedPlane, find_trouble_of_planes
from ayatori.diagnosis.remedies import remedies, remedies_by_purpose
from ayatori.diagnosis.survey import survey

__all__ = [
    "Facts",
    "Finding",
    "ServedPlane",
    "Way",
    "choose_way",
    "find_trouble",
    "find_trouble_of_planes",
    "known_of_libraries",
    "remedies",
    "remedies_by_purpose",
    "survey",
    "ways_of",
]

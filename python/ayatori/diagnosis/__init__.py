"""What would go wrong with MPI between some hosts, and which settings mend it."""

from ayatori.diagnosis.facts import Facts
from ayatori.diagnosis.findings import Finding, find_trouble
from ayatori.diagnosis.networks import Way, choose_way, ways_of
from ayatori.diagnosis.remedies import remedies
from ayatori.diagnosis.survey import survey

__all__ = ["Facts", "Finding", "Way", "choose_way", "find_trouble", "remedies", "survey", "ways_of"]

"""`python -m experiments.low_memory_transport [ROUNDS]`: the part on real verbs alone, printed and not saved."""

from __future__ import annotations

import sys

from experiments.low_memory_transport.verbs_measurement import VerbsSettings, measure, why_not
from experiments.low_memory_transport.verbs_presentation import verbs_tables
from experiments.page import show

if reason := why_not():
    sys.exit(f"no virtual machine can be made: {reason}")
for table in verbs_tables(measure(VerbsSettings(rounds=int(sys.argv[1]) if sys.argv[1:] else VerbsSettings.rounds))):
    show(table)

"""How far two names for one program lie apart, in each environment; the steadiest is what other controls measure.

The names of all environments that answer the lightest workload take turns. The steadiest environment has the smallest
standard deviation between rounds of the logarithm of the ratio of its two names. This rule was stated before anything
was measured. Disturbances that affect both names of a round alike are not in the ratio.
"""

import glob
import os
import sys
from collections.abc import Sequence

from bench import controls
from bench.campaign import report, rounds
from bench.cases import Case
from bench.controls import LIGHT, RUN_S, Session
from bench.driver.telemetry import Watch
from bench.errors import RecordError
from bench.results import records, twins
from bench.results.lines import End, Line, Run

ORDER = 0
NAME = "spread"
ROUNDS = 6


def _borne(place: Session) -> dict[str, Case]:
    """Return {name: what it stands for}: two names for the training steps of each environment that answers LIGHT."""
    return {"%s-%s" % (name, twin): controls.first_case(place, LIGHT, name)
            for name in controls.answering(place, LIGHT) for twin in twins.NAMES}  # fmt: skip


def _count(place: Session) -> int:
    return min(ROUNDS, int(place.arguments.rounds or ROUNDS))


def expected_s(place: Session) -> float:
    """Return the seconds of all rounds."""
    return RUN_S * len(_borne(place)) * _count(place)


def measure(place: Session) -> None:
    """Measure both names of every environment in the same rounds, as a campaign measures competitors."""
    borne, count = _borne(place), _count(place)
    if not borne:
        place.say("%s: no environment at hand answers %s; nothing is measured" % (NAME, LIGHT))
        return
    cases = [case._replace(environment=name) for name, case in borne.items()]
    with Watch(place.arguments.threads) as watch:
        campaign = place.begin(NAME, cases, watch=watch)
        setting = place.twins(count, borne)._replace(watch=watch)
        rounds.run(campaign, cases, setting, report.Listener(sys.stderr))


def newest(place: Session) -> Sequence[Line]:
    """Return the lines of this machine's newest whole campaign of this control; none where there is none to be read.

    Campaigns from before competitors took turns have no runs and are skipped.
    """
    folder = os.path.join(place.arguments.results, place.machine["name"], "controls", NAME)
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl")), reverse=True):
        try:
            lines = records.read(path)
        except RecordError:
            continue  # the page says what is wrong with it
        if lines and isinstance(lines[-1], End) and records.of_class(lines, Run):
            return lines
    return []


def steadiest_case(place: Session) -> Case:
    """Return the training steps of LIGHT in the steadiest environment that was asked for.

    Where this control was not measured here, the first environment stands for it.
    """
    known = [name for name in twins.spreads(newest(place)) if name in place.environments]
    return controls.first_case(place, LIGHT, known[0] if known else None)

"""One environment under many names, some of them made slower by a known share: what the A/A and planted controls judge.

Each name is a competitor in ordinary rounds, with the sampler beside them and the rules for void ones. The key, which
says what is planted in which competitor, is drawn at random. It is kept out of the results until the last run is in
them, so that no estimate can know it.
"""

import os
import random
import sys
from typing import Any

from bench import controls, files, registry
from bench.campaign import report, rounds
from bench.campaign.campaign import CampaignFile
from bench.controls import RUN_S, Session, spread
from bench.driver.telemetry import Watch
from bench.replies import Reply
from bench.results import records
from bench.results.lines import Control, End

ORDER = 1
NAME = "planted"
ROUNDS = 20
TWINS = 5  # with nothing planted: 10 pairs of them, in two halves of ten rounds, are 20 real comparisons
PERCENT = (1, 2, 3, 5)
WAYS = ("device", "host")
KEYS = os.path.join(registry.STATE, "controls")


def plans() -> list[tuple[str, int]]:
    """Return the (way, percent) that is planted in each competitor: percent 0 in the twins."""
    return [("device", 0)] * TWINS + [(way, percent) for way in WAYS for percent in PERCENT]


def expected_s(place: Session) -> float:
    """Return the seconds of all rounds, and of the search for the steadiest environment where that was not made yet."""
    search_s = 0.0 if spread.newest(place) else spread.expected_s(place)
    return search_s + len(plans()) * RUN_S * (place.arguments.rounds or ROUNDS)


def measure(place: Session) -> None:
    """Measure every competitor in every round, then disclose the key."""
    if not spread.newest(place):
        spread.measure(place)
    case = spread.steadiest_case(place)
    competitors = ["competitor-%02d" % number for number in range(1, len(plans()) + 1)]
    cases = [case._replace(environment=each) for each in competitors]
    count = place.arguments.rounds or ROUNDS
    with Watch(place.arguments.threads) as watch:
        campaign = place.begin_twins(NAME, case, competitors, watch=watch)
        if campaign.runs() and controls.kept(_key_path(campaign)) is None:
            campaign = place.begin_twins(NAME, case, competitors, True, watch)  # whose key is lost, nobody can judge
        key = _key(campaign, competitors)
        setting = place.twins(count, dict.fromkeys(competitors, case))._replace(planted=key, watch=watch)
        rounds.run(_Sealed(*campaign), cases, setting, report.Listener(sys.stderr))
    os.remove(_key_path(campaign))


class _Sealed(CampaignFile):
    """A campaign that writes the key when its last run is in it."""

    def write(self, line: Any) -> Any:
        """Append one line, the key before the end unless it is there: a kill may come between the two."""
        key = controls.kept(_key_path(self))
        about = {name: f"{way} {percent}" for name, (way, percent) in key.items()}
        if isinstance(line, End) and about not in [one.about for one in records.of_class(self.lines, Control)]:
            super().write(controls.line_of(self, NAME, about, Reply(), files.now()))
        return super().write(line)


def _key_path(campaign: CampaignFile) -> str:
    return os.path.join(KEYS, campaign.name + ".json")


def _key(campaign: CampaignFile, competitors: list[str]) -> dict[str, tuple[str, int]]:
    """Return what is planted in which competitor: drawn once, by the system's own chance, and kept for a resumption."""
    path = _key_path(campaign)
    if controls.kept(path) is None:
        drawn = plans()
        random.SystemRandom().shuffle(drawn)
        controls.keep(path, dict(zip(competitors, drawn)))
    return {name: (way, percent) for name, (way, percent) in controls.kept(path).items()}

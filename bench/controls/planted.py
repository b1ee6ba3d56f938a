"""One environment under many names, some of them made slower by a known share: what the A/A and planted controls judge.

Each name is a competitor in ordinary rounds, with the sampler beside them and the rules for void ones. What is planted
in which is drawn by chance and kept out of the results until the last run is in them, so that no estimate can know it.
"""

import os
import random
import sys
import time
from typing import Any, Dict, List, Optional

from bench import campaign as campaigns
from bench import controls, profiles, registry, report, rounds
from bench.campaign import CampaignFile
from bench.controls import RUN_S, Session, spread
from bench.telemetry import Watch

ORDER = 1
NAME = "planted"
ROUNDS = 20
TWINS = 5  # with nothing planted: 10 pairs of them, in two halves of ten rounds, are 20 real comparisons
PERCENT = (1, 2, 3, 5)
WAYS = ("device", "host")
SHORTEST_SLEEP_S = 2e-3  # a system may oversleep by as much: the rest of a pause is spent looking at the clock
KEYS = os.path.join(registry.STATE, "controls")


class Slowed:
    """A program made slower by `percent`, on the device or on the host; everything else is the program's own.

    device: of every 100 steps, `percent` are made once more, spread evenly: a block has a multiple of as many, for a
    run's number is the lower decile of its blocks, which would take those that met fewer. host: before a wait
    returns, the host pauses for `percent` of the time since the first step after the last wait. (A pause after each
    step would be hidden by a device that works on meanwhile, and rightly.)
    """

    OF = 100

    def __init__(self, program: Any, way: str, percent: int) -> None:
        self.program = program
        self.percent = percent
        self.step = {"device": self._step_again, "host": self._step}[way]
        self.wait = {"device": program.wait, "host": self._wait}[way]
        self.steps = self.extra = 0
        self.begun: Optional[float] = None
        if hasattr(program, "loop"):
            self.loop = {"device": self._loop_longer, "host": self._loop}[way]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.program, name)

    def _due(self, steps: int) -> int:
        """Return how many steps are to be made once more, now that so many were asked for."""
        self.steps += steps
        due = self.percent * self.steps // self.OF - self.extra
        self.extra += due
        return due

    def _step_again(self, batch: Any) -> Any:
        handle = self.program.step(batch)
        for _ in range(self._due(1)):
            handle = self.program.step(batch)
        return handle

    def _loop_longer(self, batch: Any, steps: int, clock: Any) -> Any:
        return self.program.loop(batch, steps + self._due(steps), clock)

    def _loop(self, batch: Any, steps: int, clock: Any) -> Any:
        return self.program.loop(batch, steps, Paused(clock, self.percent))

    def _step(self, batch: Any) -> Any:
        self.begun = self.begun or time.perf_counter()
        return self.program.step(batch)

    def _wait(self, handle: Any) -> Any:
        number = self.program.wait(handle)
        if self.begun is not None:
            _pause(self.begun, self.percent)
            self.begun = None
        return number


class Paused:
    """A clock that pauses for `percent` of the time since it began before it ends."""

    def __init__(self, clock: Any, percent: int) -> None:
        self.clock = clock
        self.percent = percent

    def begin(self) -> None:
        """Begin."""
        self.begun = time.perf_counter()
        self.clock.begin()

    def end(self) -> None:
        """Pause, and end."""
        _pause(self.begun, self.percent)
        self.clock.end()


def _pause(since: float, percent: int) -> None:
    """Pause for `percent` of the time since a moment."""
    now = time.perf_counter()
    pause_until(now + (now - since) * percent / 100.0)


def pause_until(end: float) -> None:
    """Return when the clock shows `end`: asleep as long as that is safe, then watching the clock."""
    left = end - time.perf_counter()
    if left > SHORTEST_SLEEP_S:
        time.sleep(left - SHORTEST_SLEEP_S)
    while time.perf_counter() < end:
        pass


def plans() -> List[Dict[str, Any]]:
    """Return what is planted in each competitor: percent 0 in the twins."""
    nothing = [{"way": "device", "percent": 0}] * TWINS
    return nothing + [{"way": way, "percent": percent} for way in WAYS for percent in PERCENT]


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
    profile = profiles.CONTROL._replace(min_rounds=count, max_rounds=count)
    with Watch(place.arguments.threads) as watch:
        campaign = place.begin_twins(NAME, case, competitors, watch=watch)
        if campaign.runs() and controls.kept(_key_path(campaign)) is None:
            campaign = place.begin_twins(NAME, case, competitors, True, watch)  # whose key is lost, nobody can judge
        key = _key(campaign, competitors)
        setting = place.twins(profile, dict.fromkeys(competitors, case))._replace(
            besides={each: {"planted": key[each]} for each in competitors}, watch=watch
        )
        rounds.run(_Sealed(campaign, key), cases, rounds.Plan(setting, {}), report.Listener(sys.stderr))
    os.remove(_key_path(campaign))


class _Sealed:
    """A campaign that writes the key when its last run is in it."""

    def __init__(self, campaign: CampaignFile, key: Dict[str, Dict[str, Any]]) -> None:
        self.campaign = campaign
        self.key = key

    def __getattr__(self, name: str) -> Any:
        return getattr(self.campaign, name)

    def write(self, record: Dict[str, Any]) -> Dict[str, Any]:
        """Append one record, the key before the end unless it is there: a kill may come between the two."""
        about = {name: "%(way)s %(percent)d" % planted for name, planted in self.key.items()}
        if record["kind"] == "end" and about not in [line.get("about") for line in self.campaign.lines]:
            self.campaign.write(controls.record(NAME, about, {}, controls.DONE, campaigns.now()))
        return self.campaign.write(record)


def _key_path(campaign: CampaignFile) -> str:
    return os.path.join(KEYS, campaign.name + ".json")


def _key(campaign: CampaignFile, competitors: List[str]) -> Dict[str, Dict[str, Any]]:
    """Return what is planted in which competitor: drawn once, by the system's own chance, and kept for a resumption."""
    path = _key_path(campaign)
    if controls.kept(path) is None:
        drawn = plans()
        random.SystemRandom().shuffle(drawn)
        controls.keep(path, dict(zip(competitors, drawn)))
    return controls.kept(path)

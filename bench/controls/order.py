"""Twins measured one after the other and in turns, while another process loads their core in waves.

They run on one core, which the load shares fairly: a step takes about twice as long. Threads on several cores wait for
each other, busily, and one that shares its core would make a step take twenty times as long, or a hundred.
"""

import subprocess
import sys
from typing import Any, List, Tuple

from bench import campaign as campaigns
from bench import profiles, registry, report, turns
from bench.cases import Case
from bench.controls import RUN_S, Session, _load, spread
from bench.errors import ControlError
from bench.turns import Turn

ORDER = 3
NAME = "order"
ROUNDS = 10
LOADED = 1.3  # times as long, over runs with the load and without
ARMS = ("sequential", "interleaved")
TWINS = ("a", "b")

Together = Tuple[Tuple[Case, ...], Turn]  # who is alive at once, and in which round


def _count(place):
    """Return the rounds of an arm: even, so that no round is loaded in half."""
    wanted = place.arguments.rounds or ROUNDS
    return wanted + wanted % 2


def expected_s(place: Session) -> float:
    """Return the seconds of both arms; beside the load, a run takes longer."""
    return LOADED * len(ARMS) * len(TWINS) * RUN_S * _count(place)


def schedule(case: Case, count: int, seed: int) -> List[Together]:
    """Return who is alive at once: each round of one twin alone, then of the other; then both in turns, in rounds."""
    sequential, interleaved = (
        [case._replace(environment="%s-%s" % (arm, twin)) for twin in TWINS] for arm in ARMS
    )  # fmt: skip
    numbers = range(1, count + 1)
    seen = set(sequential + interleaved)
    alone = [((twin,), Turn(number, 0, seen)) for twin in sequential for number in numbers]
    return alone + [(tuple(turns.order(interleaved, seed, number)), Turn(number, 0, seen)) for number in numbers]


def is_loaded(position: int, count: int) -> bool:
    """Say whether the load works, by the place in the plan: beside one twin alone, and beside half of all turns."""
    return position < count or 0 <= position - len(TWINS) * count < count / 2


def measure(place: Session) -> None:
    """Measure both arms under the load, which goes by the plan and not by the clock: also after an interrupt."""
    place = place.asked_for(threads=1)
    case = spread.steadiest_case(place)
    count = _count(place)
    planned = schedule(case, count, place.arguments.seed)
    names = sorted({each.environment for cases, _ in planned for each in cases})
    campaign = place.begin_twins(NAME, case, names)
    setting = place.twins(profiles.CONTROL, dict.fromkeys(names, case))
    with Load() as load:
        _measure_missing(campaign, planned, load, setting)
    campaigns.end(campaign, count, "all that was planned")


def _measure_missing(campaign, planned, load, setting):
    """Measure what is missing of the plan, in its order."""
    done = {(Case(**run["case"]), run["round"]) for run in campaign.runs()}
    waiting = [each for each in planned if not done.issuperset((case, each[1].round) for case in each[0])]
    writer = campaigns.Writer(campaign, setting.environments, setting.known)
    listener, begun_s = report.Listener(sys.stderr), campaign.spent_s()
    for number, together in enumerate(waiting, 1):
        load.switch(is_loaded(planned.index(together), planned[-1][1].round))
        for record in turns.measure(*together, setting):
            run = writer.write(record)
            listener(run, campaign, (len(waiting) - number) * (campaign.spent_s() - begun_s) / number)


class Load:
    """A process that keeps the first core busy while it is switched on; it ends with this block, or its parent."""

    def __enter__(self) -> "Load":
        command = [sys.executable, "-m", "bench.controls._load"]
        self.process = subprocess.Popen(command, cwd=registry.ROOT, stdin=subprocess.PIPE, bufsize=0)
        return self

    def switch(self, is_busy: bool) -> None:
        """Let it work, or rest, from now on; raises ControlError where it has ended."""
        try:
            self.process.stdin.write(_load.BUSY if is_busy else _load.REST)
        except OSError as error:
            raise ControlError(
                "The process that loads the machine has ended (%s): without it, this control shows nothing. Give the "
                "same command again: it goes on where it stopped." % error.strerror
            ) from None

    def __exit__(self, *_: Any) -> None:
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()

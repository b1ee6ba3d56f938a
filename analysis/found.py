"""What a build of the site found: all that figures, data files and pages are made from."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from analysis import releases
from analysis.compare.history import Track
from analysis.compare.peers import Measured
from analysis.compare.unpaired import Compared
from analysis.controls import Control
from analysis.estimate.estimates import Estimates, first_questions, in_default_mode, of_workload, usual_threads
from analysis.figures.style import Saved
from analysis.lessons import Lesson
from analysis.load.campaigns import Campaign
from analysis.load.table import Results
from analysis.releases import Release
from analysis.text import machines
from bench.cases import STEPS, TASKS
from bench.proof.parity import Pair

T = TypeVar("T")


class Found(NamedTuple):
    """Results with the conclusions from them."""

    results: Results
    answers: Sequence[Estimates]
    defaults: Sequence[Estimates]  # the same questions among default modes of today's versions only
    lessons: Sequence[Lesson]
    matrix: Sequence[Pair] = ()  # of bench.proof.matrix
    controls: Mapping[str, Mapping[str, Control]] = {}  # by machine and control
    compared: Compared = Compared()  # sets of results that share no rounds
    pictures: Mapping[str, Sequence[Saved]] = {}  # by the page that shows them, see analysis/figures
    peers: Sequence[Measured] = ()  # other timing tools beside `versus`
    history: Sequence[Track] = ()  # series of releases
    changed: Sequence[
        Estimates
    ] = ()  # of ablations: for lessons, the Results table, and the scaling of several devices

    @property
    def names(self) -> dict[str, str]:
        """Return each machine's short name: GPUs first, each kind in the order in which they were first measured."""
        first: dict[str, Campaign] = {}
        for each in sorted(self.results.shown, key=lambda each: each.name):
            first.setdefault(each.machine, each)
        order = sorted(first, key=lambda name: (not first[name].bench.machine.gpu, first[name].name))
        return machines.short_names({name: first[name].bench.machine for name in order})

    def first(self, machine: str, with_old: bool = False) -> list[Estimates]:
        """Return each workload's first question among default modes on one machine, of today's versions or of all."""
        if with_old:
            own = [each for each in self.answers if each.question.machine == machine and each.question.task in STEPS]
            return first_questions([in_default_mode(each) for each in own])
        return first_questions([each for each in self.defaults if each.question.machine == machine])

    def usual_threads(self, machine: str) -> int:
        """Return the number of threads that most of a machine's questions were answered with."""
        return usual_threads([each for each in self.answers if each.question.machine == machine])

    def campaigns(self, machine: str) -> list[Campaign]:
        """Return a machine's campaigns that are concluded from, oldest first."""
        return [each for each in self.results.shown if each.machine == machine]

    def newer(self, machine: str, environment: str) -> list[Release]:
        """Return the releases that are newer than what an environment of today loaded on a machine."""
        record = self.results.environment(machine, environment)
        return releases.newer(record.loaded) if record and environment in releases.of_recent_years() else []

    def of(self, machine: str, workload: str) -> list[Estimates]:
        """Return the answers to a workload's questions on one machine, in the workload's own order."""
        own = [each for each in of_workload(self.answers, workload) if each.question.machine == machine]
        return sorted(own, key=lambda each: (TASKS.index(each.question.task), each.question.place, each.question))


def once(make: Callable[[Found], T]) -> Callable[[Found], T]:
    """Remember what a function made of the newest Found, for the several pages and data files that ask for it."""
    latest: list[tuple[Found, T]] = []

    @functools.wraps(make)
    def remembered(found: Found) -> T:
        if not latest or latest[0][0] is not found:
            latest[:] = [(found, make(found))]
        return latest[0][1]

    return remembered

"""Find what is published of a case on hardware like this one, or say why nothing published can be compared with it.

Hardware is known by its record, never by the name of a folder. Hardware is the same if the GPU is, or on a CPU if the
processor and the number of logical CPUs are. A virtual machine's processor has a general name with family and model.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from analysis import units
from analysis.load.campaigns import Campaign
from analysis.load.outcomes import Outcome
from analysis.load.table import NOT_RUN, why_not_run
from analysis.stats import interval
from analysis.stats.interval import MIN_ROUNDS
from bench import proof
from bench.cases import STEPS, Case
from bench.results import records
from bench.results.lines import Environment, Machine


class CaseTimes(NamedTuple):
    """One case in one campaign."""

    campaign: Campaign
    case: Case
    title: str  # of the environment
    step_s: dict[int, float]  # by round that has a time: seconds per step, or per epoch
    cores: float | None  # processor time over wall time, the median over rounds
    code: str | None  # hash of the model file that was measured last
    proof: str | None  # of parity: hash of it, the adapter, the statement and the versions
    in_turns: bool  # with its rivals, block by block; else alone
    reason: str | None  # why a round has no time; None when all have one

    @property
    def environment(self) -> Environment | None:
        """The environment's line; None where the environment was not installed."""
        return self.campaign.environments.get(self.case.environment)

    @property
    def loaded(self) -> list[tuple[str, str]]:
        """The versions that the framework loaded of itself."""
        return proof.versions(self.environment.loaded if self.environment else {})

    @property
    def way(self) -> str:
        """How it was measured, in words."""
        return "in turns" if self.in_turns else "alone"

    @property
    def is_default(self) -> bool:
        """Whether the mode is its environment's documented one."""
        return records.default_mode(self.environment, self.case.task) == self.case.mode

    @property
    def mean_s(self) -> float | None:
        """The geometric mean over rounds; None without a time."""
        return interval.geometric_mean(list(self.step_s.values())) if self.step_s else None

    @property
    def setting(self) -> str:
        """What sets a case apart from others of its workload and environment: `eager b64 sgd`."""
        case = self.case
        parts = [case.mode, f"b{case.batch_size}", *([] if case.optimizer == "none" else [case.optimizer])]
        parts += [] if case.precision == "fp32" else [case.precision]
        return " ".join(parts + ([] if case.task in STEPS else [case.task]))

    @property
    def name(self) -> str:
        """What a reader calls the case."""
        return f"{self.case.workload}, {self.title}, {self.setting}"


def cells(campaign: Campaign) -> dict[Case, CaseTimes]:
    """Return every case that a campaign was asked for, in its order."""
    asked = campaign.bench.cases
    nothing = {case: Outcome(case, (), (), None, (), NOT_RUN, why_not_run(campaign)) for case in asked}
    found = {**nothing, **{each.case: each for each in campaign.outcomes.cases}}
    return {case: _cell(campaign, outcome) for case, outcome in found.items()}


def _cell(campaign: Campaign, outcome: Outcome) -> CaseTimes:
    lost = outcome.lost
    return CaseTimes(
        campaign=campaign,
        case=outcome.case,
        title=campaign.title(outcome.case.environment),
        step_s=dict(zip(outcome.rounds, outcome.step_s, strict=True)),
        cores=outcome.cores,
        code=outcome.codes[-1] if outcome.codes else None,
        proof=outcome.provenances[-1].proof if outcome.provenances else None,
        in_turns=bool(outcome.provenances) and outcome.provenances[-1].in_turns,
        reason=f"{lost.replace('_', ' ')}: {outcome.reason}" if lost else None,
    )


def hardware(machine: Machine, device: str) -> str:
    """Return what decides how fast a machine is, in words."""
    if device == "gpu":
        return str(machine.gpu)
    return f"{machine.cpu} with {units.count(machine.logical_cpus, 'CPU')}"


def _obstacles(yours: CaseTimes, published: CaseTimes) -> Iterator[tuple[str, str]]:
    """Yield why a published cell may not be compared with `yours`, each after its name in ORDER, and in that order."""
    here, there = yours.campaign.bench, published.campaign.bench
    own, other = (hardware(bench.machine, yours.case.device) for bench in (here, there))
    if own != other:
        yield "hardware", f"nothing is published of {own}"
    if published.case != yours.case:
        yield "case", f"nothing is published of this case on {own}"
    if yours.loaded != published.loaded:
        theirs, mine = _only(published, yours), _only(yours, published)
        yield "versions", f"published with {theirs}, here {mine}"
    rounds = len(published.step_s)
    if rounds < MIN_ROUNDS:
        few = f"published with {units.count(rounds, 'round')}: a band needs {MIN_ROUNDS}"
        yield "rounds", few if rounds else "published without a time"
    if here.threads != there.threads and yours.case.device != "gpu":  # a GPU does the work; a hint tells of few
        yield "threads", f"published with {units.count(there.threads, 'thread')}, here {here.threads}"
    if yours.in_turns != published.in_turns and yours.step_s and published.step_s:
        yield "way", f"published as measured {published.way}, here {yours.way}"
    if yours.code != published.code:
        yield "code", "published by another version of the model file"


ORDER = ("hardware", "case", "versions", "rounds", "threads", "way", "code")  # the later, the nearer
DIFFERENCES = ("versions", "code")  # what a time may differ in and still be shown beside, for information


def _only(cell: CaseTimes, other: CaseTimes) -> str:
    """Return the versions of a cell that are not those of another, in words."""
    return units.listing(" ".join(each) for each in cell.loaded if each not in other.loaded) or "nothing else"


def find(yours: CaseTimes, published: Sequence[CaseTimes]) -> tuple[list[CaseTimes], str | None]:
    """Return the published cells that `yours` may be compared with, or none and why the nearest one may not.

    `published` are the cells of all published campaigns, oldest first.
    """
    met = [(next(_obstacles(yours, each), None), each) for each in published]
    comparable = [each for obstacle, each in met if obstacle is None]
    if comparable:
        return comparable, None
    obstacles = [obstacle for obstacle, _ in reversed(met) if obstacle]
    _, why = max(obstacles, key=lambda each: ORDER.index(each[0]), default=("", "nothing is published yet"))
    return [], why


def nearest(yours: CaseTimes, published: Sequence[CaseTimes]) -> tuple[CaseTimes, str] | None:
    """Return what is published of the same case on such hardware by the nearest other version, and how it differs.

    None where there is nothing. It gives no verdict: what it differs in may be what makes the difference.
    """
    alike = [each for each in reversed(published) if all(name in DIFFERENCES for name, _ in _obstacles(yours, each))]
    if not alike:
        return None
    chosen = max(alike, key=lambda each: _likeness(yours, each))  # the newest of those that are as near
    return chosen, units.listing(why for _, why in _obstacles(yours, chosen))


def _likeness(yours: CaseTimes, published: CaseTimes) -> tuple[int, bool]:
    """Return how many parts of the versions agree, and whether the code does."""
    there = dict(published.loaded)
    parts = sum(_agreeing(version, there[name]) for name, version in yours.loaded if name in there)
    return parts, yours.code == published.code


def _agreeing(one: str, other: str) -> int:
    """Return how many parts of two versions agree from the left: of 2.13.0 and 2.13.1, two."""
    pairs = zip(one.split("."), other.split("."), strict=False)
    return len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)))

"""Find what is published of a case on hardware like this one, or say why nothing published can be compared with it.

Hardware is known by its record, never by the name of a folder: the same GPU for a case on a GPU; the same processor
with as many logical CPUs for one on a CPU. Its family and model are part of its name: a virtual machine's is general.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from analysis import units
from analysis.load.campaigns import Campaign
from analysis.load.outcomes import Outcome
from analysis.load.table import NOT_RUN, why_not_run
from analysis.stats import interval
from analysis.stats.interval import MIN_ROUNDS
from bench import proof
from bench.cases import STEPS, Case
from bench.results import records

Record = dict[str, Any]


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
    def environment(self) -> Record:
        """The environment's record; empty where the environment was not installed."""
        return self.campaign.environments.get(self.case.environment, {})

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
    asked = [Case(**case) for case in campaign.bench["cases"]]
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


def hardware(machine: Record, device: str) -> str:
    """Return what decides how fast a machine is, in words."""
    if device == "gpu":
        return str(machine["gpu"])
    return f"{machine['cpu']} with {units.count(machine['logical_cpus'], 'CPU')}"


def _other_hardware(yours: CaseTimes, published: CaseTimes) -> str | None:
    device = yours.case.device
    here, there = (hardware(each.campaign.bench["machine"], device) for each in (yours, published))
    return None if here == there else f"nothing is published of {here}"


def _other_case(yours: CaseTimes, published: CaseTimes) -> str | None:
    if published.case == yours.case:
        return None
    return f"nothing is published of this case on {hardware(yours.campaign.bench['machine'], yours.case.device)}"


def _other_versions(yours: CaseTimes, published: CaseTimes) -> str | None:
    here, there = (proof.versions(each.environment.get("loaded", {})) for each in (yours, published))
    if here == there:
        return None
    only_here, only_there = (
        [item for item in one if item not in other] for one, other in ((here, there), (there, here))
    )
    return f"published with {_listed(only_there)}, here {_listed(only_here)}"


def _listed(versions: Sequence[tuple[str, str]]) -> str:
    return units.listing(f"{name} {version}" for name, version in versions) or "nothing else"


def _other_threads(yours: CaseTimes, published: CaseTimes) -> str | None:
    here, there = yours.campaign.bench["threads"], published.campaign.bench["threads"]
    if here == there or yours.case.device == "gpu":  # a GPU does the work; a hint tells of few threads
        return None
    return f"published with {units.count(there, 'thread')}, here {here}"


def _other_code(yours: CaseTimes, published: CaseTimes) -> str | None:
    if yours.code == published.code:
        return None
    return "published by another version of the model file"


def _other_way(yours: CaseTimes, published: CaseTimes) -> str | None:
    if yours.in_turns == published.in_turns or not (yours.step_s and published.step_s):
        return None
    here, there = ("in turns" if each.in_turns else "alone" for each in (yours, published))
    return f"published as measured {there}, here {here}"


def _too_few(_: CaseTimes, published: CaseTimes) -> str | None:
    rounds = len(published.step_s)
    if rounds >= MIN_ROUNDS:
        return None
    if not rounds:
        return "published without a time"
    return f"published with {units.count(rounds, 'round')}: a band needs {MIN_ROUNDS}"


OBSTACLES: tuple[Callable[[CaseTimes, CaseTimes], str | None], ...] = (
    _other_hardware, _other_case, _other_versions, _too_few, _other_threads, _other_way,
    _other_code,
)  # fmt: skip
DIFFERENCES = (_other_versions, _other_code)  # what a time may differ in and still be shown beside, for information


def find(yours: CaseTimes, published: Sequence[CaseTimes]) -> tuple[list[CaseTimes], str | None]:
    """Return the published cells that `yours` may be compared with, or none and why the nearest one may not.

    `published` are the cells of all published campaigns, oldest first.
    """
    met = [(_obstacle(yours, each), each) for each in published]
    comparable = [each for (place, _), each in met if place == len(OBSTACLES)]
    if comparable:
        return comparable, None
    _, why = max((obstacle for obstacle, _ in reversed(met)), key=lambda each: each[0], default=(0, None))
    return [], why or "nothing is published yet"


def nearest(yours: CaseTimes, published: Sequence[CaseTimes]) -> tuple[CaseTimes, str] | None:
    """Return what is published of the same case on such hardware by the nearest other version, and how it differs.

    None where there is nothing. It gives no verdict: what it differs in may be what makes the difference.
    """
    others = [check for check in OBSTACLES if check not in DIFFERENCES]
    alike = [each for each in reversed(published) if not any(check(yours, each) for check in others)]
    if not alike:
        return None
    chosen = max(alike, key=lambda each: _likeness(yours, each))  # the newest of those that are as near
    return chosen, units.listing(why for why in (check(yours, chosen) for check in DIFFERENCES) if why)


def _likeness(yours: CaseTimes, published: CaseTimes) -> tuple[int, bool]:
    """Return how many parts of the versions agree, and whether the code does."""
    here, there = (dict(proof.versions(each.environment.get("loaded", {}))) for each in (yours, published))
    parts = sum(_agreeing(version, there[name]) for name, version in here.items() if name in there)
    return parts, yours.code == published.code


def _agreeing(one: str, other: str) -> int:
    """Return how many parts of two versions agree from the left: of 2.13.0 and 2.13.1, two."""
    pairs = zip(one.split("."), other.split("."), strict=False)
    return len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _obstacle(yours: CaseTimes, published: CaseTimes) -> tuple[int, str]:
    """Return how far a published cell gets on the list of OBSTACLES, and what stops it there."""
    for place, check in enumerate(OBSTACLES):
        if why := check(yours, published):
            return place, why
    return len(OBSTACLES), ""

"""Find what is published of a case on hardware like this one, or say why nothing published can be compared with it.

Hardware is known by its record, never by the name of a folder. Hardware is the same if the GPU is, or on a CPU if the
processor and the number of logical CPUs are. A virtual machine's processor has a general name with family and model.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from analysis import units
from analysis.load.campaigns import Campaign
from analysis.load.outcomes import Provenance
from analysis.load.table import NOT_RUN, why_not_run
from analysis.stats import interval
from bench import proof
from bench.cases import STEPS, Case
from bench.results.lines import Environment, Machine

NOTHING = Provenance(None, None, in_turns=False)
ORDER = ("versions", "rounds", "threads", "measured", "code")  # obstacles: the later, the nearer
DIFFERENCES = {"versions", "code"}  # what a time may differ in and still be shown beside, for information


class CaseTimes(NamedTuple):
    """One case in one campaign."""

    campaign: Campaign
    case: Case
    title: str  # of the environment
    step_s: dict[int, float]  # by round that has a time: seconds per step, or per epoch
    cores: float | None  # processor time over wall time, the median over rounds
    measured: Provenance  # of the last time
    reason: str | None  # why a round has no time; None when all have one

    @property
    def environment(self) -> Environment | None:
        """The environment's line; None where the environment was not installed."""
        return self.campaign.environments.get(self.case.environment)

    @property
    def loaded(self) -> list[str]:
        """The versions that the framework loaded of itself, each after its name."""
        return list(map(" ".join, proof.versions(self.environment.loaded if self.environment else {})))

    @property
    def mean_s(self) -> float | None:
        """The geometric mean over rounds; None without a time."""
        return interval.geometric_mean(list(self.step_s.values())) if self.step_s else None

    @property
    def setting(self) -> str:
        """What distinguishes a case from others of its workload and environment: `eager b64 sgd`."""
        case = self.case
        parts = [case.mode, f"b{case.batch_size}", *([] if case.optimizer == "none" else [case.optimizer])]
        parts += [] if case.precision == "fp32" else [case.precision]
        return " ".join(parts + ([] if case.task in STEPS else [case.task]))

    @property
    def name(self) -> str:
        """What a reader calls the case."""
        return f"{self.case.workload}, {self.title}, {self.setting}"


def cells(campaign: Campaign) -> list[CaseTimes]:
    """Return the times of every case that a campaign was asked for, in its order."""
    every = []
    for case, outcome in campaign.asked.items():
        title, lost = campaign.title(case.environment), outcome.lost if outcome else NOT_RUN
        reason = f"{lost.replace('_', ' ')}: {outcome.reason if outcome else why_not_run(campaign)}" if lost else None
        step_s = dict(zip(outcome.rounds, outcome.step_s, strict=True)) if outcome else {}
        measured = [NOTHING, *(outcome.provenances if outcome else ())][-1]
        every.append(CaseTimes(campaign, case, title, step_s, outcome and outcome.cores, measured, reason))
    return every


def hardware(machine: Machine, device: str) -> str:
    """Return what decides how fast a machine is, in words."""
    if device == "gpu":
        return str(machine.gpu)
    return f"{machine.cpu} with {units.count(machine.logical_cpus, 'CPU')}"


def differences(first: CaseTimes, second: CaseTimes) -> dict[str, tuple[object, object]]:
    """Return what is known to differ between two measurements of one case, by name, with both values.

    A proof is of the versions and of the model file as well, so it is compared only where both are the same.
    """
    sides = []
    for times in (first, second):
        machine, environment = times.campaign.bench.machine, times.environment
        sides.append({
            "versions": ", ".join(times.loaded) or "versions not known", "Python": environment and environment.python,
            "threads": times.campaign.threads, "measured": "in turns" if times.measured.in_turns else "alone",
            "system": machine.system, "GPU driver": machine.gpu_driver,
            "code": times.measured.code, "proof": times.measured.proof,
        })  # fmt: skip
    differ = {name: (one, sides[1][name]) for name, one in sides[0].items() if one != sides[1][name]}
    return {name: both for name, both in differ.items() if name != "proof" or not DIFFERENCES & differ.keys()}


def _obstacles(yours: CaseTimes, published: CaseTimes) -> dict[str, str]:
    """Return why published times may not be compared with `yours`, by their names in ORDER, and in that order."""
    differ, rounds, why = differences(yours, published), len(published.step_s), {}
    if "versions" in differ:
        only = [units.listing(version for version in one.loaded if version not in other.loaded) or "nothing else"
                for one, other in ((published, yours), (yours, published))]  # fmt: skip
        why["versions"] = f"published with {only[0]}, here {only[1]}"
    if rounds < interval.MIN_ROUNDS:
        few = f"published with {units.count(rounds, 'round')}: a band needs {interval.MIN_ROUNDS}"
        why["rounds"] = few if rounds else "published without a time"
    if "threads" in differ and yours.case.device != "gpu":  # a GPU does the work; a hint tells of few
        here, there = yours.campaign.threads, published.campaign.threads
        why["threads"] = f"published with {units.count(there, 'thread')}, here {here}"
    if "measured" in differ and yours.step_s and published.step_s:
        why["measured"] = "published as measured {1}, here {0}".format(*differ["measured"])
    if "code" in differ:
        why["code"] = "published by another version of the model file"
    return why


def find(
    yours: CaseTimes, published: Sequence[CaseTimes]
) -> tuple[list[CaseTimes], str | None, tuple[CaseTimes, str] | None]:
    """Return the published cells that `yours` may be compared with, or none and why the nearest one may not.

    If there are none, the third is the time of the nearest other version or model file, and how it differs. It gives
    no verdict: what it differs in may be what makes the difference. `published` are the cells of all published
    campaigns, oldest first.
    """
    own = hardware(yours.campaign.bench.machine, yours.case.device)
    alike = [times for times in published if hardware(times.campaign.bench.machine, yours.case.device) == own]
    same = [(_obstacles(yours, times), times) for times in reversed(alike) if times.case == yours.case]
    if not same:
        why = f"nothing is published of {'this case on ' if alike else ''}{own}"
        return [], why if published else "nothing is published yet", None
    if comparable := [times for obstacles, times in reversed(same) if not obstacles]:
        return comparable, None, None
    _, why = max((next(iter(obstacles.items())) for obstacles, _ in same), key=lambda first: ORDER.index(first[0]))
    others = [(times, units.listing(obstacles.values())) for obstacles, times in same
              if obstacles.keys() <= DIFFERENCES]  # fmt: skip
    return [], why, max(others, key=lambda both: _likeness(yours, both[0]), default=None)


def _likeness(yours: CaseTimes, published: CaseTimes) -> tuple[int, bool]:
    """Return how many parts of the versions agree from the left (2.13.0 and 2.13.1: two), and whether the code does."""
    here, there = (dict(version.split(" ", 1) for version in times.loaded) for times in (yours, published))
    both = (zip(here[name].split("."), there[name].split("."), strict=False) for name in here.keys() & there.keys())
    agreeing = (itertools.takewhile(lambda parts: parts[0] == parts[1], pairs) for pairs in both)
    return sum(len(list(parts)) for parts in agreeing), yours.measured.code == published.measured.code

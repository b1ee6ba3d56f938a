"""Sets of results beside each other that share no rounds: machines, campaigns, and versions of one machine.

Rounds are shared within a campaign only. What was measured at another time or on another machine is compared by the
ratio of two independent means (`contrasts.of_two_campaigns`). Its interval includes what campaigns of a machine differ
by, as far as that is known, and nothing of what else changed between them. Only answers to one question are compared.
Two versions that one campaign measured keep the ratio, and the claim, of that question's own table: paired within
rounds.
"""

import itertools
from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from analysis.compare import baseline
from analysis.compare.baseline import CaseTimes
from analysis.estimate import contrasts
from analysis.estimate.estimates import Estimates, Question
from analysis.estimate.pairs import Pair
from analysis.groups import grouped
from analysis.load.campaigns import Campaign
from analysis.load.table import Results
from analysis.stats import Row, interval
from bench import registry
from bench.results import records

MACHINES, CAMPAIGNS, VERSIONS = "machines", "campaigns", "versions"
KINDS = (MACHINES, CAMPAIGNS, VERSIONS)
MOST_CAMPAIGNS = 12  # of each machine, the newest: pairs grow with the square
MOST_ROWS = 5_000  # of each kind of sets: with three times as many, a page keeps to its 200 KB

Cells = dict[Hashable, CaseTimes]
Paired = Mapping[tuple[Question, Row, Row], Pair]


class Set(NamedTuple):
    """What is compared as one; of several answers to a question, the newest. `name` is unique within its kind."""

    name: str
    title: str
    campaigns: list[Campaign]  # that its cells come from, the newest last
    cells: Cells

    @property
    def machine(self) -> str:
        """The machine that all of it was measured on."""
        return self.campaigns[-1].machine

    @property
    def frameworks(self) -> set[str]:
        """The frameworks of its cells, by their folders; a version is of one."""
        names, known = {times.case.environment for times in self.cells.values()}, registry.environments()
        return {known[name].framework if name in known else name for name in names}

    @property
    def days(self) -> list[str]:
        """The days on which its campaigns began."""
        return sorted({each.day for each in self.campaigns})


class Unpaired(NamedTuple):
    """One case in two sets: `ratio` is the time in the second over that in the first; None where a time is missing."""

    first: CaseTimes
    second: CaseTimes
    ratio: interval.Interval | None
    claim: str  # as of a pair: "faster" (one of the two is), "equivalent" or "unresolved"
    is_paired: bool
    differs: list[str]  # what else is not the same in the two, or why there is no ratio


class SetComparison(NamedTuple):
    """Two sets with what they share."""

    kind: str
    first: Set
    second: Set
    rows: list[Unpaired]


class Compared(NamedTuple):
    """All sets by kind, the newest first, and each two of a kind that share a case."""

    sets: Mapping[str, Sequence[Set]] = {}
    comparisons: Sequence[SetComparison] = ()
    left_out: Mapping[str, int] = {}  # pairs of sets by kind, for want of room
    older: int = 0  # campaigns that are not among the newest of their machine

    def of(self, kind: str) -> list[SetComparison]:
        """Return the comparisons of a kind, those of the newest sets first."""
        return [each for each in self.comparisons if each.kind == kind]


def compare_all(results: Results, answers: Sequence[Estimates]) -> Compared:
    """Compare each two sets of a kind that share a case; older pairs are left out where there is no room."""
    campaigns = _newest(results.shown)
    sets = _sets(campaigns)
    pairs = {(answer.question, pair.a, pair.b): pair for answer in answers
             for one_way in answer.pairs for pair in (one_way, one_way.turned)}  # fmt: skip
    current = {id(times) for machine in sets[MACHINES] for times in machine.cells.values()}
    drifts = contrasts.between_campaigns(answers)
    found = {kind: _compared(kind, own, current, pairs, drifts) for kind, own in sets.items()}
    comparisons = [comparison for own, _ in found.values() for comparison in own]
    left_out = {kind: number for kind, (_, number) in found.items()}
    return Compared(sets, comparisons, left_out, len(results.shown) - len(campaigns))


def moved(comparisons: Sequence[SetComparison]) -> list[float]:
    """Return the ratios, of enough rounds, of what was measured again on its machine with nothing known to differ."""
    rows = [row for each in comparisons if each.kind == CAMPAIGNS for row in each.rows if not row.differs]
    return [row.ratio.value for row in rows if row.ratio and row.ratio.low is not None]


def _newest(shown: Sequence[Campaign]) -> list[Campaign]:
    """Return the newest campaigns of each machine, oldest first."""
    ordered = sorted(shown, key=_age)
    kept = {id(each) for own in grouped(ordered, lambda each: each.machine).values() for each in own[-MOST_CAMPAIGNS:]}
    return [each for each in ordered if id(each) in kept]


def _age(campaign: Campaign) -> tuple[str, str]:
    return campaign.began, campaign.name


def _sets(campaigns: Sequence[Campaign]) -> dict[str, list[Set]]:
    """Return all sets by kind, those of the newest campaign first, and equally new ones by name.

    A machine's is of each case the newest answer that has a time, with as many threads. A campaign is compared with
    others of its machine. A version is an environment with its loaded versions on a machine, in its default mode.
    """
    titles: dict[tuple[str, str], str] = {}
    cells: dict[tuple[str, str], Cells] = {}
    is_several = len({campaign.machine for campaign in campaigns}) > 1
    for times in itertools.chain.from_iterable(map(baseline.cells, campaigns)):
        campaign, case = times.campaign, times.case
        machine = campaign.machine
        where, loaded = f", on {machine}" if is_several else "", ", ".join(times.loaded) or "versions not known"
        title = f"{campaign.name}, begun {campaign.day}{where}"
        places: list[tuple[str, str, str, Hashable]] = [
            (MACHINES, machine, machine, (case, campaign.threads)),
            (CAMPAIGNS, f"{machine}/{campaign.name}", title, (machine, case)),
        ]
        if times.step_s and records.default_mode(times.environment, case.task) == case.mode:
            name, title = f"{machine}/{case.environment}/{loaded}", f"{times.title} ({loaded}){where}"
            places.append((VERSIONS, name, title, (machine, case.question)))
        for kind, name, title, key in places:
            own = cells.setdefault((kind, name), {})
            titles[kind, name] = title
            if times.step_s or key not in own:
                own[key] = times
    sets: dict[str, list[Set]] = {kind: [] for kind in KINDS}
    for (kind, name), own in sorted(cells.items()):
        known = {id(times.campaign): times.campaign for times in own.values()}
        sets[kind].append(Set(name, titles[kind, name], sorted(known.values(), key=_age), own))
    return {kind: sorted(own, key=lambda one: one.campaigns[-1].began, reverse=True) for kind, own in sets.items()}


def question_of(times: CaseTimes) -> Question:
    """Return the question that times answer."""
    about = {name: value for name, value in times.case._asdict().items() if name in Question._fields}
    return Question(machine=times.campaign.machine, threads=times.campaign.threads, **about)


def _compared(
    kind: str, sets: Sequence[Set], current: AbstractSet[int], pairs: Paired, drifts: contrasts.Drifts
) -> tuple[list[SetComparison], int]:
    """Return the comparisons of a kind's sets, those of the newest first, and for how many there was no room.

    `current` are the identities of the times that the site shows, of which `pairs` are made.
    """
    found: list[SetComparison] = []
    rows = left_out = 0
    for newer, older in ((sets[i], sets[j]) for j in range(len(sets)) for i in range(j)):
        if kind != MACHINES and newer.machine != older.machine:
            continue
        if kind == VERSIONS and newer.frameworks != older.frameworks:
            continue  # no two versions of one; pairs.csv holds the ratios of frameworks
        both = ((times, newer.cells[key]) for key, times in older.cells.items() if key in newer.cells)
        shared = [(first, second) for first, second in both if first.step_s or second.step_s]
        if rows + len(shared) > MOST_ROWS:
            left_out += 1
        elif shared:
            rows += len(shared)
            found.append(SetComparison(kind, older, newer, _beside(shared, current, pairs, drifts)))
    return found, left_out


def _beside(
    shared: Sequence[tuple[CaseTimes, CaseTimes]], current: AbstractSet[int], pairs: Paired, drifts: contrasts.Drifts
) -> list[Unpaired]:
    """Compare times two by two; claims on independent means are adjusted over all of these.

    Times of one question in one campaign that the site shows keep the ratio, and the claim, of its own table.
    """
    rows: list[Unpaired] = []
    waiting: dict[int, tuple[interval.Interval, float]] = {}  # by the place of the row
    for first, second in shared:
        is_paired = {id(first), id(second)} <= current and first.campaign is second.campaign
        is_paired = is_paired and first.case.question == second.case.question
        differ = [f"no time in campaign {times.campaign.name}: {times.reason or 'unknown'}"
                  for times in (first, second) if not times.step_s]  # fmt: skip
        ratio, claim = None, "unresolved"
        if is_paired and not differ:
            a, b = ((times.case.environment, times.case.mode) for times in (first, second))
            pair = pairs.get((question_of(first), a, b))
            ratio, claim = (pair.ratio, pair.claim) if pair else (None, claim)
            differ = [] if pair else ["no round has both"]
        elif not differ:
            known = [contrasts.drift_of(drifts, times.campaign.machine, times.campaign.threads, times.case.workload,
                               times.measured.in_turns) for times in (second, first)]  # fmt: skip
            independent = contrasts.of_two_campaigns(second.seconds, first.seconds, known)
            waiting[len(rows)] = independent.interval, contrasts.p_value(independent)
            ratio, differ = independent.interval, differences(first, second)
        rows.append(Unpaired(first, second, ratio, claim, is_paired, differ))
    for (place, (ratio, _)), p in zip(waiting.items(), interval.holm([p for _, p in waiting.values()]), strict=True):
        rows[place] = rows[place]._replace(claim=interval.claim(ratio, p))
    return rows


def differences(first: CaseTimes, second: CaseTimes) -> list[str]:
    """Return in words what is known to differ between two measurements of one case, except the time of day."""
    is_one_machine = first.campaign.machine == second.campaign.machine  # two machines differ in all that they are
    files = {"code": "the model file", "proof": "the adapter or the statement"}
    differ = baseline.differences(first, second)
    left_out = {"proof"} if first.case.environment != second.case.environment else set()
    left_out |= set() if is_one_machine else {"system", "GPU driver"}
    return [files.get(name, "{}: {}, and {}".format(name, *both)) for name, both in differ.items()
            if name not in left_out]  # fmt: skip

"""Sets of results beside each other that share no rounds: machines, campaigns, and versions of one machine.

Rounds are shared within a campaign only. What was measured at another time or on another machine is compared by the
ratio of two independent means (`drift.of_two_campaigns`). Its interval includes what campaigns of a machine differ by,
as far as that is known, and nothing of what else changed between them. Only answers to one question are compared. Two
versions that one campaign measured keep the ratio, and the claim, of that question's own table: paired within rounds.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

from analysis.compare import baseline
from analysis.compare.baseline import CaseTimes
from analysis.estimate import drift
from analysis.estimate.drift import Drifts
from analysis.estimate.estimates import Estimates, Question
from analysis.estimate.pairs import Pair
from analysis.load.campaigns import Campaign
from analysis.load.table import QUESTION, Results
from analysis.stats import Row, interval
from analysis.stats.interval import Interval
from bench.cases import Case

MACHINES, CAMPAIGNS, VERSIONS = "machines", "campaigns", "versions"
KINDS = (MACHINES, CAMPAIGNS, VERSIONS)
OF_MACHINE = {"system": "system", "GPU driver": "gpu_driver"}  # what may change on one machine, by name
MOST_CAMPAIGNS = 12  # of each machine, the newest: pairs grow with the square
MOST_ROWS = 5_000  # of each kind of sets: with three times as many, a page keeps to its 200 KB

Cells = dict[Hashable, CaseTimes]
Asked = tuple[Question, Row, Row]


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
    def days(self) -> list[str]:
        """The days on which its campaigns began."""
        return sorted({each.day for each in self.campaigns})


class Unpaired(NamedTuple):
    """One case in two sets: `ratio` is the time in the second over that in the first; None where a time is missing."""

    first: CaseTimes
    second: CaseTimes
    ratio: Interval | None
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
    read = [(each, list(baseline.cells(each).values())) for each in campaigns]
    machines = _machines(read)
    sets = {MACHINES: machines, CAMPAIGNS: _campaigns(read), VERSIONS: _versions(read)}
    current = {id(cell) for each in machines for cell in each.cells.values()}
    pairs = _Paired(current, {(answer.question, pair.a, pair.b): pair for answer in answers for pair in answer.pairs})
    drifts = drift.between_campaigns(answers)
    comparisons: list[SetComparison] = []
    left_out: dict[str, int] = {}
    for kind, own in sets.items():
        found, left_out[kind] = _compared(kind, own, pairs, drifts)
        comparisons += found
    return Compared(sets, comparisons, left_out, len(results.shown) - len(campaigns))


def moved(comparisons: Sequence[SetComparison]) -> list[float]:
    """Return the ratios, of enough rounds, of what was measured again on its machine with nothing known to differ."""
    rows = [row for each in comparisons if each.kind == CAMPAIGNS for row in each.rows if not row.differs]
    return [row.ratio.value for row in rows if row.ratio and row.ratio.low is not None]


def _newest(shown: Sequence[Campaign]) -> list[Campaign]:
    """Return the newest campaigns of each machine, oldest first."""
    ordered = sorted(shown, key=_age)
    own = {each.machine: [other for other in ordered if other.machine == each.machine] for each in ordered}
    kept = {id(each) for campaigns in own.values() for each in campaigns[-MOST_CAMPAIGNS:]}
    return [each for each in ordered if id(each) in kept]


def _age(campaign: Campaign) -> tuple[str, str]:
    return campaign.began, campaign.name


Read = Sequence[tuple[Campaign, list[CaseTimes]]]


def _machines(read: Read) -> list[Set]:
    """Return a set for each machine: of each case its newest answer that has a time, with as many threads."""
    found: dict[str, Cells] = {}
    for campaign, cells in read:
        own = found.setdefault(campaign.machine, {})
        own.update({(cell.case, campaign.threads): cell for cell in cells
                    if cell.step_s or (cell.case, campaign.threads) not in own})  # fmt: skip
    return _ordered([_set(name, name, cells) for name, cells in found.items()])


def _campaigns(read: Read) -> list[Set]:
    """Return a set for each campaign; one is compared with others of its machine."""
    found = []
    for campaign, cells in read:
        title = f"{campaign.name}, begun {campaign.day}{_where(campaign.machine, read)}"
        own: Cells = {(campaign.machine, cell.case): cell for cell in cells}
        found.append(Set(f"{campaign.machine}/{campaign.name}", title, [campaign], own))
    return _ordered(found)


def _versions(read: Read) -> list[Set]:
    """Return a set for each environment and its loaded versions on a machine, in the environment's default mode."""
    found: dict[tuple[str, str, str], Cells] = {}
    for campaign, cells in read:
        for cell in cells:
            if cell.is_default and cell.step_s:
                key = campaign.machine, cell.case.environment, _loaded(cell)
                found.setdefault(key, {})[campaign.machine, cell.case.question] = cell
    titles = {key: next(reversed(cells.values())).title for key, cells in found.items()}
    return _ordered([_set("/".join(key), f"{titles[key]} ({key[2]}){_where(key[0], read)}", cells)
                     for key, cells in found.items()])  # fmt: skip


def _where(machine: str, read: Read) -> str:
    """Return which machine a set is of, where there are several."""
    return f", on {machine}" if len({campaign.machine for campaign, _ in read}) > 1 else ""


def _loaded(cell: CaseTimes) -> str:
    return ", ".join(map(" ".join, cell.loaded)) or "versions not known"


def _set(name: str, title: str, cells: Cells) -> Set:
    campaigns = {id(cell.campaign): cell.campaign for cell in cells.values()}
    return Set(name, title, sorted(campaigns.values(), key=_age), cells)


def _ordered(sets: list[Set]) -> list[Set]:
    """Return sets, those of the newest campaign first, and equally new ones by name."""
    by_name = sorted(sets, key=lambda each: each.name)
    return sorted(by_name, key=lambda each: each.campaigns[-1].began, reverse=True)


class _Paired(NamedTuple):
    """The pairs of the answers that are shown, and the cells that those are made of."""

    current: set[int]
    pairs: Mapping[Asked, Pair]

    def holds(self, first: CaseTimes, second: CaseTimes) -> bool:
        """Say whether two cells answer one question in one campaign, and are what the site shows of it."""
        is_shown = {id(first), id(second)} <= self.current
        return is_shown and first.campaign is second.campaign and first.case.question == second.case.question

    def ratio(self, first: CaseTimes, second: CaseTimes) -> tuple[Interval, str] | None:
        """Return the second's time over the first's within rounds, and the claim; None where no round has both."""
        question, a, b = question_of(first), _row(first.case), _row(second.case)
        pair, turned = self.pairs.get((question, a, b)), self.pairs.get((question, b, a))
        pair = pair or (turned and turned.turned)
        return (pair.ratio, pair.claim) if pair else None


def question_of(cell: CaseTimes) -> Question:
    """Return the question that a cell answers."""
    about = {name: getattr(cell.case, name) for name in QUESTION if name in Case._fields}
    return Question(machine=cell.campaign.machine, threads=cell.campaign.threads, **about)


def _row(case: Case) -> Row:
    return case.environment, case.mode


def _compared(kind: str, sets: Sequence[Set], pairs: _Paired, drifts: Drifts) -> tuple[list[SetComparison], int]:
    """Return the comparisons of a kind's sets, and how many pairs of sets there was no room for."""
    found: list[SetComparison] = []
    rows = left_out = 0
    for newer, older in _couples(kind, sets):
        shared = [(cell, newer.cells[key]) for key, cell in older.cells.items() if key in newer.cells]
        shared = [both for both in shared if both[0].step_s or both[1].step_s]
        if not shared:
            continue
        if rows + len(shared) > MOST_ROWS:
            left_out += 1
            continue
        rows += len(shared)
        found.append(SetComparison(kind, older, newer, _beside(shared, pairs, drifts)))
    return found, left_out


def _couples(kind: str, sets: Sequence[Set]) -> Iterator[tuple[Set, Set]]:
    """Yield each two sets that may share a case, the newer first; pairs of the newest come first."""
    couples = ((sets[i], sets[j]) for j in range(len(sets)) for i in range(j))
    return (both for both in couples if kind == MACHINES or both[0].machine == both[1].machine)


def _beside(shared: Sequence[tuple[CaseTimes, CaseTimes]], pairs: _Paired, drifts: Drifts) -> list[Unpaired]:
    """Compare cells two by two; claims on independent means are adjusted over all of these."""
    rows, p_values = map(list, zip(*(_row_of(*both, pairs, drifts) for both in shared), strict=True))
    adjusted = iter(interval.holm([p for p in p_values if p is not None]))
    return [row if p is None or row.ratio is None else row._replace(claim=interval.claim(row.ratio, next(adjusted)))
            for row, p in zip(rows, p_values, strict=True)]  # fmt: skip


def _row_of(first: CaseTimes, second: CaseTimes, pairs: _Paired, drifts: Drifts) -> tuple[Unpaired, float | None]:
    """Return a row, and its p-value if its claim waits for an adjustment."""
    is_paired = pairs.holds(first, second)
    lost = [cell for cell in (first, second) if not cell.step_s]
    if lost:
        missing = [f"no time in campaign {cell.campaign.name}: {cell.reason or 'unknown'}" for cell in lost]
        return Unpaired(first, second, None, "unresolved", is_paired, missing), None
    if not is_paired:
        both = second, first  # the ratio is that of the second to the first
        times = [list(each.step_s.values()) for each in both]
        known = [drifts.of(each.campaign.machine, each.campaign.threads, each.case.workload, each.in_turns)
                 for each in both]  # fmt: skip
        ratio = drift.of_two_campaigns(times[0], times[1], known)
        row = Unpaired(first, second, ratio.interval, "unresolved", False, differences(first, second))
        return row, drift.p_value(ratio)
    if found := pairs.ratio(first, second):
        return Unpaired(first, second, *found, True, []), None
    return Unpaired(first, second, None, "unresolved", True, ["no round has both"]), None


def _python(times: CaseTimes) -> str | None:
    return times.environment.python if times.environment else None


def differences(first: CaseTimes, second: CaseTimes) -> list[str]:
    """Return what is known to differ between two measurements of one case, except the time of day."""
    machines = [times.campaign.bench.machine for times in (first, second)]
    found: list[tuple[str, object, object]] = [
        ("versions", _loaded(first), _loaded(second)),
        ("Python", _python(first), _python(second)),
        ("threads", first.campaign.threads, second.campaign.threads),
        ("measured", first.way, second.way),
    ]
    if machines[0].name == machines[1].name:  # two machines differ in all that they are
        found += [(name, *(getattr(machine, key) for machine in machines)) for name, key in OF_MACHINE.items()]
    told = [f"{what}: {one}, and {other}" for what, one, other in found if one != other]
    if first.code != second.code:
        return [*told, "the model file"]
    # a proof is of the versions as well: where these differ, it tells nothing more
    is_same = first.proof == second.proof or first.loaded != second.loaded
    is_other = not is_same and first.case.environment == second.case.environment
    return [*told, *["the adapter or the statement"] * is_other]

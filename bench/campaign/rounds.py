"""Choose which round of which comparison is measured next, until the budget ends or no pair is open.

The competitors of a question take turns (bench/campaign/turns.py), and a disturbed round is repeated as a whole. Every
question first gets the profile's minimum number of rounds, as far as the budget allows. The remaining budget goes to
questions with open pairs, where a second of measurement narrows intervals most.
"""

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from bench import ablations, files, registry
from bench.campaign import estimates, turns
from bench.campaign.campaign import CampaignFile, Where, Writer, run_record
from bench.campaign.turns import Setting, Turn
from bench.cases import SHORT, Case
from bench.results import plausible, rivals, void_rules
from bench.results.lines import Epochs, Run, Void

EXPECTED_OFF = 1.1  # factor: costs differ from day to day, so a plan may exceed the budget by this much
OVER_BUDGET = "over_budget"  # the status of a case that the budget excludes

# called with every line of a run or a void round, the campaign, and the seconds left
Listener = Callable[[Run | Epochs | Void, CampaignFile, float], None]


class Tally:
    """The results of a campaign so far, by case."""

    def __init__(self, campaign: CampaignFile, cases: Iterable[Case], setting: Setting) -> None:
        self.setting, self.spent_s = setting, campaign.spent_s()
        self.rounds: dict[Case, dict[int, Run | Epochs]] = {case: {} for case in cases}
        self.dead: set[Case] = set()  # cases that failed once are not tried again in this campaign
        self.seconds: dict[tuple[Case, str], float] = {}
        for run in campaign.runs():
            if run.status == "ok":
                self.rounds.setdefault(run.case, {})[run.round] = run
                self.seconds[run.case, estimates.start_of(run)] = run.duration_s
            else:
                self.dead.add(run.case)

    def run_s(self, case: Case, start: str) -> float:
        """Return the expected seconds of a run: those of the last one with the same start, here or in past results."""
        by_start = {other: seconds for (of, other), seconds in self.seconds.items() if of == case}
        return self.setting.known.run_s(case, start, by_start)

    def cost_s(self, cases: Sequence[Case], rounds: int) -> float:
        """Return the expected seconds of `rounds` further rounds of the cases."""
        return sum(
            self.run_s(case, turns.start_of(case, len(self.rounds[case]) + number, self.setting))
            for case in cases
            for number in range(1, rounds + 1)
        )

    def missing_s(self, cases: Sequence[Case]) -> float:
        """Return the expected seconds until all cases have the minimum number of rounds."""
        fewest = self.setting.profile.min_rounds
        return sum(self.cost_s([case], max(fewest - len(self.rounds[case]), 0)) for case in cases)

    def left_s(self) -> float:
        """Return the seconds left of the budget."""
        return float("inf") if self.setting.budget_s is None else self.setting.budget_s - self.spent_s

    def remaining_s(self) -> float:
        """Return the expected seconds left: the rest of the budget, or without one the missing minimum rounds."""
        return self.missing_s(self.alive()) if self.setting.budget_s is None else max(self.left_s(), 0.0)

    def alive(self) -> list[Case]:
        """Return the cases that may be measured further."""
        return [case for case in self.rounds if case not in self.dead and case.id not in self.setting.refused]


def _groups(cases: Iterable[Case], setting: Setting) -> list[list[Case]]:
    """Return the cases by comparison: default modes first, then the SHORT workloads, then light before heavy."""
    groups: dict[tuple[bool, int, float, str], list[Case]] = {}
    for case in cases:
        documented = registry.modes(setting.environments[case.environment], case.task)[0].name
        is_default = ablations.split(case.mode)[0] == documented  # a variant has the rank of the mode that it changes
        order = SHORT.index(case.workload) - len(SHORT) if case.workload in SHORT else 0
        key = not is_default, order, registry.workload(case.workload).ORDER, case.question
        groups.setdefault(key, []).append(case)
    return [groups[key] for key in sorted(groups)]


def beyond(tally: Tally) -> list[Case]:
    """Return the cases whose minimum number of rounds exceeds the budget, by present estimates.

    Competitors are kept or dropped together. If a group is dropped, all less important groups with missing rounds are
    dropped too. The most important group is kept while the budget allows one round, because rounds add up over
    campaigns.
    """
    left_s = tally.left_s()
    dropped: list[Case] = []
    for place, group in enumerate(_groups(tally.alive(), tally.setting)):
        cost_s = tally.missing_s(group)
        goes_on = not place and tally.cost_s(group, 1) <= left_s
        if cost_s and not goes_on and (dropped or cost_s > EXPECTED_OFF * left_s):
            dropped += group
        else:
            left_s -= cost_s
    return dropped


def left_out(cases: Iterable[Case], setting: Setting, campaign: CampaignFile) -> dict[str, tuple[str, str]]:
    """Return {case id: (status, reason)} of the cases that the budget excludes before anything is measured.

    A continued campaign distributed its budget before its first run.
    """
    if campaign.spent_s():
        return {run.case.id: (OVER_BUDGET, run.reason or "") for run in campaign.runs() if run.status == OVER_BUDGET}
    tally = Tally(CampaignFile("", []), cases, setting)
    reasons = {}
    for group in _groups(beyond(tally), setting):
        reason = (
            f"the budget of {setting.budget_s or 0:.0f} s is too small for {setting.profile.min_rounds} rounds of this "
            f"comparison (about {tally.missing_s(group):.0f} s more). Increase --budget, or use --workload, "
            "--environment or --mode to do less"
        )
        reasons.update({case.id: (OVER_BUDGET, reason) for case in group})
    return reasons


class Planned(NamedTuple):
    """Competitors that are kept or dropped together."""

    cases: list[Case]
    seconds: float  # the expected duration of the minimum number of rounds
    is_within_budget: bool


def outline(cases: Iterable[Case], setting: Setting) -> list[Planned]:
    """Return the groups that a campaign will measure, the most important first, and those beyond its budget."""
    able = [case for case in cases if setting.refused.get(case.id, (OVER_BUDGET, ""))[0] == OVER_BUDGET]
    tally = Tally(CampaignFile("", []), able, setting._replace(refused={}))
    groups = _groups(able, setting)
    return [Planned(group, tally.missing_s(group), group[0].id not in setting.refused) for group in groups]


def _note(
    campaign: CampaignFile, case: Case, round_: int, why: tuple[str, str], listener: Listener, left_s: float
) -> None:
    """Write a line with `why` (status, reason) a case is not measured, or not further."""
    reply = {"status": why[0], "reason": why[1][:3900], "error_tail": None, "duration_s": 0.0}
    line = run_record(case, reply, Where(round_, 0, 0), files.now(), "cold", 0, None)
    listener(campaign.write(line), campaign, left_s)


def _give_up(campaign: CampaignFile, tally: Tally, listener: Listener) -> None:
    """Stop measuring the cases that the budget no longer allows, with a line each."""
    for case in beyond(tally):
        made = len(tally.rounds[case])
        reason = (
            f"after {made} of {tally.setting.profile.min_rounds} rounds the budget of {tally.setting.budget_s or 0:.0f}"
            " s is used up: increase --budget, or measure again (rounds add up)"
        )
        _note(campaign, case, 1 + made, (OVER_BUDGET, reason), listener, tally.left_s())
        tally.dead.add(case)


def choose(tally: Tally) -> tuple[Sequence[Case], int, str]:
    """Return (cases, round) to measure next, and ""; or no cases and the reason why the campaign ends."""
    questions: dict[str, list[Case]] = {}  # the most important question first
    for group in _groups(tally.alive(), tally.setting):
        questions.setdefault(group[0].question, []).extend(group)
    rounds = {  # the first incomplete round of each
        question: next(
            number for number in itertools.count(1) if any(number not in tally.rounds[case] for case in cases)
        )
        for question, cases in questions.items()
    }
    begun = [name for name, cases in questions.items() if any(rounds[name] in tally.rounds[case] for case in cases)]
    lacking = [name for name in questions if rounds[name] <= tally.setting.profile.min_rounds]
    if begun:  # left incomplete by an interrupt, or by lack of memory
        question = begun[0]
    elif lacking:
        question = min(lacking, key=lambda name: rounds[name])
    else:
        question, reason = _narrowest(tally, questions, rounds)
        if reason:
            return [], 0, reason
    return questions[question], rounds[question], ""


def _narrowest(tally: Tally, questions: dict[str, list[Case]], rounds: dict[str, int]) -> tuple[str, str]:
    """Return (question where a second of measurement narrows most, ""), or ("", reason why there is none)."""
    profile = tally.setting.profile
    going_on = [name for name in questions if rounds[name] <= profile.max_rounds]
    runs = [run for case in tally.alive() for run in tally.rounds[case].values()]
    narrowing = estimates.narrowing(runs, profile.half_width)
    costs = {name: tally.cost_s(questions[name], 1) for name in going_on if narrowing.get(name, 0) > 0}
    affordable = [name for name in costs if costs[name] <= tally.left_s()]
    if affordable:
        return max(affordable, key=lambda name: narrowing[name] / costs[name]), ""
    if costs:
        left_s = max(tally.left_s(), 0)
        return "", f"the budget: {left_s:.0f} s are left, too few for another round of an open comparison"
    if going_on:
        known = f"known to +-{100 * profile.half_width:.0f} %"
        return "", f"no pair is open: each is different, equivalent, or {known}"
    if questions:
        return "", f"all rounds of a {profile.name} campaign are complete: {profile.max_rounds}"
    return "", "no case is left to measure" + ("" if tally.setting.budget_s is None else " within the budget")


def _why_kept(repeats: int, question: str, tally: Tally) -> str | None:
    """Return why a round with a broken rule is kept; None: it is void and repeated."""
    if repeats >= void_rules.MOST_REPEATS:
        return f"it was repeated {repeats} times already"
    again_s = tally.cost_s([case for case in tally.alive() if case.question == question], 1)
    if tally.missing_s(tally.alive()) + again_s > tally.left_s():
        return "the budget is too small to repeat it"
    return None


def _is_void(campaign: CampaignFile, question: str, round_: int, tally: Tally, listener: Listener) -> bool:
    """Write a `void` line if a run of a round breaks a rule (bench/results/void_rules.py); return whether it is void.

    If the round is kept nevertheless, the line is its label, and the round is not judged again.
    """
    voids = campaign.voids(question, round_)
    if any(line.kept for line in voids):
        return False
    for run in campaign.runs():
        broken = void_rules.broken(run) if (run.case.question, run.round) == (question, round_) else None
        if broken:
            rule: Any = broken[0]
            line = Void(
                campaign=campaign.name, question=question, round=round_, attempt=len(voids) + 1, rule=rule,
                reason=broken[1], case=run.case, kept=_why_kept(len(voids), question, tally),
            )  # fmt: skip
            listener(campaign.write(line), campaign, tally.remaining_s())
            return line.kept is None
    return False


def _measure(campaign: CampaignFile, cases: Sequence[Case], round_: int, tally: Tally, listener: Listener) -> None:
    """Measure the missing runs of a round, as many as fit into memory at once."""
    setting = tally.setting
    done = [tally.rounds[case][round_] for case in cases if round_ in tally.rounds[case]]
    group = 1 + max((run.group or 0 for run in done), default=-1)
    waiting = [case for case in turns.order(cases, setting.seed, round_) if round_ not in tally.rounds[case]]
    seen = {run.case for run in campaign.runs()}  # a repeated first round counts as a first one
    setting.begun(waiting, round_)
    writer = Writer(campaign, setting.environments, setting.known)
    for run in judged_beside(turns.measure(waiting, Turn(round_, group, seen), setting), done):
        listener(writer.write(run), campaign, tally.remaining_s())


def judged_beside(measured: list[Run | Epochs], done: list[Run | Epochs]) -> list[Run | Epochs]:
    """Return the `measured` runs of a round, refused if they disagree with most of them and of those `done` earlier."""
    reasons = rivals.odd(measured + done, asks_statement=True)
    return [plausible.refused(run, reasons[place]) if place in reasons else run for place, run in enumerate(measured)]


def run(campaign: CampaignFile, cases: Sequence[Case], setting: Setting, listener: Listener) -> str:
    """Measure `cases` into `campaign`, continuing where it stopped; return why it ended.

    An interrupt leaves the campaign unfinished. The same call continues it, and repeats at most the running group.
    """
    noted = {run.case for run in campaign.runs()}
    for case in cases:
        if case.id in setting.refused and case not in noted:
            _note(campaign, case, 1, setting.refused[case.id], listener, 0.0)
    # A kill may have come before a round was judged.
    for question, round_ in sorted({(run.case.question, run.round) for run in campaign.runs()}):
        _is_void(campaign, question, round_, Tally(campaign, cases, setting), listener)
    while True:
        tally = Tally(campaign, cases, setting)
        _give_up(campaign, tally, listener)
        chosen, round_, reason = choose(tally)
        if reason:
            break
        _measure(campaign, chosen, round_, tally, listener)
        _is_void(campaign, chosen[0].question, round_, Tally(campaign, cases, setting), listener)
    campaign.end(reason)
    return reason

"""Choose which round of which comparison is measured next, until the budget ends or no pair is open.

The competitors of a question take turns (bench/campaign/turns.py), and a disturbed round is repeated as a whole. Every
question first gets the profile's minimum number of rounds, as far as the budget allows. The remaining budget goes to
questions with open pairs, where a second of measurement narrows intervals most.
"""

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from bench import ablations, files, registry
from bench.campaign import campaign as campaigns
from bench.campaign import run_history, stopping, turns
from bench.campaign.campaign import CampaignFile
from bench.campaign.turns import Setting, Turn
from bench.cases import SHORT, Case
from bench.results import plausible, rivals, void_rules
from bench.results.lines import Epochs, Run, Void

EXPECTED_OFF = 1.1  # factor: costs differ from day to day, so a plan may exceed the budget by this much

Listener = Callable[[Run | Epochs | Void, CampaignFile, float], None]  # called with every line, and the seconds left


class Plan(NamedTuple):
    """The budget of a campaign and the settings of its runs."""

    setting: Setting
    refused: dict[str, tuple[str, str]]  # case id -> (status, reason) of cases that are not started
    budget_s: float | None = None  # None: no limit
    begun: Callable[[Sequence[Case], int], None] = lambda *_: None  # called with the cases of a round and its number


class Tally:
    """The results of a campaign so far, by case."""

    def __init__(self, campaign: CampaignFile, cases: Sequence[Case], plan: Plan) -> None:
        self.plan, self.spent_s = plan, campaign.spent_s()
        self.rounds: dict[Case, dict[int, Run | Epochs]] = {case: {} for case in cases}
        self.dead: set[Case] = set()  # cases that failed once are not tried again in this campaign
        self.seconds: dict[tuple[Case, str], float] = {}
        for run in campaign.runs():
            if run.status == "ok":
                self.rounds.setdefault(run.case, {})[run.round] = run
                self.seconds[run.case, run_history.start_of(run)] = run.duration_s
            else:
                self.dead.add(run.case)

    def run_s(self, case: Case, start: str) -> float:
        """Return the expected seconds of a run: those of the last one with the same start, here or in past results."""
        own = {each: seconds for (of, each), seconds in self.seconds.items() if of == case}
        return self.plan.setting.known.run_s(case, start, own)

    def cost_s(self, cases: Sequence[Case], rounds: int) -> float:
        """Return the expected seconds of `rounds` further rounds of the cases."""
        return sum(
            self.run_s(case, turns.start_of(case, len(self.rounds[case]) + number, self.plan.setting))
            for case in cases
            for number in range(1, rounds + 1)
        )

    def missing_s(self, cases: Sequence[Case]) -> float:
        """Return the expected seconds until all cases have the minimum number of rounds."""
        fewest = self.plan.setting.profile.min_rounds
        return sum(self.cost_s([case], max(fewest - len(self.rounds[case]), 0)) for case in cases)

    def left_s(self) -> float:
        """Return the seconds left of the budget."""
        return float("inf") if self.plan.budget_s is None else self.plan.budget_s - self.spent_s

    def alive(self) -> list[Case]:
        """Return the cases that may be measured further."""
        return [case for case in self.rounds if case not in self.dead and case.id not in self.plan.refused]


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
    left_s, found = tally.left_s(), []  # type: float, list[Case]
    for place, group in enumerate(_groups(tally.alive(), tally.plan.setting)):
        cost_s = tally.missing_s(group)
        goes_on = not place and tally.cost_s(group, 1) <= left_s
        if cost_s and not goes_on and (found or cost_s > EXPECTED_OFF * left_s):
            found += group
        else:
            left_s -= cost_s
    return found


def fit(cases: list[Case], plan: Plan) -> dict[str, str]:
    """Return {case id: reason} of the cases that the budget excludes before anything is measured."""
    tally = Tally(CampaignFile("", []), cases, plan)
    fewest = plan.setting.profile.min_rounds
    reasons = {}
    for group in _groups(beyond(tally), plan.setting):
        reason = (
            "the budget of %d s is too small for %d rounds of this comparison (about %d s more). Increase --budget, or "
            "use --workload, --environment or --mode to do less" % (plan.budget_s or 0, fewest, tally.missing_s(group))
        )
        reasons.update({case.id: reason for case in group})
    return reasons


class Planned(NamedTuple):
    """Competitors that are kept or dropped together."""

    cases: list[Case]
    seconds: float  # the expected duration of the minimum number of rounds
    is_held: bool  # whether the budget allows them


def outline(cases: list[Case], plan: Plan) -> list[Planned]:
    """Return the groups that a campaign will measure, the most important first, and those beyond its budget."""
    able = [case for case in cases if plan.refused.get(case.id, ("over_budget", ""))[0] == "over_budget"]
    tally = Tally(CampaignFile("", []), able, plan._replace(refused={}))
    return [
        Planned(group, tally.missing_s(group), group[0].id not in plan.refused) for group in _groups(able, plan.setting)
    ]


def _note(
    campaign: CampaignFile, case: Case, round_: int, status: str, reason: str, listener: Listener, left_s: float
) -> None:
    """Write a line with the reason why a case is not measured, or not further."""
    reply = {"status": status, "reason": reason[:3900], "error_tail": None, "duration_s": 0.0}
    record = campaigns.run_record(case, reply, campaigns.Where(round_, 0, 0), files.now(), "cold", 0, None)
    listener(campaign.write(record), campaign, left_s)


def _refuse(campaign: CampaignFile, cases: list[Case], plan: Plan, listener: Listener) -> None:
    known = {run.case for run in campaign.runs()}
    for case in cases:
        if case.id in plan.refused and case not in known:
            _note(campaign, case, 1, *plan.refused[case.id], listener, 0.0)


def _give_up(campaign: CampaignFile, tally: Tally, listener: Listener) -> None:
    """Stop measuring the cases that the budget no longer allows, with a line each."""
    for case in beyond(tally):
        reason = (
            "after %d of %d rounds the budget of %d s is used up: increase --budget, or measure again (rounds add up)"
            % (len(tally.rounds[case]), tally.plan.setting.profile.min_rounds, tally.plan.budget_s or 0)
        )
        _note(campaign, case, 1 + len(tally.rounds[case]), "over_budget", reason, listener, tally.left_s())
        tally.dead.add(case)


def _questions(tally: Tally) -> dict[str, list[Case]]:
    """Return {question: its cases that may be measured}, the most important question first."""
    found: dict[str, list[Case]] = {}
    for group in _groups(tally.alive(), tally.plan.setting):
        found.setdefault(group[0].question, []).extend(group)
    return found


def _round_of(tally: Tally, cases: Sequence[Case]) -> int:
    """Return the number of a question's first incomplete round."""
    return next(round_ for round_ in itertools.count(1) if any(round_ not in tally.rounds[case] for case in cases))


def choose(tally: Tally) -> tuple[Sequence[Case], int, str]:
    """Return (cases, round) to measure next, and ""; or no cases and the reason why the campaign ends."""
    questions = _questions(tally)
    rounds = {question: _round_of(tally, cases) for question, cases in questions.items()}
    begun = [each for each in questions if any(rounds[each] in tally.rounds[case] for case in questions[each])]
    lacking = [each for each in questions if rounds[each] <= tally.plan.setting.profile.min_rounds]
    if begun:  # left incomplete by an interrupt, or by lack of memory
        question = begun[0]
    elif lacking:
        question = min(lacking, key=lambda each: rounds[each])
    else:
        question, reason = _narrowest(tally, questions, rounds)
        if reason:
            return [], 0, reason
    return questions[question], rounds[question], ""


def _narrowest(tally: Tally, questions: dict[str, list[Case]], rounds: dict[str, int]) -> tuple[str, str]:
    """Return (question where a second of measurement narrows most, ""), or ("", reason why there is none)."""
    profile = tally.plan.setting.profile
    going_on = [each for each in questions if rounds[each] <= profile.max_rounds]
    runs = [run for case in tally.alive() for run in tally.rounds[case].values()]
    narrowing = stopping.narrowing(runs, profile.half_width)
    costs = {each: tally.cost_s(questions[each], 1) for each in going_on if narrowing.get(each, 0) > 0}
    held = [each for each in costs if costs[each] <= tally.left_s()]
    if held:
        return max(held, key=lambda each: narrowing[each] / costs[each]), ""
    if costs:
        left = "the budget: %d s are left, too few for another round of an open comparison" % max(tally.left_s(), 0)
        return "", left
    if going_on:
        return "", "no pair is open: each is different, equivalent, or known to +-%.0f %%" % (
            100 * profile.half_width)  # fmt: skip
    if questions:
        return "", "all rounds of a %s campaign are complete: %d" % (profile.name, profile.max_rounds)
    return "", "no case is left to measure" + ("" if tally.plan.budget_s is None else " within the budget")


def _why_kept(campaign: CampaignFile, question: str, round_: int, tally: Tally) -> str | None:
    """Return why a round with a broken rule is kept; None: it is void and repeated."""
    repeats = len(campaign.voids(question, round_))
    if repeats >= void_rules.MOST_REPEATS:
        return "it was repeated %d times already" % repeats
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
    own = [run for run in campaign.runs() if (run.case.question, run.round) == (question, round_)]
    for run in own:
        found = void_rules.broken(run)
        if found:
            line = Void(
                campaign=campaign.name, question=question, round=round_, attempt=len(voids) + 1,
                rule=found[0], reason=found[1], case=run.case,  # type: ignore[arg-type]
                kept=_why_kept(campaign, question, round_, tally),
            )  # fmt: skip
            listener(campaign.write(line), campaign, _remaining_s(tally))
            return line.kept is None
    return False


def _remaining_s(tally: Tally) -> float:
    """Return the expected seconds left: the rest of the budget, or the missing minimum rounds without a budget."""
    return tally.missing_s(tally.alive()) if tally.plan.budget_s is None else max(tally.left_s(), 0.0)


def _measure(campaign: CampaignFile, cases: Sequence[Case], round_: int, tally: Tally, listener: Listener) -> None:
    """Measure the missing runs of a round, as many as fit into memory at once."""
    setting = tally.plan.setting
    done = [tally.rounds[case][round_] for case in cases if round_ in tally.rounds[case]]
    group = 1 + max((run.group or 0 for run in done), default=-1)
    waiting = [case for case in turns.order(cases, setting.seed, round_) if round_ not in tally.rounds[case]]
    seen = {run.case for run in campaign.runs()}  # a repeated first round counts as a first one
    tally.plan.begun(waiting, round_)
    writer = campaigns.Writer(campaign, setting.environments, setting.known)
    for record in judged_beside(turns.measure(waiting, Turn(round_, group, seen), setting), done):
        listener(writer.write(record), campaign, _remaining_s(tally))


def judged_beside(measured: list[Run | Epochs], done: list[Run | Epochs]) -> list[Run | Epochs]:
    """Return the `measured` runs of a round, refused if they disagree with most of them and of those `done` earlier."""
    reasons = rivals.odd(measured + done, asks_statement=True)
    return [plausible.refused(run, reasons[place]) if place in reasons else run for place, run in enumerate(measured)]


def run(campaign: CampaignFile, cases: list[Case], plan: Plan, listener: Listener) -> str:
    """Measure `cases` into `campaign`, continuing where it stopped; return why it ended.

    An interrupt leaves the campaign unfinished. The same call continues it, and repeats at most the running group.
    """
    _refuse(campaign, cases, plan, listener)
    # A kill may have come before a round was judged.
    for question, round_ in sorted({(run.case.question, run.round) for run in campaign.runs()}):
        _is_void(campaign, question, round_, Tally(campaign, cases, plan), listener)
    while True:
        tally = Tally(campaign, cases, plan)
        _give_up(campaign, tally, listener)
        chosen, round_, reason = choose(tally)
        if reason:
            break
        _measure(campaign, chosen, round_, tally, listener)
        _is_void(campaign, chosen[0].question, round_, Tally(campaign, cases, plan), listener)
    end(campaign, reason)
    return reason


def end(campaign: CampaignFile, reason: str) -> None:
    """Write the last line of a finished campaign, with the reason why it ended."""
    last = max([run.round for run in campaign.runs() if run.status == "ok"], default=0)
    campaigns.end(campaign, last, reason)

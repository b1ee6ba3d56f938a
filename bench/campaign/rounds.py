"""Which round of which question comes next, until the budget ends or nothing is left open.

A question's competitors are measured together, in turns (bench/campaign/turns.py), and a round that was disturbed is
repeated whole. Every question gets the profile's fewest rounds, as far as the budget holds them; what is left of it
goes to those whose pairs are still open, where a second narrows most.
"""

import itertools
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from bench import ablations, files, registry
from bench.campaign import campaign as campaigns
from bench.campaign import past, stopping, turns
from bench.campaign.campaign import CampaignFile
from bench.campaign.turns import Setting, Turn
from bench.cases import SHORT, Case
from bench.results import disturbance, plausible, rivals

EXPECTED_OFF = 1.1  # days differ by so much: a plan may hope for it, and gives up what turns out not to fit

Run = Dict[str, Any]
Listener = Callable[[Dict[str, Any], CampaignFile, float], None]  # is told of every line, and of the seconds left


class Plan(NamedTuple):
    """What a campaign may spend, and on what."""

    setting: Setting
    refused: Dict[str, Tuple[str, str]]  # case id -> (status, reason): not to be started at all
    budget_s: Optional[float] = None  # None: as long as it takes
    begun: Callable[[Sequence[Case], int], None] = lambda *_: None  # is told who begins a round, and which


class Tally:
    """What a campaign has made of its cases so far."""

    def __init__(self, campaign: CampaignFile, cases: Sequence[Case], plan: Plan) -> None:
        self.plan, self.spent_s = plan, campaign.spent_s()
        self.rounds: Dict[Case, Dict[int, Run]] = {case: {} for case in cases}
        self.dead: Set[Case] = set()  # what failed once is not tried again in this campaign
        self.seconds: Dict[Tuple[Case, str], float] = {}
        for run in campaign.runs():
            case = Case(**run["case"])
            if run["status"] == "ok":
                self.rounds.setdefault(case, {})[run["round"]] = run
                self.seconds[case, past.start_of(run)] = run["duration_s"]
            else:
                self.dead.add(case)

    def run_s(self, case: Case, start: str) -> float:
        """Return the seconds that a run is expected to take: as the last that started so, here or before."""
        own = {each: seconds for (of, each), seconds in self.seconds.items() if of == case}
        return self.plan.setting.known.run_s(case, start, own)

    def cost_s(self, cases: Sequence[Case], rounds: int) -> float:
        """Return the seconds that so many further rounds of cases are expected to take."""
        return sum(
            self.run_s(case, turns.start_of(case, len(self.rounds[case]) + number, self.plan.setting))
            for case in cases
            for number in range(1, rounds + 1)
        )

    def missing_s(self, cases: Sequence[Case]) -> float:
        """Return the seconds that what they lack of the fewest rounds is expected to take."""
        fewest = self.plan.setting.profile.min_rounds
        return sum(self.cost_s([case], max(fewest - len(self.rounds[case]), 0)) for case in cases)

    def left_s(self) -> float:
        """Return what is left of the budget."""
        return float("inf") if self.plan.budget_s is None else self.plan.budget_s - self.spent_s

    def alive(self) -> List[Case]:
        """Return the cases that may be measured further."""
        return [case for case in self.rounds if case not in self.dead and case.id not in self.plan.refused]


def _groups(cases, setting):
    """Return competitors together: default modes first, and of workloads one of each kind, then light before heavy."""
    groups: Dict[Tuple[bool, int, float, str], List[Case]] = {}
    for case in cases:
        documented = registry.modes(setting.environments[case.environment], case.task)[0].name
        is_default = ablations.split(case.mode)[0] == documented  # what is changed of it is measured beside it, or not
        order = SHORT.index(case.workload) - len(SHORT) if case.workload in SHORT else 0
        key = not is_default, order, registry.workload(case.workload).ORDER, case.question
        groups.setdefault(key, []).append(case)
    return [groups[key] for key in sorted(groups)]


def beyond(tally: Tally) -> List[Case]:
    """Return the cases whose fewest rounds the budget does not hold, as far as is known by now what they cost.

    Competitors are taken or left together, for a comparison with one side missing is none; and what matters less gives
    way, so that the rest gets all of its rounds: nothing light slips in before it. What matters most gives way to
    nothing: it is measured as often as the budget holds, for rounds of several campaigns add up.
    """
    left_s, found = tally.left_s(), []  # type: float, List[Case]
    for place, group in enumerate(_groups(tally.alive(), tally.plan.setting)):
        cost_s = tally.missing_s(group)
        goes_on = not place and tally.cost_s(group, 1) <= left_s
        if cost_s and not goes_on and (found or cost_s > EXPECTED_OFF * left_s):
            found += group
        else:
            left_s -= cost_s
    return found


def fit(cases: List[Case], plan: Plan) -> Dict[str, str]:
    """Return {case id: reason} of what the budget does not hold before anything is measured."""
    tally = Tally(CampaignFile("", []), cases, plan)
    fewest = plan.setting.profile.min_rounds
    reasons = {}
    for group in _groups(beyond(tally), plan.setting):
        reason = (
            "the budget of %d s does not hold %d rounds of this comparison (about %d s more): give --budget, or choose "
            "fewer with --workload, --environment, --mode" % (plan.budget_s or 0, fewest, tally.missing_s(group))
        )
        reasons.update({case.id: reason for case in group})
    return reasons


class Planned(NamedTuple):
    """Competitors that are taken or left together."""

    cases: List[Case]
    seconds: float  # that the fewest rounds of them are expected to take
    is_held: bool  # by the budget


def outline(cases: List[Case], plan: Plan) -> List[Planned]:
    """Return what a campaign is about to measure, what matters most first, and what its budget does not hold."""
    able = [case for case in cases if plan.refused.get(case.id, ("over_budget", ""))[0] == "over_budget"]
    tally = Tally(CampaignFile("", []), able, plan._replace(refused={}))
    return [
        Planned(group, tally.missing_s(group), group[0].id not in plan.refused) for group in _groups(able, plan.setting)
    ]


def _note(campaign, case, round_, status, reason, listener, left_s):
    """Write a line for a case that is not measured, or no further, so that its cell shows why."""
    reply = {"status": status, "reason": reason[:3900], "error_tail": None, "duration_s": 0.0}
    record = campaigns.run_record(case, reply, campaigns.Where(round_, 0, 0), files.now(), "cold", 0, None)
    listener(campaign.write(record), campaign, left_s)


def _refuse(campaign: CampaignFile, cases: List[Case], plan: Plan, listener: Listener) -> None:
    known = {Case(**run["case"]) for run in campaign.runs()}
    for case in cases:
        if case.id in plan.refused and case not in known:
            _note(campaign, case, 1, *plan.refused[case.id], listener, 0.0)


def _give_up(campaign, tally, listener):
    """Give up what the budget holds no longer, though some rounds of it were measured."""
    for case in beyond(tally):
        reason = (
            "after %d of %d rounds the budget of %d s holds no more: give --budget, or measure again, for rounds add up"
            % (len(tally.rounds[case]), tally.plan.setting.profile.min_rounds, tally.plan.budget_s or 0)
        )
        _note(campaign, case, 1 + len(tally.rounds[case]), "over_budget", reason, listener, tally.left_s())
        tally.dead.add(case)


def _questions(tally):
    """Return {question: its cases that are alive}, what matters most first."""
    found: Dict[str, List[Case]] = {}
    for group in _groups(tally.alive(), tally.plan.setting):
        found.setdefault(group[0].question, []).extend(group)
    return found


def _round_of(tally, cases):
    """Return which round of a question is the next, or is not whole yet."""
    return next(round_ for round_ in itertools.count(1) if any(round_ not in tally.rounds[case] for case in cases))


def choose(tally: Tally) -> Tuple[Sequence[Case], int, str]:
    """Return a question's cases and the round of it to measure next, or none and why the campaign ends."""
    questions = _questions(tally)
    rounds = {question: _round_of(tally, cases) for question, cases in questions.items()}
    begun = [each for each in questions if any(rounds[each] in tally.rounds[case] for case in questions[each])]
    lacking = [each for each in questions if rounds[each] <= tally.plan.setting.profile.min_rounds]
    if begun:  # before an interrupt, or memory had no room for all of it
        question = begun[0]
    elif lacking:
        question = min(lacking, key=lambda each: rounds[each])
    else:
        question, reason = _narrowest(tally, questions, rounds)
        if reason:
            return [], 0, reason
    return questions[question], rounds[question], ""


def _narrowest(tally, questions, rounds):
    """Return the question of which a second narrows most, or why there is none."""
    profile = tally.plan.setting.profile
    going_on = [each for each in questions if rounds[each] <= profile.max_rounds]
    runs = [run for case in tally.alive() for run in tally.rounds[case].values()]
    narrowing = stopping.narrowing(runs, profile.half_width)
    costs = {each: tally.cost_s(questions[each], 1) for each in going_on if narrowing.get(each, 0) > 0}
    held = [each for each in costs if costs[each] <= tally.left_s()]
    if held:
        return max(held, key=lambda each: narrowing[each] / costs[each]), ""
    if costs:
        left = "the budget: %d s are left, too few for another round of what is open" % max(tally.left_s(), 0)
        return "", left
    if going_on:
        return "", "nothing is open: each pair is told apart, equivalent, or known to +-%.0f %%" % (
            100 * profile.half_width)  # fmt: skip
    if questions:
        return "", "all rounds of a %s campaign are made: %d" % (profile.name, profile.max_rounds)
    return "", "nothing is left to measure" + ("" if tally.plan.budget_s is None else " within the budget")


def _why_kept(campaign, question, round_, tally):
    """Return why a round is kept although one of its runs broke a rule; None: it is void, and repeated."""
    repeats = len(campaign.voids(question, round_))
    if repeats >= disturbance.MOST_REPEATS:
        return "it was repeated %d times already" % repeats
    again_s = tally.cost_s([case for case in tally.alive() if case.question == question], 1)
    if tally.missing_s(tally.alive()) + again_s > tally.left_s():
        return "the budget does not hold it once more"
    return None


def _is_void(campaign: CampaignFile, question: str, round_: int, tally: Tally, listener: Listener) -> bool:
    """Judge a round's runs by the rules of bench/results/disturbance.py, and write a line when one breaks a rule.

    A round that is kept all the same has that line as its label, and is judged no further.
    """
    voids = campaign.voids(question, round_)
    if any(line["kept"] for line in voids):
        return False
    own = [run for run in campaign.runs() if (Case(**run["case"]).question, run["round"]) == (question, round_)]
    for run in own:
        found = disturbance.broken(run)
        if found:
            line = {"kind": "void", "question": question, "round": round_, "attempt": len(voids) + 1, "rule": found[0],
                    "reason": found[1], "case": run["case"],
                    "kept": _why_kept(campaign, question, round_, tally)}  # fmt: skip
            listener(campaign.write(line), campaign, _remaining_s(tally))
            return line["kept"] is None
    return False


def _remaining_s(tally):
    """Estimate the seconds left: the budget's rest, or what the fewest rounds still take."""
    return tally.missing_s(tally.alive()) if tally.plan.budget_s is None else max(tally.left_s(), 0.0)


def _measure(campaign: CampaignFile, cases: Sequence[Case], round_: int, tally: Tally, listener: Listener) -> None:
    """Measure what is missing of a round, as much of it as memory holds at once."""
    setting = tally.plan.setting
    done = [tally.rounds[case][round_] for case in cases if round_ in tally.rounds[case]]
    group = 1 + max((run.get("group", 0) for run in done), default=-1)
    waiting = [case for case in turns.order(cases, setting.seed, round_) if round_ not in tally.rounds[case]]
    seen = {Case(**run["case"]) for run in campaign.runs()}  # a void first round is a first one again
    tally.plan.begun(waiting, round_)
    writer = campaigns.Writer(campaign, setting.environments, setting.known)
    for record in judged_beside(turns.measure(waiting, Turn(round_, group, seen), setting), done):
        listener(writer.write(record), campaign, _remaining_s(tally))


def judged_beside(measured: List[Run], done: List[Run]) -> List[Run]:
    """Return runs of a round, refused where they computed something else than most: those and who is `done` before."""
    reasons = rivals.odd(measured + done, asks_statement=True)
    return [plausible.refused(run, reasons[place]) if place in reasons else run for place, run in enumerate(measured)]


def run(campaign: CampaignFile, cases: List[Case], plan: Plan, listener: Listener) -> str:
    """Measure `cases` into `campaign`, going on where it stopped; return why it ended.

    An interrupt leaves the campaign unfinished: the same call goes on with it, and repeats at most what was alive.
    """
    _refuse(campaign, cases, plan, listener)
    for question, round_ in sorted({(Case(**run["case"]).question, run["round"]) for run in campaign.runs()}):
        _is_void(campaign, question, round_, Tally(campaign, cases, plan), listener)  # a kill came before it was judged
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
    """Say that a campaign is finished, and why."""
    last = max([run["round"] for run in campaign.runs() if run["status"] == "ok"], default=0)
    campaigns.end(campaign, last, reason)

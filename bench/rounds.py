"""Measure: rounds of fresh processes, every competitor once a round, in random order, until the budget ends.

A round interleaves all environments, so that a machine's drift hits all alike, and ratios are taken within rounds.
"""

import hashlib
import os
import shutil
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from bench import campaign as campaigns
from bench import plausible, processes, registry, void
from bench.campaign import Campaign
from bench.cases import Case
from bench.profiles import Profile
from bench.state import Watch

CACHE = os.path.join(registry.STATE, "cache")
UNKNOWN_S = {"cold": 6.0, "warm": 5.0}  # what a run is expected to take when nothing like it was ever run
REMEMBERED_ROUNDING = 1.05  # the machine may be a little slower than last time


class Setting(NamedTuple):
    """What a campaign runs with."""

    profile: Profile
    budget_s: Optional[float]
    timeout_s: float  # of one run
    seed: int
    threads: int
    frameworks: str
    data: str  # folder of prepared data sets
    pythons: Dict[str, str]  # environment -> interpreter
    environments: Dict[str, registry.Environment]
    proofs: Dict[Tuple[str, str], str]  # (environment, workload) -> proof hash
    refused: Dict[str, Tuple[str, str]]  # case id -> (status, reason): not to be started at all
    expected: Dict[Tuple[str, str], float]  # (case id, cold or warm) -> seconds
    precision: Optional[Callable[[List[Dict[str, Any]]], Optional[float]]]  # runs -> widest half-width
    watch: Optional[Watch] = None  # of the machine's state; without one no round is void
    besides: Optional[Dict[str, Dict[str, Any]]] = None  # environment -> what a control asks of its runs besides


Listener = Callable[[Dict[str, Any], Campaign, float], None]


def order(cases: List[Case], seed: int, round_: int) -> List[Case]:
    """Return the cases in the random order of one round; the same seed gives the same order again."""
    shuffled = list(cases)
    permutation = np.random.RandomState((seed + round_) % 2**32).permutation(len(shuffled))
    return [shuffled[i] for i in permutation]


def _expected_s(case: Case, cache: str, expected: Dict[Tuple[str, str], float]) -> float:
    other = "warm" if cache == "cold" else "cold"
    known = expected.get((case.id, cache), expected.get((case.id, other)))
    return known * REMEMBERED_ROUNDING if known else UNKNOWN_S[cache]


def cost_s(case: Case, setting: Setting, rounds: int) -> float:
    """Return the seconds that `rounds` rounds of a case are expected to take, the first with cold caches."""
    cold, warm = (_expected_s(case, cache, setting.expected) for cache in ("cold", "warm"))
    return cold + (rounds - 1) * warm


def _priority(case: Case, setting: Setting) -> Tuple[bool, int, str]:
    """Default modes before others, light workloads before heavy ones; competitors stay together."""
    is_default = registry.modes(setting.environments[case.environment], case.task)[0].name == case.mode
    return not is_default, registry.workload(case.workload).ORDER, case.question


def _groups(cases, setting):
    """Return competitors together, what matters most first."""
    groups: Dict[Tuple[bool, int, str], List[Case]] = {}
    for case in cases:
        groups.setdefault(_priority(case, setting), []).append(case)
    return [groups[key] for key in sorted(groups)]


def fit(cases: List[Case], setting: Setting) -> Dict[str, str]:
    """Return {case id: reason} of what the budget does not hold for the profile's fewest rounds.

    Competitors are taken or left together, for a comparison with one side missing is none.
    """
    if setting.budget_s is None:
        return {}
    left, reasons = setting.budget_s, {}
    for group in _groups(cases, setting):
        cost = sum(cost_s(case, setting, setting.profile.min_rounds) for case in group)
        if cost <= left and not reasons:  # nothing light slips in before what matters more
            left -= cost
            continue
        for case in group:
            reasons[case.id] = (
                "the budget of %d s does not hold %d rounds of this comparison (about %d s more): give --budget, or "
                "choose fewer with --workload, --environment, --mode"
                % (setting.budget_s, setting.profile.min_rounds, cost)
            )
    return reasons


def _cache_folder(case: Case) -> str:
    return os.path.join(CACHE, hashlib.sha256(case.id.encode()).hexdigest()[:16])


def measure(case: Case, round_: int, position: int, is_first: bool, setting: Setting) -> Dict[str, Any]:
    """Run one case once in a fresh process and return its record; compiler caches are emptied before the first run."""
    folder = _cache_folder(case)
    if is_first:
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, exist_ok=True)
    request = {
        "request": "measure", "case": dict(case._asdict()), "profile": setting.profile.name,
        "seed": (setting.seed + round_) % 2**32, "threads": setting.threads, "frameworks": setting.frameworks,
        "data": setting.data,
    }  # fmt: skip
    request.update((setting.besides or {}).get(case.environment, {}))
    environment = setting.environments[case.environment]
    started = campaigns.now()
    if setting.watch:
        setting.watch.begin()
    reply = processes.call(setting.pythons[case.environment], environment, request, setting.timeout_s, folder)
    if setting.watch:
        reply["machine_state"] = setting.watch.end(reply)
    return campaigns.run_record(
        case, reply, round_, position, started, "cold" if is_first else "warm", request["seed"],
        setting.proofs.get((case.environment, case.workload)),
    )  # fmt: skip


class Writer:
    """Appends runs to a campaign, each as `implausible` with the reason where it cannot be.

    What they are held against is gathered once, and learned from each line; a refused run proves nothing.
    """

    def __init__(self, campaign: Campaign, setting: Setting) -> None:
        self.campaign, self.environments = campaign, setting.environments
        self._gather()

    def write(self, run: Dict[str, Any]) -> Dict[str, Any]:
        """Append a run; return its line."""
        plausible.learn(self.about, run)
        line = self.campaign.write(plausible.judged(run, self.about))
        if line["status"] == "implausible":
            self._gather()
        return line

    def _gather(self) -> None:
        self.about = plausible.context(self.campaign.lines, self.environments)


def _refuse(campaign: Campaign, cases: List[Case], setting: Setting, listener: Listener) -> None:
    """Write a line for each case that will not be started, so that its cell shows why."""
    known = {Case(**run["case"]).id for run in campaign.runs()}
    for case in cases:
        if case.id in setting.refused and case.id not in known:
            status, reason = setting.refused[case.id]
            reply = {"status": status, "reason": reason[:3900], "error_tail": None, "duration_s": 0.0}
            record = campaigns.run_record(case, reply, 1, 0, campaigns.now(), "cold", 0, None)
            listener(campaign.write(record), campaign, 0.0)


def _alive(campaign: Campaign, cases: List[Case]) -> List[Case]:
    """Return the cases that have not failed: what failed once is not tried again in this campaign."""
    dead = {Case(**run["case"]).id for run in campaign.runs() if run["status"] != "ok"}
    return [case for case in cases if case.id not in dead]


def _round_s(campaign: Campaign, cases: List[Case], setting: Setting) -> float:
    """Return what the next round of `cases` will take: what each took last, or less where its caches are warm now."""
    last = {Case(**run["case"]).id: run["duration_s"] for run in campaign.runs() if run["status"] == "ok"}
    total = 0.0
    for case in cases:
        expected = _expected_s(case, "warm" if case.id in last else "cold", setting.expected)
        is_known = (case.id, "warm") in setting.expected
        total += min(last[case.id], expected) if is_known and case.id in last else last.get(case.id, expected)
    return total


def due(campaign: Campaign, cases: List[Case], round_: int, setting: Setting) -> Tuple[List[Case], List[Case]]:
    """Return (the cases to run in this round, those to give up), now that runs have shown what they cost.

    Up to the profile's fewest rounds, what matters less gives way so that the rest gets all of them. After that, a
    round takes the comparisons that still fit: what is left of the budget makes intervals narrower.
    """
    if setting.budget_s is None or round_ == 1:
        return cases, []
    left = setting.budget_s - campaign.spent_s()
    rounds_left = max(setting.profile.min_rounds - round_ + 1, 1)
    done = {Case(**run["case"]).id for run in campaign.runs() if run["round"] == round_}
    taken: List[Case] = []
    for group in _groups(cases, setting):
        waiting = [case for case in group if case.id not in done]
        cost = _round_s(campaign, waiting, setting) + (rounds_left - 1) * _round_s(campaign, group, setting)
        if cost <= left or len(waiting) < len(group):
            taken += group
            left -= cost
        elif rounds_left > 1:
            break
    needed = round_ <= setting.profile.min_rounds
    return taken, [case for case in cases if needed and case not in taken]


def _give_up(campaign: Campaign, cases: List[Case], round_: int, setting: Setting, listener: Listener) -> None:
    """Write a line for each case that the budget holds no longer, though some rounds of it were measured."""
    reason = "after %d of %d rounds the rest of the budget of %d s went to what matters more: give --budget" % (
        round_ - 1, setting.profile.min_rounds, setting.budget_s or 0)  # fmt: skip
    for case in cases:
        reply = {"status": "over_budget", "reason": reason, "error_tail": None, "duration_s": 0.0}
        record = campaigns.run_record(case, reply, round_, 0, campaigns.now(), "warm", 0, None)
        listener(campaign.write(record), campaign, 0.0)


def _why_stop(
    campaign: Campaign, cases: List[Case], wanted: List[Case], round_: int, setting: Setting
) -> Optional[str]:
    """Return why no further round follows, or None; `wanted` are those of `cases` that fit into the next one."""
    profile = setting.profile
    if not cases:
        return "nothing is left to measure"
    if round_ > profile.max_rounds:
        return "all rounds of a %s campaign are made: %d" % (profile.name, profile.max_rounds)
    if not wanted:
        left = (setting.budget_s or 0) - campaign.spent_s()
        return "the budget: %d s are left, too few for another round of any comparison" % max(left, 0)
    if round_ > profile.min_rounds and setting.precision:
        widest = setting.precision([run for run in campaign.runs() if Case(**run["case"]) in cases])
        if widest is not None and widest <= profile.half_width:
            return "every interval is within +-%.1f %%" % (100 * widest)
    return None


def _remaining_s(campaign: Campaign, cases: List[Case], round_: int, position: int, setting: Setting) -> float:
    """Estimate the seconds left: the budget's rest, or what the fewest rounds still take."""
    if setting.budget_s is not None:
        return max(0.0, setting.budget_s - campaign.spent_s())
    a_round = _round_s(campaign, cases, setting)
    return a_round * (max(setting.profile.min_rounds - round_, 0) + 1 - position / max(len(cases), 1))


def _why_kept(campaign: Campaign, cases: List[Case], round_: int, setting: Setting) -> Optional[str]:
    """Return why a round is kept although one of its runs broke a rule; None: it is void, and repeated."""
    repeats = len(campaign.voids(round_))
    if repeats >= void.MOST_REPEATS:
        return "it was repeated %d times already" % repeats
    rounds = max(setting.profile.min_rounds - round_, 0) + 1  # this one again, and the fewest that must follow
    cost = rounds * _round_s(campaign, cases, setting)
    if setting.budget_s is not None and cost > setting.budget_s - campaign.spent_s():
        return "the budget does not hold it once more"
    return None


def _is_void(campaign: Campaign, cases: List[Case], round_: int, setting: Setting, listener: Listener) -> bool:
    """Judge the runs that stand of a round by the rules of bench/void.py, and write a line when one breaks a rule.

    A round that is kept all the same has that line as its label, and is judged no further.
    """
    if any(line["kept"] for line in campaign.voids(round_)):
        return False
    for run in campaign.runs():
        found = void.broken(run) if run["round"] == round_ else None
        if found:
            line = {"kind": "void", "round": round_, "attempt": len(campaign.voids(round_)) + 1, "rule": found[0],
                    "reason": found[1], "case": run["case"],
                    "kept": _why_kept(campaign, cases, round_, setting)}  # fmt: skip
            listener(campaign.write(line), campaign, _remaining_s(campaign, cases, round_, 0, setting))
            return line["kept"] is None
    return False


def _measure_round(
    campaign: Campaign, cases: List[Case], wanted: List[Case], round_: int, setting: Setting, listener: Listener
) -> bool:
    """Measure what is missing of one round; return whether it stands: a void one stands nowhere, and is repeated."""
    runs = campaign.runs()
    seen = {Case(**run["case"]).id for run in runs}
    done = {Case(**run["case"]).id for run in runs if run["round"] == round_}
    if _is_void(campaign, wanted, round_, setting, listener):  # a kill came between a run and this
        return False
    writer = Writer(campaign, setting)
    for position, case in enumerate(order(cases, setting.seed, round_)):
        if case not in wanted or case.id in done:
            continue
        line = writer.write(measure(case, round_, position, case.id not in seen, setting))
        listener(line, campaign, _remaining_s(campaign, wanted, round_, position, setting))
        if _is_void(campaign, wanted, round_, setting, listener):
            return False
    return True


def run(campaign: Campaign, cases: List[Case], setting: Setting, listener: Listener) -> str:
    """Measure `cases` round by round into `campaign`, going on where it stopped; return why it ended.

    `listener(record, campaign, seconds left)` is told of every line. An interrupt leaves the campaign unfinished: the
    same call goes on with it, and repeats at most the run in flight.
    """
    _refuse(campaign, cases, setting, listener)
    round_ = 1
    while True:
        alive = _alive(campaign, cases)
        wanted, given_up = due(campaign, alive, round_, setting)
        _give_up(campaign, given_up, round_, setting, listener)
        reason = _why_stop(campaign, alive, wanted, round_, setting)
        begun = {Case(**run["case"]).id for run in campaign.runs() if run["round"] == round_}
        if reason and not any(case.id in begun for case in alive):
            break
        if _measure_round(campaign, cases, wanted, round_, setting, listener):
            round_ += 1
    campaign.write({"kind": "end", "ended": campaigns.now(), "rounds": round_ - 1, "reason": reason})
    return reason

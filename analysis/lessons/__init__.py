"""A lesson is a hypothesis that can lose, judged by the data on every build.

A claim is a row of analysis/published/claims.csv: an article's, or ours. claim_test.py finds and judges its
comparisons, and the table in verdicts.py decides. A claim that needs more than a row has a file here, which names it as
CLAIM. Its functions are optional: `effects(claim, results, answers)` finds the comparisons, and `counts(effects)`
counts them for the table. `sentence(effects)` describes them, `effect(effects)` in few words. ORDER is a file's place.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import NamedTuple

import pandas as pd

from analysis import literature, plugins, units
from analysis.estimate import contrasts
from analysis.estimate.estimates import Estimates, estimate_all, with_usual_threads
from analysis.groups import collected
from analysis.lessons import claim_test, verdicts, wording
from analysis.lessons.claim_test import HELD, LOST, Effect
from analysis.lessons.verdicts import (
    FAILS,
    HOLDS,
    IN_PART,
    MOSTLY_CONTRARY,
    NO_DIFFERENCE,
    VERDICTS,
    Counts,
)
from analysis.literature import Claim
from analysis.load.table import Results
from analysis.stats import interval
from analysis.text import sentences
from bench.cases import STEPS
from bench.units import printable

COLUMNS = ("network", "question", "time of / over that of", "ratio", "99 % interval", "rounds", "verdict")
ADVISING = (HOLDS, IN_PART, FAILS, MOSTLY_CONTRARY)


class Lesson(NamedTuple):
    """A judged hypothesis; every number in `claim` is computed."""

    title: str
    claim: str
    verdict: str  # one of VERDICTS
    evidence: pd.DataFrame  # columns are headings, cells are text
    reason: str | None  # why it is undecided
    about: Claim  # the row that states it
    effects: Sequence[Effect] = ()  # its comparisons
    counts: Counts = Counts(0, 0, 0, 0)
    effect: str = ""  # the ratio with its interval; of several comparisons the median one, and the range

    @property
    def advice(self) -> str:
        """What to do, with the precision and device of the comparisons that support it; nothing without support."""
        both = ("Where it is true, ", HELD, self.about.if_so), ("Where it is false, ", LOST, self.about.if_not)
        parts = {HOLDS: [("", *both[0][1:])], FAILS: [("", *both[1][1:])]}.get(self.verdict, both)
        found = [(where, self.effects_of(verdict), text) for where, verdict, text in parts if self.verdict in ADVISING]
        return " ".join(wording.advice(*part) for part in found if part[1])

    @property
    def actions(self) -> str:
        """What to do in most comparisons that decide, without precision and device.

        Nothing where no significant comparison supports it.
        """
        if not self.advice:
            return ""
        return self.about.if_so if self.verdict in (HOLDS, IN_PART) else self.about.if_not

    def effects_of(self, verdict: str) -> list[Effect]:
        """Return the comparisons that came to a verdict."""
        return [each for each in self.effects if each.verdict == verdict]


def found() -> dict[str, ModuleType]:
    """Return every lesson's module by its name."""
    return plugins.modules(__name__)


def judge_all(results: Results, answers: Sequence[Estimates]) -> list[Lesson]:
    """Judge every claim in the order of their file."""
    return judge_claims(literature.claims(), results, answers)


def of_ablations(results: Results) -> list[Lesson]:
    """Judge what the ablations tell alone, as far as they were measured."""
    if results.ablations.runs.empty:
        return []
    judged = judge_claims([each for each in literature.claims() if claim_test.ablation(each)], results, [])
    return [each for each in judged if each.effects]


def judge_claims(claims: Sequence[Claim], results: Results, answers: Sequence[Estimates]) -> list[Lesson]:
    """Judge claims, each adjusted for its own comparisons on a machine."""
    files = {module.CLAIM: module for module in found().values()}
    changed = estimate_all(results.ablations)
    as_documented = results, with_usual_threads(answers), answers
    ablated = results.ablations, with_usual_threads(changed), changed
    effects = {
        each.id: _effects(files.get(each.id), each, *(ablated if claim_test.ablation(each) else as_documented))
        for each in claims
    }
    return [_lesson(files.get(each.id), each, _judged(each, effects[each.id]), results) for each in claims]


def _effects(
    file: ModuleType | None, claim: Claim, results: Results, usual: Sequence[Estimates], answers: Sequence[Estimates]
) -> list[Effect]:
    """Return a claim's comparisons: those with the usual number of threads, else with any.

    Of a claim about a GPU, those on a GPU decide. If there are none, those on a CPU are shown.
    """
    own = getattr(file, "effects", claim_test.effects if claim.contrast else None)
    every = own(claim, results, usual) or own(claim, results, answers) if own else []
    return [each for each in every if each.question.device == claim.device] or every


def _judged(claim: Claim, effects: Sequence[Effect]) -> list[Effect]:
    """Judge a claim's comparisons; those on one machine are one family, adjusted by Holm's method."""
    if not effects:
        return []
    expected = claim_test.expected(claim.expected)
    p_values: dict[int, float] = {}
    for family in collected((effect.question.machine, place) for place, effect in enumerate(effects)).values():
        adjusted = interval.holm([effects[place].p(expected) for place in family])
        p_values.update(zip(family, adjusted, strict=True))
    return [effect.judged(expected, p_values[place]) for place, effect in enumerate(effects)]


def _lesson(file: ModuleType | None, claim: Claim, effects: Sequence[Effect], results: Results) -> Lesson:
    lacks_gpu = claim.device == "gpu" and not any(each.question.device == "gpu" for each in effects)
    counts = getattr(file, "counts", verdicts.count)(effects)._replace(lacks_gpu=lacks_gpu)
    together = verdicts.decide(counts)
    if not effects:
        why = f"Needs {claim.needs}." if claim.needs else "No published run."
        return Lesson(claim.claim, "Not measured.", together, pd.DataFrame(), why, claim, counts=counts)
    left_out = contrasts.left_out(results.of(STEPS)) if "compiles" in claim.contrast else ""
    cause = wording.cause(claim)
    told = f"{getattr(file, 'sentence', wording.sentence)(effects)}{left_out}{cause}"
    reason = None if together in (*ADVISING, NO_DIFFERENCE) else told
    table = pd.DataFrame(list(_rows(effects)), columns=list(COLUMNS))
    effect = getattr(file, "effect", wording.effect)(effects)
    return Lesson(claim.claim, told, together, table, reason, claim, effects, counts, effect)


def summary(judged: Sequence[Lesson]) -> str:
    """Return in a sentence how many lessons there are of each verdict."""
    counts = Counter(each.verdict for each in judged)
    known = {verdict: f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict]}
    parts = [[told for verdict, told in known.items() if (verdict in ADVISING) == decided] for decided in (True, False)]
    told = ". ".join(units.listing(part) for part in parts if part)
    return f"{units.count(len(judged), 'lesson')}: {told}."


def text(judged: Sequence[Lesson]) -> str:
    """Return verdicts for the terminal, with what tells, and how many of each there are."""
    width = 1 + max(map(len, VERDICTS))
    lines: list[str] = []
    for each in judged:
        lines += [f"{each.verdict:{width}}{each.title}", f"{'':{width}}{printable(each.reason or each.claim)}"]
        lines += [f"{'':{width}}{printable(each.advice)}"] if each.advice else []
    return "\n".join([*lines, summary(judged)])


def _rows(effects: Sequence[Effect]) -> Iterator[Sequence[str]]:
    is_several = len({each.question.machine for each in effects}) > 1
    for each in wording.order(effects):
        title, asked = units.workload_title(each.question.workload), sentences.short(each.question)
        machine = f" · {each.question.machine}" if is_several else ""
        yield title, f"{asked}{machine}", each.told, *units.ratio_cells(each.ratio), each.verdict

"""A lesson is a hypothesis that can lose, judged by the data on every build.

A claim, an article's or ours, is a row of analysis/published/claims.csv, and contrast.py judges it. What that cannot
say is a file here, which names the claim as CLAIM: `effects(claim, results, answers)` finds what to judge,
`verdict(effects)` what it comes to, and `sentence(effects)` how; each may be missing. ORDER is a file's place.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import NamedTuple

import pandas as pd

from analysis import literature, plugins, units
from analysis.estimate import contrasts
from analysis.estimate.estimates import Estimates, estimate_all, with_usual_threads
from analysis.lessons import contrast, wording
from analysis.lessons.contrast import HELD, LOST, Effect
from analysis.literature import Claim
from analysis.load.table import Results
from analysis.stats import interval
from analysis.text import sentences
from bench.cases import STEPS
from bench.report import printable

COLUMNS = ("network", "question", "time of / over that of", "ratio", "99 % interval", "rounds", "verdict")
SAID = {"holds": ("holds", "hold"), "holds in part": ("holds in part", "hold in part"),
        "fails": ("does not hold", "do not hold"), "undecided": ("is undecided", "are undecided")}  # fmt: skip
VERDICTS = tuple(SAID)


class Lesson(NamedTuple):
    """A judged hypothesis; every number in `claim` is computed."""

    title: str
    claim: str
    verdict: str  # one of VERDICTS
    evidence: pd.DataFrame  # columns are headings, cells are text
    reason: str | None  # why it is undecided
    about: Claim  # the row that states it
    effects: Sequence[Effect] = ()  # that it was judged by

    @property
    def advice(self) -> str:
        """What to do; nothing where nothing is decided."""
        if self.verdict == "undecided":
            return ""
        so, otherwise = self.about.if_so, self.about.if_not
        if self.verdict == "holds in part":
            return f"Where it holds: {_within(so)} Elsewhere: {_within(otherwise)}"
        return so if self.verdict == "holds" else otherwise


def _within(sentence: str) -> str:
    """Return a sentence as it stands after a colon; a name such as TensorFlow keeps its letters."""
    is_name = any(letter.isupper() for letter in sentence.split(" ", 1)[0][1:])
    return sentence if is_name else sentence[:1].lower() + sentence[1:]


def by_source(judged: Sequence[Lesson]) -> dict[str, list[Lesson]]:
    """Return lessons by the article that claimed them; under "", ours."""
    found: dict[str, list[Lesson]] = {}
    for each in judged:
        found.setdefault(each.about.source, []).append(each)
    return found


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
    judged = judge_claims([each for each in literature.claims() if contrast.ablation(each)], results, [])
    return [each for each in judged if each.effects]


def judge_claims(claims: Sequence[Claim], results: Results, answers: Sequence[Estimates]) -> list[Lesson]:
    """Judge claims, adjusted for all comparisons of all of them."""
    files = {module.CLAIM: module for module in found().values()}
    changed = estimate_all(results.ablations)
    as_documented = results, with_usual_threads(answers), answers
    ablated = results.ablations, with_usual_threads(changed), changed
    effects = {
        each.id: _effects(files.get(each.id), each, *(ablated if contrast.ablation(each) else as_documented))
        for each in claims
    }
    expected = {claim.id: contrast.expected(claim.expected) for claim in claims if claim.expected}
    p_values = [each.p(expected[name]) for name, own in effects.items() for each in own]
    adjusted = iter(interval.holm(p_values))
    judged = {name: [each.judged(expected[name], next(adjusted)) for each in own] for name, own in effects.items()}
    return [_lesson(files.get(claim.id), claim, judged[claim.id], results) for claim in claims]


def _effects(
    file: ModuleType | None, claim: Claim, results: Results, usual: Sequence[Estimates], answers: Sequence[Estimates]
) -> list[Effect]:
    """Return what a claim is judged by, with the usual number of threads, else with any."""
    own = getattr(file, "effects", contrast.effects if claim.contrast else None)
    return own(claim, results, usual) or own(claim, results, answers) if own else []


def _lesson(file: ModuleType | None, claim: Claim, effects: Sequence[Effect], results: Results) -> Lesson:
    if not effects:
        why = f"it needs {claim.needs}" if claim.needs else f"nothing was measured where it applies ({claim.where})"
        return Lesson(claim.claim, "Not decided by the data at hand.", "undecided", pd.DataFrame(), why, claim)
    together = getattr(file, "verdict", verdict_in_all)(effects)
    reason = wording.why_open(effects) if together == "undecided" else None
    left_out = contrasts.left_out(results.of(STEPS)) if "compiles" in claim.contrast else ""
    told = f"{getattr(file, 'sentence', wording.sentence)(effects)}{left_out}"
    return Lesson(
        claim.claim, told, together, pd.DataFrame(list(_rows(effects)), columns=list(COLUMNS)), reason, claim, effects
    )


def verdict_in_all(effects: Sequence[Effect]) -> str:
    """Judge a claim by its comparisons.

    It holds where all are as claimed, in part where some are, and fails where none is and one is contrary.
    """
    verdicts = [each.verdict for each in effects]
    if all(each == HELD for each in verdicts):
        return "holds"
    if HELD in verdicts:
        return "holds in part"
    return "fails" if LOST in verdicts else "undecided"


def summary(judged: Sequence[Lesson]) -> str:
    """Return in a sentence how many lessons there are of each verdict."""
    counts = Counter(each.verdict for each in judged)
    known = ((counts[verdict], SAID[verdict][counts[verdict] > 1]) for verdict in VERDICTS if counts[verdict])
    return f"{units.count(len(judged), 'lesson')}: {units.listing(f'{count} {said}' for count, said in known)}."


def text(judged: Sequence[Lesson]) -> str:
    """Return verdicts for the terminal, with what tells, and how many of each there are."""
    parts = [f"{each.verdict:15}{each.title}\n{'':15}{printable(each.reason or each.claim)}" for each in judged]
    return "\n".join([*parts, summary(judged)])


def _rows(effects: Sequence[Effect]) -> Iterator[Sequence[str]]:
    is_several = len({each.question.machine for each in effects}) > 1
    for each in wording.order(effects):
        title, asked = units.workload_title(each.question.workload), sentences.short(each.question)
        machine = f" · {each.question.machine}" if is_several else ""
        yield title, f"{asked}{machine}", each.told, *units.ratio_cells(each.ratio), each.verdict

"""The first step costs most where compiling is heaviest

Two predictions. Within an environment, the first step takes longer in a compiling mode than without a compiler. Among
the compiling modes, those that speed the step up most also take longest for their first step: a rank correlation above
zero. Only first steps with the compilers' caches empty count: those that find them full tell of the disk. Steps of the
framework's own training loop are held against such steps only, and those by hand against those by hand; where the
compiler left all of a step alone, there is no contrast.
"""

from collections.abc import Hashable, Mapping, Sequence
from statistics import median

import numpy as np
import pandas as pd
from scipy import stats

from analysis import units
from analysis.estimate import contrasts
from analysis.estimate.contrasts import Contrast
from analysis.lessons import Lesson, evidence, undecided, verdict_of_all, verdicts
from analysis.load.table import Results
from analysis.plugins import title
from analysis.stats.interval import CONFIDENCE
from analysis.text import sentences

ORDER = 1
TITLE = title(__doc__)
COLUMNS = (
    "workload",
    "question",
    "environment",
    "modes",
    "first step, compiling / plain",
    "99 % interval",
    "rounds",
    "steps until it pays",
    "verdict",
)
MIN_POINTS = 5  # below, no rank correlation can be told from chance at 99 %


def judge(results: Results) -> Lesson:
    """Judge both predictions; the lesson holds when both do, and fails when one does."""
    cold = results._replace(runs=results.runs[results.runs["cache"] == "cold"])
    firsts = contrasts.compiling_contrasts(cold, "first_step_s")
    if not firsts:
        return undecided(TITLE, "no environment has first steps both compiled and without its compiler")
    gained = {each.key: each for each in contrasts.compiling_contrasts(results, "step_s")}
    dearer = verdicts([[1 / ratio for ratio in each.ratios] for each in firsts])
    correlated, words_of_it = _correlation(firsts, gained)
    together = verdict_of_all([*dearer, correlated])
    ratios = [1 / each.ratio.value for each in firsts]
    claim = (
        f"The first step took longer with the compiler in {dearer.count('holds')} of "
        f"{units.count(len(firsts), 'contrast')}: {units.factor(min(ratios))} to {units.factor(max(ratios))} times as "
        f"long. {words_of_it}{contrasts.left_out(results)}"
    )
    reason = "the contrasts or their correlation are not resolved" if together == "undecided" else None
    return Lesson(TITLE, claim, together, _table(firsts, gained, dearer), reason)


def _correlation(firsts: Sequence[Contrast], gained: Mapping[Hashable, Contrast]) -> tuple[str, str]:
    """Return the verdict on "more gained by compiling goes with a dearer first step", and the sentence about it."""
    both = [(gained[each.key].ratio.value, 1 / each.ratio.value) for each in firsts if each.key in gained]
    if len(both) < MIN_POINTS:
        return "undecided", f"{units.count(len(both), 'contrast')} are too few to correlate gain and price."
    gains, prices = zip(*both, strict=True)
    if len(set(gains)) == 1 or len(set(prices)) == 1:
        return "undecided", "All contrasts are alike, so that gain and price cannot be correlated."
    found = stats.spearmanr(gains, prices)
    judged = "undecided" if found.pvalue > 1 - CONFIDENCE else "holds" if found.statistic > 0 else "fails"
    return (
        judged,
        f"The rank correlation between the gain per step and the price of the first step is {found.statistic:.2f}.",
    )


def _table(firsts: Sequence[Contrast], gained: Mapping[Hashable, Contrast], judged: Sequence[str]) -> pd.DataFrame:
    rows = [
        (
            *sentences.contrast(each),
            *units.ratio_cells(each.ratio.inverse()),
            _break_even(gained.get(each.key), each),
            verdict,
        )
        for each, verdict in zip(firsts, judged, strict=True)
    ]
    return evidence(rows, *COLUMNS)


def _break_even(step: Contrast | None, first: Contrast) -> str:
    """Return after how many steps the dearer first step is earned back, or "never"."""
    if step is None:
        return units.NONE
    price = median(first.compiling.values) - median(first.plain.values)
    gain = median(step.plain.values) - median(step.compiling.values)
    if price <= 0:
        return "0"
    return f"{np.ceil(price / gain):,.0f}" if gain > 0 else "never"

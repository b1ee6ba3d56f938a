"""Compiling the training step makes it faster

In every environment that can do both, a step in a compiling mode takes less time than one in a mode without a compiler,
where both are made by the framework's own training loop or both by hand. One contrast in which it does not is enough to
lose. Where the compiler left all of a step alone, there is no contrast.
"""

import pandas as pd

from analysis import units
from analysis.estimate import contrasts
from analysis.estimate.contrasts import Contrast
from analysis.lessons import Lesson, evidence, undecided, verdict_of_all, verdicts
from analysis.load.table import Results
from analysis.plugins import title
from analysis.text import sentences

ORDER = 0
TITLE = title(__doc__)


def judge(results: Results) -> Lesson:
    """Judge each environment's own contrast on each question, then all of them together."""
    found = contrasts.compiling_contrasts(results, "step_s")
    if not found:
        return undecided(TITLE, "no environment has times both of a compiled step and of one without its compiler")
    judged = verdicts([each.ratios for each in found])
    ratios = [each.ratio.value for each in found]
    claim = (
        f"Compiling made the step faster in {judged.count('holds')} of {units.count(len(found), 'contrast')}, "
        f"and did not in {judged.count('fails')}. A step without the compiler took between "
        f"{units.factor(min(ratios))} and {units.factor(max(ratios))} times as long as a compiled one."
        f"{contrasts.left_out(results)}"
    )
    together = verdict_of_all(judged)
    reason = f"{judged.count('undecided')} of the contrasts are not resolved" if together == "undecided" else None
    return Lesson(TITLE, claim, together, _table(found, judged), reason)


def _table(found: list[Contrast], judged: list[str]) -> pd.DataFrame:
    rows = [
        (*sentences.contrast(each), *units.ratio_cells(each.ratio), verdict)
        for each, verdict in zip(found, judged, strict=True)
    ]
    columns = ("workload", "question", "environment", "modes", "ratio of times", "99 % interval", "rounds", "verdict")
    return evidence(rows, *columns)

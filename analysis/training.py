"""What training over a data set took and reached: first epoch, score in the end, steps to a target, equivalence."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from analysis.estimates import Estimates, Row
from analysis.interval import CONFIDENCE
from analysis.together import runs_of

MARGIN = 0.02  # two runs that end within two points of each other learn the same, for all practical purposes
TARGET = 0.95  # of the best score that any competitor ends with


class Summary(NamedTuple):
    """One competitor over its rounds, each with a seed of its own; times are medians in seconds."""

    row: Row
    score: str  # what is scored: accuracy, area under the curve
    first_epoch_s: float
    start_s: float  # import, build and placing the weights, before the first epoch
    final: float  # mean over rounds of the score after the last epoch
    agreement: str  # with the fastest competitor
    to_target: str


def summaries(runs: pd.DataFrame, answer: Estimates) -> list[Summary]:
    """Return a summary of each competitor that has a time, the fastest first."""
    own = _runs(runs, answer)
    finals = {row: _finals(rows) for row, rows in own.items()}
    fastest = finals[answer.measured[0].row] if own else {}
    target = TARGET * max((np.mean(list(each.values())) for each in finals.values()), default=0.0)
    return [_summary(row, rows, finals[row], fastest, float(target)) for row, rows in own.items()]


def curves(runs: pd.DataFrame, answer: Estimates) -> dict[Row, list[float]]:
    """Return each competitor's mean test score after every epoch that all of its runs have."""
    return {
        row: [float(np.mean(scores)) for scores in zip(*rows["test_scores"], strict=False)]
        for row, rows in _runs(runs, answer).items()
    }


def _runs(runs: pd.DataFrame, answer: Estimates) -> dict[Row, pd.DataFrame]:
    asked = runs_of(runs, answer.question)
    asked = asked[asked["step_s"].notna()]
    of_row = {cell.row: asked[(asked["environment"] == cell.row[0]) & (asked["mode"] == cell.row[1])]
              for cell in answer.measured}  # fmt: skip
    return {row: rows for row, rows in of_row.items() if len(rows)}


def _finals(rows: pd.DataFrame) -> dict[int, float]:
    return {int(number): scores[-1] for number, scores in zip(rows["round"], rows["test_scores"], strict=True)}


def _summary(
    row: Row, rows: pd.DataFrame, finals: dict[int, float], fastest: dict[int, float], target: float
) -> Summary:
    shared = sorted(set(finals) & set(fastest))
    return Summary(
        row=row,
        score=str(rows["score"].iloc[0]),
        first_epoch_s=float(np.median([epochs[0] for epochs in rows["epoch_s"]])),
        start_s=float(np.median(rows["import_s"] + rows["build_s"])),
        final=float(np.mean(list(finals.values()))),
        agreement=agreement([finals[number] - fastest[number] for number in shared]),
        to_target=_to_target(rows, target),
    )


def agreement(differences: Sequence[float]) -> str:
    """Say whether paired differences of scores are within MARGIN of 0: two one-sided t tests (Schuirmann 1987).

    Both tests at the level of all intervals; with fewer than three rounds nothing is said.
    """
    values = np.asarray(differences, float)
    if not values.any() and len(values):
        return "the same"
    if len(values) < 3:
        return "too few rounds to compare"
    half = float(stats.t.ppf(CONFIDENCE, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))
    low, high = values.mean() - half, values.mean() + half
    if low > -MARGIN and high < MARGIN:
        return "equivalent"
    return "different" if low > MARGIN or high < -MARGIN else "unresolved"


def _to_target(rows: pd.DataFrame, target: float) -> str:
    """Return the median number of steps after which the target is reached, as far as epochs tell."""
    reached = [
        next((epoch * steps for epoch, value in enumerate(scores, 1) if value >= target), None)
        for scores, steps in zip(rows["test_scores"], rows["steps_per_epoch"], strict=True)
    ]
    known = [steps for steps in reached if steps is not None]
    return f"{int(np.median(known)):,}" if len(known) * 2 > len(reached) else "not reached"

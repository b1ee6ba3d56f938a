"""What training over a data set took and reached: first epoch, score in the end, time to a target, equivalence.

The same program from the same weights on the same examples gives the same losses, until rounding errors have grown.
The number of such steps is reported: after them, two scores of one seed differ as much as those of two seeds.

Scores are judged only if something was learned on enough examples. The best final score must exceed guessing by more
than MARGIN, and by more than luck explains.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from analysis import units
from analysis.estimate.aggregate import of_row, runs_of
from analysis.estimate.cells import median
from analysis.estimate.estimates import Estimates, Question
from analysis.groups import collected
from analysis.stats import Row
from analysis.stats.interval import CONFIDENCE
from bench import dataset
from bench.cases import read_data
from bench.errors import DefinitionError
from bench.proof.parity import TOLERANCES

MARGIN = 0.02  # two runs that end within two points of each other learn the same, for all practical purposes
FEWEST = int(2 / MARGIN)  # examples to test on: one of them must weigh less than MARGIN, half of it at most
TARGET = 0.95  # of the way from guessing to the best score that any competitor ends with
NOT_JUDGED, NO_TARGET, NOT_REACHED = "not judged", "no target", "not reached"

CACHES = ("cold", "warm")  # compiler caches emptied before the run, or as an earlier run left them
Parts = Mapping[str, float | None]  # cache -> seconds

SAME = TOLERANCES["losses"]  # losses that are at most so far from the median of all, relative to it


class Start(NamedTuple):
    """The parts of a start in seconds, medians over runs; what the framework's own loop hides is None."""

    import_s: float | None
    build_s: float | None  # model and optimiser, weights, placing the weights
    later_s: float | None  # an epoch after the first; None where there is none
    first_step_s: Parts  # of the first epoch
    first_epoch_s: Parts
    more_s: Parts  # what the first epoch takes more than a later one, however long that is
    rest_s: Parts  # the first epoch without its first step
    whole_s: Parts  # from the start of the process to the end of the first epoch


class Scale(NamedTuple):
    """What the scores of a question are held against, and from where on: a score, or why there is none."""

    guessing: float | None  # None of a data set that this source does not know
    attainable: float | None  # on the whole test half of a stand-in; of a real set nothing is known
    examples: int | None  # tested on
    target: float | None
    reason: str | None  # why nothing is judged


class Reached(NamedTuple):
    """When a target was reached, as far as epochs tell: medians over runs, the seconds without evaluations."""

    steps: int
    seconds: float


class Alike(NamedTuple):
    """For how many of its steps a competitor's losses stay within SAME of the median of all."""

    steps: int  # a median over rounds
    of: int


class Summary(NamedTuple):
    """One competitor over its rounds, each with a seed of its own."""

    start: Start
    final: float  # mean over rounds of the score after the last epoch
    agreement: str  # with the others
    reached: Reached | None  # None where it was not, or where there is no target
    alike: Alike | None  # None where the framework's own loop hides the steps, or nobody else shows them


class Trained(NamedTuple):
    """What is known of a question's competitors, the fastest first."""

    score: str  # what is scored: accuracy, area under the curve
    scale: Scale
    summaries: dict[Row, Summary]


def trained(runs: pd.DataFrame, answer: Estimates) -> Trained:
    """Return a summary of each competitor that has a time."""
    found = ((cell.row, of_row(runs_of(runs, answer.question), cell.row)) for cell in answer.measured)
    own = {row: rows[rows["step_s"].notna()] for row, rows in found if rows["step_s"].notna().any()}
    finals = {row: {int(number): scores[-1] for number, scores in zip(rows["round"], rows["test_scores"], strict=True)}
              for row, rows in own.items()}  # fmt: skip
    ends = {row: float(np.mean(list(each.values()))) for row, each in finals.items()}
    scale, alike = _scale(answer.question, list(ends.values())), _alike(own)
    summaries = {
        row: Summary(
            start=_start_of(rows),
            final=ends[row],
            agreement=NOT_JUDGED if scale.reason else agreement(list(_to_others(row, finals))),
            reached=_reached(rows, scale.target),
            alike=alike.get(row),
        )
        for row, rows in own.items()
    }
    return Trained(next((str(name) for rows in own.values() for name in rows["score"]), "score"), scale, summaries)


def _alike(own: Mapping[Row, pd.DataFrame]) -> dict[Row, Alike]:
    """Return for how many steps each competitor's losses are those of all: a round shares weights and order.

    A framework's own loop gives but an epoch's mean, and is left out.
    """
    found: list[tuple[Row, Alike]] = []
    columns = ["round", "losses", "epoch_s", "steps_per_epoch"]
    runs = ((row, *run) for row, rows in own.items() for run in rows[columns].itertuples(index=False))
    by_round = collected((int(number), (row, losses)) for row, number, losses, epoch_s, steps in runs
                         if len(losses) == len(epoch_s) * steps)  # fmt: skip
    for shown in (dict(by_round[number]) for number in sorted(by_round)):
        steps = min(map(len, shown.values()), default=0)
        if len(shown) < 2 or not steps:
            continue
        values = np.array([losses[:steps] for losses in shown.values()])
        apart = ~(np.abs(values / np.median(values, axis=0) - 1) <= SAME)
        found += [(row, Alike(int(away.argmax()) if away.any() else steps, steps))
                  for row, away in zip(shown, apart, strict=True)]  # fmt: skip
    return {row: Alike(int(np.median([alike.steps for alike in rounds])), rounds[0].of)
            for row, rounds in collected(found).items()}  # fmt: skip


def _scale(question: Question, ends: Sequence[float]) -> Scale:
    best = max(ends, default=None)
    try:
        about = read_data(question.data)
        guessing, known = dataset.guessing(about.name), dataset.definition(about.name)
    except DefinitionError:
        return Scale(None, None, None, None, "this data set is not known here, nor what guessing reaches on it")
    tested = dataset.tested_on(*about)
    attainable = float(known.ATTAINABLE) if about.is_stand_in else None
    reason = None if best is None else _not_judged(best, guessing, tested)
    target = None if best is None or reason else guessing + TARGET * (best - guessing)
    return Scale(guessing, attainable, tested, target, reason)


def _not_judged(best: float, guessing: float, tested: int) -> str | None:
    """Return why scores say nothing: too few examples, or nobody is above guessing.

    Luck is the binomial's: what 99 % of those stay below who guess on so many examples. That of an area under the curve
    is less than that of guessing one of two.
    """
    if tested < FEWEST:
        tests = units.count(tested, "example")
        return f"{tests} to test on, and {FEWEST} are needed, so that one weighs less than two points"
    luck = max(float(stats.binom.ppf(CONFIDENCE, tested, guessing)) / tested, guessing + MARGIN)
    if best > luck:
        return None
    return f"nobody learned: guessing reaches {units.digits(luck)} by luck, and the best end is {units.digits(best)}"


def _to_others(row: Row, finals: Mapping[Row, Mapping[int, float]]) -> Iterator[float]:
    """Yield, for each round, how far a competitor ends from the median of the others.

    A median, which one that learned nothing does not move; and all others, which no noise of times exchanges.
    """
    for number, final in finals[row].items():
        others = [each[number] for other, each in finals.items() if other != row and number in each]
        if others:
            yield final - float(np.median(others))


def agreement(differences: Sequence[float]) -> str:
    """Say whether paired differences of scores are within MARGIN of 0: two one-sided t tests (Schuirmann 1987).

    Both tests at the level of all intervals; with fewer than three rounds nothing is said.
    """
    values = np.asarray(differences, float)
    if not len(values):
        return "no other to compare with"
    if not values.any():
        return "the same"
    if len(values) < 3:
        return "too few rounds to compare"
    half = float(stats.t.ppf(CONFIDENCE, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))
    low, high = values.mean() - half, values.mean() + half
    if low > -MARGIN and high < MARGIN:
        return "equivalent"
    return "different" if low > MARGIN or high < -MARGIN else "unresolved"


def _reached(rows: pd.DataFrame, target: float | None) -> Reached | None:
    """Return when most runs had reached the target; None when half of them or more never did."""
    if target is None:
        return None
    found = [next((epochs for epochs, score in enumerate(scores, 1) if score >= target), 0)
             for scores in rows["test_scores"]]  # fmt: skip
    steps = [epochs * each for epochs, each in zip(found, rows["steps_per_epoch"], strict=True) if epochs]
    seconds = [sum(each[:epochs]) for epochs, each in zip(found, rows["epoch_s"], strict=True) if epochs]
    return Reached(int(np.median(steps)), float(np.median(seconds))) if len(steps) * 2 > len(found) else None


def to_target(about: Scale, own: Summary) -> str:
    """Return after what time, and how many steps, a competitor reached the target, or that there is none."""
    if about.target is None:
        return NO_TARGET
    return f"{units.seconds(own.reached.seconds)}, {own.reached.steps:,} steps" if own.reached else NOT_REACHED


def _sum(value: float | None, other: float | None, sign: int = 1) -> float | None:
    return None if value is None or other is None else value + sign * other


def _start_of(rows: pd.DataFrame) -> Start:
    """Return the parts of the start of one competitor's runs over a data set."""
    import_s, build_s = (median(rows[name].tolist()) for name in ("import_s", "build_s"))
    first_step_s = _by_cache(rows, rows["first_step_s"].tolist())
    first_epoch_s = _by_cache(rows, [seconds[0] for seconds in rows["epoch_s"]])
    later_s = median([each for seconds in rows["epoch_s"] for each in seconds[1:]])
    return Start(
        import_s, build_s, later_s, first_step_s, first_epoch_s,
        more_s={cache: _sum(first_epoch_s[cache], later_s, -1) for cache in CACHES},
        rest_s={cache: _sum(first_epoch_s[cache], first_step_s[cache], -1) for cache in CACHES},
        whole_s={cache: _sum(_sum(import_s, build_s), first_epoch_s[cache]) for cache in CACHES},
    )  # fmt: skip


def _by_cache(rows: pd.DataFrame, seconds: Sequence[float | None]) -> Parts:
    both = list(zip(rows["cache"], seconds, strict=True))
    return {kind: median([value for cache, value in both if cache == kind]) for kind in CACHES}

"""Contrasts within an environment: what one mode costs against another of it, paired within rounds."""

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from analysis import interval, words
from analysis.estimates import Question, question_of
from analysis.interval import Interval
from analysis.table import QUESTION, Results
from bench import registry


class Contrast(NamedTuple):
    """One question, one environment, two of its modes; ratios are plain / compiling of the column asked for."""

    question: Question
    title: str
    plain: pd.DataFrame  # the runs of the mode without a compiler
    compiling: pd.DataFrame
    ratios: list[float]  # of each round that has both

    @property
    def ratio(self) -> Interval:
        """The ratios' geometric mean and interval."""
        return interval.mean(self.ratios)

    @property
    def names(self) -> tuple[str, str, str, str]:
        """Workload, question, environment and the two modes, for a table."""
        modes = f"{self.plain['mode'].iloc[0]} / {self.compiling['mode'].iloc[0]}"
        return workload_title(self.question.workload), words.short(self.question), self.title, modes


def workload_title(name: str) -> str:
    """Return a workload's title, or its name when this source does not know it."""
    return str(registry.workload(name).__doc__).split("\n")[0] if name in registry.workload_names() else name


def compiling_contrasts(results: Results, column: str) -> list[Contrast]:
    """Return each pair of a plain and a compiling mode of one environment on one question that share a round."""
    groups = results.runs.groupby(["machine", *QUESTION, "environment"])
    return sorted((each for _, runs in groups for each in _within(runs, column)), key=_place)


def _place(contrast: Contrast) -> tuple[str, int]:
    """Return where a contrast stands in a table: workloads from the lightest on, otherwise as found."""
    known, name = registry.workload_names(), contrast.question.workload
    return contrast.question.machine, known.index(name) if name in known else len(known)


def _within(runs: pd.DataFrame, column: str) -> Iterator[Contrast]:
    known = runs[runs[column].notna() & runs["step_s"].notna()]
    plain = [rows for _, rows in known[known["compiles"] == False].groupby("mode")]  # noqa: E712  (None is unknown)
    compiling = [rows for _, rows in known[known["compiles"] == True].groupby("mode")]  # noqa: E712
    for before in plain:
        for after in compiling:
            ratios = interval.paired(by_round(before, column), by_round(after, column))
            if ratios:
                yield Contrast(question_of(before), str(before.iloc[0]["title"]), before, after, ratios)


def by_round(runs: pd.DataFrame, column: str) -> dict[int, float]:
    """Return a column's values by round."""
    return {int(number): float(value) for number, value in zip(runs["round"], runs[column], strict=True)}

"""What is taken of each run, a column of numbers each: its time, first step or epoch, score, loss, and memory."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from analysis.estimate.cells import is_missing
from bench import dataset
from bench.cases import read_data

Measure = Callable[[pd.DataFrame], pd.Series]  # of some runs, a number for each


def step_s(runs: pd.DataFrame) -> pd.Series:
    """Return each run's number: seconds per step, or per epoch after the first."""
    return runs["step_s"]


def first_s(runs: pd.DataFrame) -> pd.Series:
    """Return the seconds of each run's first epoch, or of its first step: of runs with compiler caches emptied."""
    epochs = runs["epoch_s"].map(lambda seconds: seconds[0] if isinstance(seconds, list) and seconds else None)
    epochs = epochs.astype(float)
    return epochs.where(runs["cache"] == "cold").fillna(first_step_s(runs).mask(epochs.notna()))


def whole_epoch_s(runs: pd.DataFrame) -> pd.Series:
    """Return the seconds of a later epoch, were it over all of its data set, each step as long as it was.

    An epoch over a stand-in or cut data has few steps. The extra cost of a first epoch must not be related to so few.
    """
    examples = runs["data"].map(_examples).astype(float)
    return runs["step_s"].astype(float) / runs["steps_per_epoch"].astype(float) * (examples // runs["batch_size"])


def whole_first_s(runs: pd.DataFrame) -> pd.Series:
    """Return the seconds of the first epoch, were it over all of its data set: what it took more is added as it is."""
    return whole_epoch_s(runs) + (first_s(runs) - runs["step_s"].astype(float))


def _examples(data: str) -> int | None:
    """Return how many examples a data set trains on, whatever was cut of it; None of a random batch."""
    name = read_data(data).name
    return None if name == "random" else int(dataset.definition(name).EXAMPLES[0])


def first_step_s(runs: pd.DataFrame) -> pd.Series:
    """Return the seconds of each run's first step, of runs with compiler caches emptied; it is in the first epoch."""
    return runs["first_step_s"].astype(float).where(runs["cache"] == "cold")


def first_to_later(runs: pd.DataFrame) -> pd.Series:
    """Return how many times as long as a later one the first epoch would take over all of its data set."""
    is_only = runs["epoch_s"].map(lambda seconds: isinstance(seconds, list) and len(seconds) == 1).astype(bool)
    return whole_first_s(runs).mask(is_only) / whole_epoch_s(runs)


def last_loss(runs: pd.DataFrame) -> pd.Series:
    """Return the mean loss of each run's last epoch, of those that tell each step's."""
    return pd.Series([_last(*each) for each in zip(runs["losses"], runs["steps_per_epoch"], strict=True)], runs.index)


def _last(losses: Any, steps: Any) -> float | None:
    is_told = isinstance(losses, list) and not is_missing(steps) and len(losses) >= steps
    return float(np.mean(losses[-int(steps) :])) if is_told else None


def memory_bytes(runs: pd.DataFrame) -> pd.Series:
    """Return each run's peak of memory: the device's where there is one, else the process's."""
    return runs["peak_device_memory_bytes"].astype(float).fillna(runs["peak_host_memory_bytes"].astype(float))


def final_score(runs: pd.DataFrame) -> pd.Series:
    """Return each run's score on the test set after its last epoch."""
    return runs["test_scores"].map(lambda scores: scores[-1] if isinstance(scores, list) and scores else None)

"""A control is a promise of the measurement that can be broken: one file here, judged on every build.

Three paragraphs of its docstring are the title, when it passes, and how that is measured. `judge(lines)` gets the lines
of the newest whole campaign of the control that MEASURED names in bench/controls, and returns a Control. ORDER is its
place. ABOUT names the words that each of its lines must have. SERIES names the numbers that each measured one must
have, equally many. Both are optional.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis import cache, plugins
from analysis.groups import grouped
from analysis.load import decode
from analysis.stats import interval
from bench import files
from bench.errors import RecordError
from bench.results import plausible, records, void_rules
from bench.results.lines import Control as Measured
from bench.results.lines import End, Environment, Line, Run, Void

SHORTEST = 1e-9  # seconds: below it, no clock has measured anything
VERDICTS = {True: "passes", False: "fails", None: "open"}
NOT_APPLICABLE = "does not apply"
WIDEST = 0.02  # half-width of an interval, beyond which "costs next to nothing" cannot be said


class Control(NamedTuple):
    """A judged control; every number in `finding` is computed."""

    passes: bool | None  # None: not measured, or not resolved, as `finding` says
    finding: str
    evidence: pd.DataFrame = pd.DataFrame()  # columns are headings, cells are text
    measured: str = ""  # the campaign's name, which is when it began
    subject: str = ""  # the program that bore all names, where one did, and what became of void rounds
    source: str = ""  # hash of the campaign's file

    @property
    def verdict(self) -> str:
        """The verdict in a word."""
        return VERDICTS[self.passes]


class About(NamedTuple):
    """What a control's docstring says."""

    title: str
    criterion: str


def found() -> dict[str, ModuleType]:
    """Return every control's module by its name, in the order of their ORDER."""
    return plugins.modules(__name__)


def about(module: ModuleType) -> About:
    """Return a control's title and criterion."""
    return About(*(" ".join(part.split()) for part in str(module.__doc__).strip().split("\n\n")[:2]))


def judge_all(results: Path) -> dict[str, dict[str, Control]]:
    """Judge every control on every machine that has measured one: {machine: {control: judged}}, in order.

    A control that cannot be read stops nothing: it is open, with the reason.
    """
    return {folder.name: {name: _judged(module, folder) for name, module in found().items()}
            for folder in machines(results)}  # fmt: skip


def machines(results: Path) -> list[Path]:
    """Return the folders of the machines that have measured a control; raises RecordError for a name of none."""
    folders = sorted(path.parent for path in results.glob("*/controls") if any(path.glob("*/*.jsonl")))
    for folder in folders:
        if wrong := files.name_problem(folder.name):
            raise RecordError(f"{files.called(str(folder / 'controls'))}: {wrong}")
    return folders


def _judged(module: ModuleType, machine: Path) -> Control:
    try:
        return judge_on(module, machine)
    except RecordError as error:
        return Control(None, f"It cannot be read: {error}. Restore that file, or move it out of the results.")


def judge_on(module: ModuleType, machine: Path) -> Control:
    """Judge one control by the newest whole campaign in a machine's folder.

    Its lines are judged as those of every file are: an impossible run counts as one without a time. Raises RecordError
    for lines that it cannot be of.
    """
    paths = sorted(machine.glob(f"controls/{module.MEASURED}/*.jsonl"), reverse=True)
    for path in paths:
        lines = decode.read(path)
        if lines and isinstance(lines[-1], End):
            break
    else:
        begun = "It was begun and not finished" if paths else "Not measured here yet"
        return Control(None, f"{begun}: nox -s controls -- --only {module.MEASURED}.")
    try:
        check(module, lines)
        judged: Control = module.judge(plausible.judge_all(lines))
    except RecordError as error:
        raise RecordError(f"{files.called(str(path))}, {error}") from None
    voids = void_rules.told(records.of_class(lines, Void))
    about = [subject(lines), f"void rounds: {voids}" if voids else ""]
    return judged._replace(measured=lines[0].campaign, subject="; ".join(filter(None, about)), source=cache.file(path))


def subject(lines: Sequence[Line]) -> str:
    """Return the one program that a campaign measured, under whatever names, as "workload in environment"."""
    programs = {(line.about["environment"], line.about.get("workload", "a workload"))
                for line in records.of_class(lines, Measured) if "environment" in line.about}  # fmt: skip
    if len(programs) != 1:
        return ""
    ((name, workload),) = programs
    return f"{workload} in {titles(lines).get(name, name)}"


def check(module: ModuleType, lines: Sequence[Line]) -> None:
    """Raise RecordError at the first line of a control that lacks the words or numbers that its judge reads.

    A judge names them: ABOUT, the words of each line, and SERIES, the numbers of each that was measured, equally many.
    """
    for number, line in enumerate(lines, 1):
        if not isinstance(line, Measured):
            continue
        lacks = [word for word in getattr(module, "ABOUT", ()) if word not in line.about]
        if lacks:
            wanted = ", ".join(module.ABOUT)
            raise RecordError(f"line {number}: about: expected {wanted}; {', '.join(lacks)} is missing")
        series = [line.series.get(name, []) for name in getattr(module, "SERIES", ())]
        is_short = any(min(values, default=0.0) < SHORTEST for values in series)
        if line.status == "ok" and (is_short or len(set(map(len, series))) > 1):
            names = ", ".join(module.SERIES)
            raise RecordError(f"line {number}: series: expected equally many seconds above {SHORTEST:g} in {names}")


def answers(lines: Sequence[Line]) -> list[Measured]:
    """Return a control's own lines in the order of their words."""
    return sorted(records.of_class(lines, Measured), key=lambda line: sorted(line.about.items()))


def titles(lines: Sequence[Line]) -> dict[str, str]:
    """Return what each environment is called."""
    return {line.environment: line.title for line in records.of_class(lines, Environment)}


def runs(lines: Sequence[Line]) -> list[Run]:
    """Return the valid runs: without the times of void rounds."""
    return records.of_class(void_rules.standing(list(lines)), Run)


def timed(lines: Sequence[Line]) -> dict[str, dict[int, Run]]:
    """Return {competitor: {round: its run}} of the runs that have a time."""
    by_name = grouped(runs(lines), lambda run: run.case.environment)
    return {name: {run.round: run for run in own if min(records.counted_s(run), default=0.0) > 0}
            for name, own in by_name.items()}  # fmt: skip


def times(timed_runs: Mapping[str, Mapping[int, Run]]) -> dict[str, dict[int, float]]:
    """Return each competitor's number by round, in seconds."""
    return {name: {number: time_s for number, run in rounds.items() if (time_s := records.time_s(run))}
            for name, rounds in timed_runs.items()}  # fmt: skip


def paired(slower: Sequence[float], faster: Sequence[float]) -> interval.Interval:
    """Return the mean ratio of two series measured in turns, with its interval."""
    return interval.mean((np.asarray(slower) / np.asarray(faster)).tolist())


def percent(value: float) -> str:
    """Return a share as percent with one decimal, or two below one percent."""
    return f"{100 * value:.{1 if abs(value) >= 0.01 else 2}f} %"


def change(ratio: interval.Interval) -> str:
    """Return a ratio as a change in percent with its interval."""
    bounds = "" if ratio.low is None or ratio.high is None else f" ({points(ratio.low)} to {points(ratio.high)})"
    return f"{points(ratio.value)} %{bounds}"


def points(ratio: float) -> str:
    """Return how many percent a ratio is above 1, with its sign."""
    return f"{100 * (ratio - 1):+.2f}"


def evidence(rows: Sequence[Sequence[str]], *columns: str) -> pd.DataFrame:
    """Return a table of text."""
    return pd.DataFrame([tuple(row) for row in rows], columns=list(columns))


def all_of(verdicts: Iterable[bool | None], lost: Sequence[object] = ()) -> bool | None:
    """Judge "each of them": one that fails is enough to fail, one that is open, or was lost, leaves it open."""
    known = set(verdicts)
    if False in known:
        return False
    return None if known != {True} or lost else True


def reasons(lines: Sequence[Line]) -> list[tuple[str, str]]:
    """Return (environment, reason) of what a control could not measure."""
    return [(line.about["environment"], f"{line.status}: {line.reason}")
            for line in answers(lines) if line.status not in ("ok", "unsupported")]  # fmt: skip


def lacking(lines: Sequence[Line]) -> list[tuple[str, str]]:
    """Return (title, reason) of what a control asked for, and a framework does not have."""
    names = titles(lines)
    return [(titled(names, line), str(line.reason)) for line in answers(lines) if line.status == "unsupported"]


def titled(names: Mapping[str, str], line: Measured) -> str:
    """Return the title of the environment that a line is about; its name if no line describes it."""
    return names.get(line.about["environment"], line.about["environment"])

"""Text for the terminal: a line per run, the time left, and plain tables. The analysis computes intervals."""

import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from bench.campaign.campaign import CampaignFile
from bench.campaign.rounds import EXPECTED_OFF, Planned
from bench.cases import Case
from bench.proof import Subject
from bench.proof.parity import TOLERANCES, Pair
from bench.results import void_rules
from bench.results.lines import Bench, Epochs, Line, Run, Void
from bench.results.records import of_class, time_s
from bench.units import aligned, duration, printable, size, step_time

BAR = 24
SHOWN = ("workload", "environment", "mode", "task", "batch_size", "optimizer", "precision")  # of a case


def say(text: str) -> None:
    """Print one line of progress to the error stream, so that --json stays clean."""
    print(text, file=sys.stderr, flush=True)


def _outcome(run: Run | Epochs) -> str:
    measured_s = time_s(run)
    if measured_s is None:
        return f"{run.status}: {run.reason}"
    if isinstance(run, Epochs):
        score = f", {run.score} {run.test_scores[-1]:.3f}" if run.score else ""
        return f"{step_time(measured_s):>10}/epoch, first {step_time(run.epoch_s[0])}{score}"
    first = "" if run.first_step_s is None else f"first {step_time(run.first_step_s)}, "  # None: others started too
    return f"{step_time(measured_s):>10}/step, {first}{run.duration_s:.0f} s"


def _void(line: Void) -> str:
    """Return why a disturbed round is repeated or kept."""
    if line.kept:
        return f"is disturbed but kept: {line.reason}; {line.kept}"
    return f"is void and repeated: {line.reason}; repeat {line.attempt} of at most {void_rules.MOST_REPEATS}"


def _question(case: Case) -> str:
    """Return what competitors have in common, without usual values."""
    words = [case.task, f"b{case.batch_size}", "" if case.optimizer == "none" else case.optimizer]
    words += [case.precision if case.precision != "fp32" else "", case.tier if case.tier != "documented" else ""]
    return f"{case.workload:16} {' '.join(filter(None, words))}"


def plan(planned: Sequence[Planned], fewest: int, budget_s: float | None, spent_s: float) -> str:
    """Return what a campaign will measure and how long that takes, and the budgets that would include the rest."""
    within, rest = ([group for group in planned if group.is_within_budget is wanted] for wanted in (True, False))
    needed_s = sum(group.seconds for group in within)
    budget = "" if budget_s is None else f" of a budget of {duration(budget_s)}"
    spent = f" ({duration(spent_s)} of it are spent: it continues)" if spent_s else ""
    needed = f"at least {fewest} rounds of each: about {duration(needed_s)}"
    out = [f"Plan: {_comparisons(within)}, {needed}{budget}{spent}"]
    out.extend(
        f"  {_question(group.cases[0]):44} {len(group.cases):2} competitors  {duration(group.seconds)}"
        for group in within
    )
    if budget_s is not None and needed_s > EXPECTED_OFF * (budget_s - spent_s):
        out.append(
            "The budget is too small for all rounds: increase it to "
            f"--budget {_minutes(needed_s + spent_s)}, or measure again (rounds add up)."
        )
    if rest:
        first, every = " ".join(_question(rest[0].cases[0]).split()), needed_s + sum(group.seconds for group in rest)
        out.append(
            f"Not included: {_comparisons(rest)}. --budget {_minutes(needed_s + rest[0].seconds)} includes "
            + (f"the next one ({first}), --budget {_minutes(every)} all of them." if rest[1:] else f"it ({first}).")
        )
    return "\n".join(out)


def _comparisons(planned: Sequence[Planned]) -> str:
    return f"{len(planned)} comparison{'' if len(planned) == 1 else 's'}"


def _minutes(seconds: float) -> str:
    """Write a time as --budget takes it, rounded up."""
    minutes = int(seconds // 60) + 1
    return f"{minutes}m" if minutes < 120 else f"{-(-minutes // 60)}h"


class Listener:
    """Prints each line of a campaign as text and, on a terminal, a bar with the time left below it."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.reasons: set[str | None] = set()  # that were printed

    def begin(self, cases: Sequence[Case], round_: int) -> None:
        """Print that a round of some cases begins."""
        self._print(f"round {round_}  {_question(cases[0])}")
        if self.stream.isatty():
            names = ", ".join(case.environment for case in cases)
            print(f"  in turns: {names[:100]} ...", end="", file=self.stream)
        self.stream.flush()

    def __call__(self, line: Run | Epochs | Void, campaign: CampaignFile, left_s: float) -> None:
        """Print one line, of a run or of a void round; `left_s` is an estimate."""
        competitor = f"{line.case.environment:17} {line.case.mode:11}"
        if isinstance(line, Void):
            self._print(f"round {line.round}  {_void(line)}")
        elif line.status == "ok" or line.duration_s:
            self._print(f"         {competitor} {_outcome(line)}")
        elif line.reason not in self.reasons and line.status != "over_budget":  # the plan names those
            self.reasons.add(line.reason)
            self._print(f"left out {competitor} {_question(line.case)}  {_outcome(line)}")
        if self.stream.isatty():
            spent_s = campaign.spent_s()
            share = spent_s / (spent_s + left_s) if spent_s + left_s else 1.0
            bar = ("#" * int(BAR * share)).ljust(BAR, ".")
            print(f"[{bar}] {100 * share:3.0f} %  {duration(left_s)} left", end="", file=self.stream)
        self.stream.flush()

    def _print(self, text: str) -> None:
        print("\r\033[K" if self.stream.isatty() else "", text, sep="", file=self.stream)


def _columns(rows: Sequence[Sequence[str]]) -> str:
    rows = [[printable(cell) for cell in row] for row in rows]
    rows.insert(1, ["-" * max(map(len, column)) for column in zip(*rows)])
    return "\n".join(aligned(rows))


def _summary(case: Case, runs: Iterable[Run | Epochs]) -> list[str]:
    name = [str(getattr(case, field)) for field in SHOWN]
    done, failed = ([run for run in runs if (run.status == "ok") is wanted] for wanted in (True, False))
    steps = [seconds for seconds in map(time_s, done) if seconds is not None]
    if not steps:
        return [*name, "-", "-", "-", "0", (_outcome(failed[-1]) if failed else "not measured yet")[:100]]
    firsts = [run.epoch_s[0] if isinstance(run, Epochs) else run.first_step_s for run in done]
    first = next((step_time(seconds) for seconds in firsts if seconds is not None), "-")
    spread = f"{step_time(min(steps))} to {step_time(max(steps))}"
    note = str(failed[-1].reason)[:100] if failed else ""
    return [*name, step_time(statistics.median(steps)), spread, first, str(len(steps)), note]


def table(lines: Sequence[Line]) -> str:
    """Return a campaign as text: the median and range of the runs of each case, or the reason there is none."""
    rows = [[*SHOWN, "step or epoch", "range over rounds", "first", "rounds", "note"]]
    runs = void_rules.standing(lines)
    cases = [case for bench in of_class(lines, Bench) for case in bench.cases]
    rows.extend(_summary(case, [run for run in runs if run.case == case]) for case in cases)
    voids = void_rules.told(of_class(lines, Void))
    return _columns(rows) + (f"\n\nvoid rounds: {voids}" if voids else "")


def data_table(rows: Sequence[Mapping[str, Any]], folder: str) -> str:
    """Return the data sets as text: one line each, their state in `folder`, and the command that prepares one."""
    out = [["data set", "what", "download", "prepared", "examples", "here", "licence"]]
    for row in rows:
        sizes = [size(row["download_bytes"]), size(row["prepared_bytes"]), "{} + {}".format(*row["examples"])]
        out.append([row["name"], row["title"], *sizes, row["state"], row["licence"]])
    name = rows[0]["name"]
    hint = f"Prepare by name: nox -s data -- {name}  (or: python -m bench data {name})"
    return f"{_columns(out)}\n\nKept in {folder} (--folder FOLDER, BENCH_DATA). {hint}"


def parity_table(pairs: Iterable[Pair], stale: Sequence[Subject] = ()) -> str:
    """Return the parity matrix as text: one line per pair of answers, each pair once, and one per stale answer."""
    out = [["workload", "optimizer", "one", "other", *TOLERANCES, "parity"]]
    for pair in pairs:
        a, b = (pair.environment_a, pair.mode_a), (pair.environment_b, pair.mode_b)
        if a < b:
            given = pair.comparison.errors if pair.comparison else {}
            errors = [f"{given[kind]:.1e}" if kind in given else "-" for kind in TOLERANCES]
            verdict = "equal" if pair.passes else pair.reason
            out.append([pair.workload, pair.optimizer, " ".join(a), " ".join(b), *errors, verdict])
    if not stale:
        return _columns(out)
    for subject in stale:
        program = f"{subject.environment} {subject.mode}"
        out.append([subject.workload, subject.optimizer, program, *["-"] * (1 + len(TOLERANCES)), "stale"])
    words = [
        f"--{option} {name}"
        for option in ("workload", "environment", "mode")
        for name in sorted({getattr(subject, option) for subject in stale})
    ]
    return (
        f"{_columns(out)}\n\nstale: the code changed since these answers, so they are not compared. Answer again: "
        f"nox -s parity -- {' '.join(words)} (delete the answers of modes that were removed)"
    )


def check_table(rows: Sequence[Sequence[str]]) -> str:
    """Return the outcomes of a contribution's checks as text."""
    return _columns([["check", "of", "outcome", "found"], *rows])
